// All tags, for those who keep them in order: how often each is used, renamed, merged, deleted. Merge and deletion can't be taken back, so they ask and say what they touch.
import { createSignal, createUniqueId, Show } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { Combobox } from '../../../kit/combobox';
import { go, href } from '../../../kit/route';
import { tell } from '../../../kit/strip';
import { language } from '../../../kit/words';
import { rows } from '../rows';
import { say } from '../words';

type Tag = Schemas['managed_tag'];
const tagOf = (row: unknown) => row as Tag;
const USES = [['case_count', 'tag_count'], ['user_count', 'tag_people'], ['organization_count', 'tag_organizations'], ['article_count', 'tag_articles'], ['section_count', 'tag_sections'], ['macro_count', 'tag_macros']] as const;
/** "12 conversations, 1 person"; empty: nothing has it. */
const usesOf = (tag: Tag) => new Intl.ListFormat(language(), { type: 'unit', style: 'short' }).format(USES.filter(([member]) => tag[member]).map(([member, word]) => say(word, { n: tag[member] ?? 0 })));

const Merge = (props: { tag: Tag; changed: () => Promise<unknown> }) => {
  const title = createUniqueId();
  const [into, setInto] = createSignal<{ id: number; name: string }>(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  let dialog!: HTMLDialogElement, input: HTMLInputElement | undefined;
  const name = () => props.tag.name ?? '', names = () => ({ name: name(), into: into()?.name ?? '' });
  const find = async (text: string) => rowsOf(await get('/tags', { ...(text ? { name: text } : {}), limit: 13 }))
    .filter(({ id }) => id !== props.tag.id).slice(0, 12).map((row) => ({ id: row.id, label: String(row['name']), more: usesOf(tagOf(row)) || say('tag_unused') }));
  const choose = (id: number, label: string) => { setInto({ id, name: label }); setWrong(''); dialog.showModal(); };
  const closed = () => { if (input) { input.value = ''; input.focus(); } };
  const merge = async () => {
    const survivor = into();
    if (!survivor || busy()) return;
    setBusy(true);
    try {
      await call('POST', `/tags/${survivor.id}/merge`, { body: { tag_ids: [props.tag.id] } });
    } catch (error) {
      return setWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
    const text = say('tag_merged', names());
    dialog.close();
    go(`/settings/tags/${survivor.id}`, { replace: true });
    await props.changed();
    tell(text);
  };
  return (
    <section class="settings-more" aria-labelledby={title}>
      <h2 id={title}>{say('tag_merge')}</h2>
      <p class="soft">{say('tag_merge_why')}</p>
      <Combobox label={say('tag_merge_find')} placeholder={say('tag_merge_find')} find={find} onChoose={({ id, label }) => choose(Number(id), label)} ref={(element) => { input = element; }} />
      <dialog ref={dialog} class="card" aria-labelledby={`${title}-question`} onClose={closed}>
        <h2 id={`${title}-question`} dir="auto">{say('tag_merge_title', names())}</h2>
        <p dir="auto">{usesOf(props.tag) ? say('tag_merge_touches', { ...names(), uses: usesOf(props.tag) }) : say('tag_merge_unused', names())}</p>
        <Show when={props.tag.section_count}><p dir="auto">{say('tag_merge_sections', names())}</p></Show>
        <p>{say('tag_merge_final')}</p>
        <p class="wrong" role="alert" dir="auto">{wrong()}</p>
        <form method="dialog" class="settings-foot">
          <button type="submit">{say('cancel')}</button>
          <button type="button" class="danger" aria-busy={busy()} onClick={() => void merge()}>{say('tag_merge_do')}</button>
        </form>
      </dialog>
    </section>
  );
};

const ManagedTags = rows({
  name: 'tags', path: '/tags', type: 'tag', title: 'tags', new: 'tags', empty: 'tags_none', emptyNext: 'tags_why',
  fields: [{ name: 'name', label: 'name' }],
  find: { label: 'tag_find', argument: 'name' },
  label: (row) => row.name ?? '',
  note: (row) => usesOf(tagOf(row)) || say('tag_unused'),
  deleteWhy: (row) => usesOf(tagOf(row)) ? say('tag_delete_why', { uses: usesOf(tagOf(row)) }) : say('tag_delete_unused'),
  below: (props) => (
    <Show when={props.row}>
      {(row) => (
        <>
          <Show when={tagOf(row()).case_count}><p class="settings-more"><a href={href(`/search?q=${encodeURIComponent(`tag:"${(row().name ?? '').replaceAll('"', '')}"`)}`)}>{say('tag_show')}</a></p></Show>
          <Merge tag={tagOf(row())} changed={props.changed} />
        </>
      )}
    </Show>
  ),
});
export default ManagedTags;
