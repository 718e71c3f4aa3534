// The views and the properties lie over the other regions where the window is too narrow for four: one of them at a time, when it is asked
// for. The focus goes into it, and back to where it was. On wide screens both regions are always there, and their keys move the focus.
import { createEffect, createSignal } from 'solid-js';

export type Drawer = 'views' | 'details';
const [opened, setOpened] = createSignal<Drawer>();
export { opened };

const narrow = matchMedia('(max-width: 1279px)');
narrow.addEventListener('change', () => close());
let before: Element | null = null;

const regionOf = (drawer: Drawer) => document.getElementById(drawer);
const hasFocus = (drawer: Drawer) => regionOf(drawer)?.contains(document.activeElement) ?? false;

/** Closes it, and leaves the focus alone. */
export const close = () => setOpened();
/** Shows the region and moves the focus there: to the place that is chosen in it, or to the region. */
export const enter = (drawer: Drawer) => {
  if (!hasFocus(drawer)) before = document.activeElement;
  if (narrow.matches) setOpened(drawer);
  const region = regionOf(drawer);
  (region?.querySelector<HTMLElement>('[aria-current]') ?? region)?.focus();
};
/** Closes it. The focus goes back if it was there; to a region if its former place is gone. */
export const leave = (drawer = opened()) => {
  const back = drawer && (hasFocus(drawer) || document.activeElement === document.body);
  close();
  if (!back) return;
  const place = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : undefined;
  (place ?? document.querySelector<HTMLElement>('.conversation[data-region], .list[data-region]'))?.focus();
};
export const toggle = (drawer: Drawer) => { if (opened() === drawer || hasFocus(drawer)) leave(drawer); else enter(drawer); };

/** Closes the drawer `drawer` when the pointer or the focus goes elsewhere. For its element. */
export const closesOutside = (drawer: Drawer, element: HTMLElement) => createEffect((former: AbortController | undefined) => {
  former?.abort();
  if (opened() !== drawer) return undefined;
  const stop = new AbortController(), { signal } = stop;
  const isOutside = (target: EventTarget | null) => target instanceof Element && !element.contains(target) && !target.closest(`[aria-controls=${drawer}]`);
  document.addEventListener('pointerdown', ({ target }) => { if (isOutside(target)) close(); }, { signal });
  document.addEventListener('focusin', ({ target }) => { if (isOutside(target)) close(); }, { signal });
  return stop;
});

export const detailsOpen = () => opened() === 'details';
export const setDetailsOpen = (open: boolean) => { if (open) enter('details'); else leave(); };
