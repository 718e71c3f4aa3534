// Words that are typed, with those that the desk knows offered.
import { For, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { say } from './words';

export const Tags = (props: { label: string; help?: string; tags: string[]; set: (tags: string[]) => void; disabled?: boolean }) => {
  let input: HTMLInputElement | undefined;
  const add = (text: string) => {
    const word = text.trim();
    if (word && !props.tags.includes(word)) props.set([...props.tags, word]);
    if (input) { input.value = ''; input.focus(); }
  };
  const find = async (text: string): Promise<Option[]> => {
    const known = rowsOf(await get('/autocomplete/tags', { name: text, limit: 8 })).map((row) => String(row['name'])).filter((name) => !props.tags.includes(name));
    return [...known.map((name) => ({ id: name, label: name })), ...(known.includes(text) ? [] : [{ id: text, label: text, more: say('new_tag') }])];
  };
  return (
    <div role="group" aria-label={props.label} class="help-tags">
      <span class="label">{props.label}</span>
      <Show when={props.tags.length}><ul class="tags"><For each={props.tags}>{(tag) => <li class="tag"><span dir="auto">{tag}</span><Show when={!props.disabled}><button type="button" aria-label={say('remove_tag', { name: tag })} onClick={() => { props.set(props.tags.filter((one) => one !== tag)); input?.focus(); }}>×</button></Show></li>}</For></ul></Show>
      <Show when={!props.disabled}><Combobox label={say('add_tag')} placeholder={say('add_tag')} find={find} onChoose={({ label }) => add(label)} ref={(element) => { input = element; }} /></Show>
      <Show when={props.help}><p class="soft field-help">{props.help}</p></Show>
    </div>
  );
};
