// The tags of a conversation, with completion. Many tags are folded.
import { createSignal, For, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { say } from '../../kit/words';
import { tagNames, type Conversation } from './data';

const SHOWN = 20;

export const Tags = (props: { conversation: Conversation; ref: (input: HTMLInputElement) => void }) => {
  const c = props.conversation;
  const [all, setAll] = createSignal(false);
  const [typed, setTyped] = createSignal('');
  const tags = () => tagNames(c.row());
  const set = (names: string[]) => void c.update({ tags: names.map((name) => ({ name, id: 0, resource_type: 'tag' })) }, { tags: names }, say('tags'));
  const add = (name: string) => { setTyped(' '); setTyped(''); if (name && !tags().includes(name)) set([...tags(), name]); };
  let input!: HTMLInputElement;
  /** The tags of the desk that begin so; and the typed one, which becomes a new tag. */
  const find = async (text: string): Promise<Option[]> => {
    const name = text.toLowerCase(), found = rowsOf(await get('/autocomplete/tags', { name })).map((tag) => String(tag['name']));
    const known = found.filter((one) => !tags().includes(one)).map((one) => ({ id: one, label: one }));
    const exact = known.filter(({ label }) => label === name), fresh = exact.length || tags().includes(name) ? [] : [{ id: name, label: name, more: say('new_tag') }];
    return [...exact, ...known.filter(({ label }) => label !== name), ...fresh];
  };
  return (
    <div class="choice">
      <span id="tags-label">{say('tags')}</span>
      <ul class="tags" aria-labelledby="tags-label">
        <For each={all() ? tags() : tags().slice(0, SHOWN)}>
          {(tag) => <li class="tag"><span dir="auto">{tag}</span> <button type="button" aria-label={say('remove_tag', { tag })} onClick={() => { set(tags().filter((one) => one !== tag)); input.focus(); }}>×</button></li>}
        </For>
      </ul>
      <Show when={tags().length > SHOWN}><button type="button" class="link" aria-expanded={all()} onClick={() => setAll(!all())}>{say(all() ? 'tags_fewer' : 'tags_more', { n: tags().length - SHOWN })}</button></Show>
      <Combobox label={say('add_tag')} placeholder={say('add_tag')} value={typed()} find={find} onChoose={(option) => add(String(option.id))} ref={(element) => { input = element; props.ref(element); }} />
      <Show when={c.refused()['tags']}><p class="wrong" role="alert">{c.refused()['tags']}</p></Show>
    </div>
  );
};
