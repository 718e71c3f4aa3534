// A field that finds one of many rows while one types (the ARIA pattern "combobox with a list", with the focus in the field). Enter chooses,
// also before the rows have come, and never sends the form around it.
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';

export interface Option { id: number | string; label: string; more?: string }

interface Props {
  label: string;
  find: (text: string) => Promise<Option[]>;
  onChoose: (option: Option) => void;
  value?: string;
  placeholder?: string;
  required?: boolean;
  ref?: (input: HTMLInputElement) => void;
}

const PAUSE_MS = 120;

export const Combobox = (props: Props) => {
  const list = createUniqueId();
  const [text, setText] = createSignal(props.value ?? ''), [options, setOptions] = createSignal<Option[]>([]), [at, setAt] = createSignal(0), [open, setOpen] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined, turn = 0, searching = false, takesFirst = false;
  createEffect(on(() => props.value, (value) => { if (value !== undefined) setText(value); }));
  onCleanup(() => clearTimeout(timer));

  const typed = (value: string) => {
    setText(value);
    clearTimeout(timer);
    const mine = ++turn;
    searching = !!value.trim();
    takesFirst = false;
    if (!searching) { setOptions([]); setOpen(false); return; }
    timer = setTimeout(() => void props.find(value.trim()).catch(() => []).then((found: Option[]) => {
      if (mine !== turn) return; // an older search is late
      searching = false;
      setOptions(found);
      setAt(0);
      setOpen(found.length > 0);
      if (takesFirst) choose(found[0]);
    }), PAUSE_MS);
  };
  const stop = () => { turn++; clearTimeout(timer); searching = takesFirst = false; };
  const choose = (option: Option | undefined) => {
    if (!option) return;
    stop();
    setText(option.label);
    setOpen(false);
    props.onChoose(option);
  };
  const onKey = (event: KeyboardEvent) => {
    // Ctrl+Enter is a key of the form, unless a choice is on its way.
    if (event.key === 'Enter' && !event.isComposing && (takesFirst || !(event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      if (searching) takesFirst = true; else if (open()) choose(options()[at()]);
    }
    if (!open()) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); setAt((a) => (a + step + options().length) % options().length); }
    if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); setOpen(false); }
  };
  return (
    <div class="combobox">
      <input ref={(input) => props.ref?.(input)} type="text" role="combobox" autocomplete="off" dir="auto" aria-label={props.label} aria-expanded={open()} aria-controls={list} aria-autocomplete="list"
        aria-activedescendant={open() ? `${list}-${at()}` : undefined} required={props.required} placeholder={props.placeholder} value={text()} onInput={(event) => typed(event.currentTarget.value)} onKeyDown={onKey} onBlur={() => { stop(); setOpen(false); }} />
      <ul id={list} role="listbox" aria-label={props.label} hidden={!open()}>
        <For each={options()}>
          {(option, i) => (
            <li id={`${list}-${i()}`} role="option" aria-selected={i() === at()} onMouseDown={(event) => { event.preventDefault(); choose(option); }}>
              <span dir="auto">{option.label}</span> <Show when={option.more}><span class="soft" dir="auto">{option.more}</span></Show>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
};
