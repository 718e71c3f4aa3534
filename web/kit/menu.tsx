// A button that opens a list of actions (the ARIA pattern "menu button").
import { createSignal, createUniqueId, For, onCleanup, Show, type JSX } from 'solid-js';

export interface Action { label: string; key?: string; run: () => void }

export const Menu = (props: { label: string; actions: Action[]; children: JSX.Element; class?: string; disabled?: boolean }) => {
  const id = createUniqueId(), [open, setOpen] = createSignal(false);
  let button!: HTMLButtonElement, list: HTMLDivElement | undefined;
  const items = () => [...list?.querySelectorAll('button') ?? []];
  const show = (last = false) => { setOpen(true); queueMicrotask(() => items().at(last ? -1 : 0)?.focus()); };
  const close = (back = true) => { setOpen(false); if (back) button.focus(); };
  const outside = (event: Event) => { if (open() && !(event.target instanceof Node && (list?.contains(event.target) || button.contains(event.target)))) close(false); };
  document.addEventListener('pointerdown', outside);
  onCleanup(() => document.removeEventListener('pointerdown', outside));
  const onKey = (event: KeyboardEvent) => {
    const all = items(), at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all.at(at - 1)?.focus();
    else if (event.key === 'Home') all[0]?.focus();
    else if (event.key === 'End') all.at(-1)?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') { close(false); return; }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class={`actions ${props.class ?? ''}`}>
      <button ref={button} type="button" class="menu-button" disabled={props.disabled} aria-label={props.label} aria-haspopup="menu" aria-expanded={open()} aria-controls={open() ? id : undefined} onClick={() => open() ? close() : show()}
        onKeyDown={(event) => { if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); show(event.key === 'ArrowUp'); } }}>{props.children}</button>
      <Show when={open()}>
        <div ref={list} id={id} class="menu-list" role="menu" aria-label={props.label} onKeyDown={onKey}>
          <For each={props.actions}>{(action) => <button type="button" role="menuitem" tabindex={-1} onClick={() => { close(); action.run(); }}><span>{action.label}</span><Show when={action.key}><kbd>{action.key}</kbd></Show></button>}</For>
        </div>
      </Show>
    </span>
  );
};
