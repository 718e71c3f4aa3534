// Recipients of a forward: addresses that were chosen, with the reason beside one that the server refuses, and a field that finds people.
import { createSignal, createUniqueId, For, onMount, Show } from 'solid-js';
import { Combobox } from '../../kit/combobox';
import { say as sayCommon } from '../../kit/words';
import { ADDRESS, ADDRESSES, findPeople } from '../editor/cc';
import { say } from './forward_words';

interface Props {
  label: string;
  add: string;
  addresses: string[];
  /** Other recipients: an address comes once. */
  others: string[];
  /** Reasons of the server, by the place of the address. */
  refused: (place: number) => string | undefined;
  /** Why the field as a whole is refused. */
  wrong: string | undefined;
  onChange: (addresses: string[]) => void;
  /** Gets what takes over a typed address: it returns the addresses, or undefined if the text is none. */
  ref: (field: { settle: () => string[] | undefined; focus: () => void }) => void;
  /** What was typed before the field was there. */
  typed?: string;
}

export const Addresses = (props: Props) => {
  const title = createUniqueId(), problem = createUniqueId(), [text, setText] = createSignal<string>();
  let input!: HTMLInputElement;
  const with_ = (added: string[]) => {
    const known = new Set([...props.addresses, ...props.others].map((one) => one.toLowerCase()));
    return [...props.addresses, ...added.filter((one) => !known.has(one.toLowerCase()) && known.add(one.toLowerCase()))];
  };
  const add = (added: string[]) => { const all = with_(added); if (all.length > props.addresses.length) props.onChange(all); return all; };
  const settle = (): string[] | undefined => {
    const typed = input.value.trim();
    setText(typed && !ADDRESS.test(typed) ? typed : undefined);
    if (text()) return undefined;
    input.value = '';
    return typed ? add([typed]) : props.addresses;
  };
  props.ref({ settle, focus: () => input.focus() });
  const isWrong = () => text() !== undefined || props.wrong !== undefined || props.addresses.some((_, i) => props.refused(i) !== undefined);
  onMount(() => {
    if (props.typed) input.value = props.typed, input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
  return (
    <div class="forward-field" role="group" aria-labelledby={title}>
      <span id={title}>{props.label}</span>
      <div class="forward-addresses">
        <For each={props.addresses}>
          {(address, i) => (
            <span class="tag" classList={{ wrong: props.refused(i()) !== undefined }}><bdi>{address}</bdi> <button type="button" aria-label={say('remove', { address })} onClick={() => { props.onChange(props.addresses.filter((one) => one !== address)); input.focus(); }}>×</button></span>
          )}
        </For>
        <span class="adding" onFocusOut={settle} onInput={() => setText(undefined)}
          onPaste={(event) => { const found = event.clipboardData?.getData('text/plain').match(ADDRESSES) ?? []; if (found.length > 1) { event.preventDefault(); add(found); } }}>
          <Combobox label={props.add} placeholder={props.add} find={findPeople} onChoose={({ id }) => { add([String(id)]); input.value = ''; }} ref={(element) => { input = element; }} />
        </span>
      </div>
      <Show when={isWrong()}>
        <div id={problem} class="wrong" role="alert">
          <Show when={text()}>{(typed) => <p>{sayCommon('not_address', { text: typed() })}</p>}</Show>
          <Show when={props.wrong}><p>{props.wrong}</p></Show>
          <For each={props.addresses}>{(address, i) => <Show when={props.refused(i())}>{(reason) => <p>{say('wrong_at', { address, reason: reason() })}</p>}</Show>}</For>
        </div>
      </Show>
    </div>
  );
};
