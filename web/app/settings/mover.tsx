// Moves an entry of a list to another place: by a grip, by buttons, and by the arrow keys on these. The list has the attribute data-sort, and its entries are li.
import { createSignal } from 'solid-js';
import { say } from './words';

const [said, setSaid] = createSignal('');
/** For screen readers: where an entry is now. */
export const Moved = () => <p class="hidden" role="status">{said()}</p>;
export const announce = setSaid;

/** The place that `at` has in a list of `of` entries counts only those that have a Mover. */
export const Mover = (props: { name: string; at: number; of: number; move: (to: number) => void }) => {
  let box!: HTMLSpanElement;
  const movers = () => [...box.closest('[data-sort]')!.querySelectorAll<HTMLElement>('.mover')];
  const moveTo = (to: number, button?: number) => {
    const { name, at, of } = props, list = movers();
    if (to < 0 || to >= of || to === at) return;
    props.move(to);
    setSaid(say('moved', { name, n: to + 1, of }));
    // The list may keep its elements and exchange their contents, or move the elements, which takes the focus from them.
    if (button !== undefined) queueMicrotask(() => {
      const now = box.isConnected ? movers()[to] : list[to], buttons = [...now?.querySelectorAll('button') ?? []];
      (buttons[button]?.disabled ? buttons[1 - button] : buttons[button])?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    const button = event.key === 'ArrowUp' ? 0 : 1;
    moveTo(props.at + (button ? 1 : -1), button);
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.button) return;
    event.preventDefault();
    const grip = event.currentTarget, from = props.at, items = movers().map((one) => one.closest('li')!);
    let to = from;
    const mark = (dragging: boolean) => items.forEach((item, i) => {
      item.classList.toggle('is-dragged', dragging && i === from);
      if (dragging && i === to && to !== from) item.dataset['drop'] = to < from ? 'before' : 'after'; else delete item.dataset['drop'];
    });
    const over = ({ clientY }: PointerEvent) => {
      const found = items.findIndex((item) => clientY < item.getBoundingClientRect().bottom);
      to = found < 0 ? items.length - 1 : found;
      items[to]?.scrollIntoView({ block: 'nearest' });
      mark(true);
    };
    const end = (drop: boolean) => {
      grip.removeEventListener('pointermove', over);
      grip.removeEventListener('pointerup', dropped);
      grip.removeEventListener('pointercancel', left);
      removeEventListener('keydown', escape, true);
      mark(false);
      if (drop) moveTo(to);
    };
    const dropped = () => end(true), left = () => end(false);
    const escape = (key: KeyboardEvent) => { if (key.key === 'Escape') { key.preventDefault(); key.stopPropagation(); end(false); } };
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener('pointermove', over);
    grip.addEventListener('pointerup', dropped);
    grip.addEventListener('pointercancel', left);
    addEventListener('keydown', escape, true);
    mark(true);
  };
  return (
    <span ref={box} class="settings-order mover" onKeyDown={onKeyDown}>
      <button type="button" aria-label={say('move_up', { name: props.name })} disabled={props.at === 0} onClick={() => moveTo(props.at - 1, 0)}>↑</button>
      <button type="button" aria-label={say('move_down', { name: props.name })} disabled={props.at === props.of - 1} onClick={() => moveTo(props.at + 1, 1)}>↓</button>
      <span class="grip" aria-hidden="true" onPointerDown={drag}>⠿</span>
    </span>
  );
};
