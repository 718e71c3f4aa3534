// The header of a conversation: the subject, what it is about at one look, who else is here, and the menu.
import { createSignal, For, Show, Suspense } from 'solid-js';
import { call } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { Face, StatusMark } from '../../kit/marks';
import { useKeys } from '../../kit/keys';
import { go, href } from '../../kit/route';
import { rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, now, say, shortTime } from '../../kit/words';
import { nearestClock, type CaseRow } from '../list/row';
import { forward, tagNames, type Conversation, type RefTo } from './data';
import { activities, toggleActivities } from './timeline';

const Merged = lazy(async () => { const [{ Merged }, words] = await Promise.all([import('./merged'), import('./merge_words')]); await words.ready(); return { default: Merged }; });
const Merge = lazy(async () => { const [{ Merge }, words] = await Promise.all([import('./merge'), import('./merge_words')]); await words.ready(); return { default: Merge }; });
const Split = lazy(async () => { const [{ Split }, words] = await Promise.all([import('./split'), import('./split_words')]); await words.ready(); return { default: Split }; });
const loadSnooze = async () => { const found = await import('../snooze/snooze'); await found.ready(); return found; };
const Snoozed = lazy(async () => ({ default: (await loadSnooze()).Snoozed }));
const TAGS_SHOWN = 3;

const Subject = (props: { conversation: Conversation }) => {
  const c = props.conversation;
  const [editing, setEditing] = createSignal(false);
  let button!: HTMLButtonElement;
  const end = () => { setEditing(false); queueMicrotask(() => button.focus()); };
  const save = (value: string) => {
    const subject = value.trim();
    end();
    if (subject && subject !== c.row()?.subject) void c.update({ subject }, { subject }, say('subject'));
  };
  return (
    <div class="subject">
      <h2 id="case-title" tabindex="-1" dir="auto" title={c.row()?.subject ?? undefined} hidden={editing()}>{c.row()?.subject || say(c.state() === 'reading' ? 'conversation' : 'no_subject')}</h2>
      <Show when={editing()} fallback={<button ref={button} type="button" class="quiet" onClick={() => setEditing(true)}>{say('edit_subject')}</button>}>
        <form class="subject-form" onSubmit={(event) => { event.preventDefault(); save((event.currentTarget.elements[0] as HTMLInputElement).value); }}>
          <input ref={(input) => queueMicrotask(() => { input.focus(); input.select(); })} value={c.row()?.subject ?? ''} aria-label={say('subject')} dir="auto" required
            onKeyDown={(event) => { if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); end(); } }} />
          <button type="submit" class="main">{say('save')}</button>
          <button type="button" onClick={end}>{say('cancel')}</button>
        </form>
      </Show>
      <Show when={c.refused()['subject']}><p class="wrong" role="alert">{c.refused()['subject']}</p></Show>
    </div>
  );
};

export const Head = (props: { conversation: Conversation; onBack: () => void; onNext: () => void; onDetails: () => void; detailsOpen: boolean; onProperty: (name: 'status' | 'agent' | 'tags') => void }) => {
  const c = props.conversation;
  const [merging, setMerging] = createSignal(false), [splitting, setSplitting] = createSignal<{ first: number | undefined }>();
  let menu!: HTMLDetailsElement;
  const chosen = (act: () => void) => () => { menu.open = false; act(); };

  const state = async (to: 'trash' | 'restore') => {
    try {
      await call('PUT', `/cases/${c.id}/${to}`);
      tell(say(to === 'trash' ? 'trashed' : 'restored'), async () => { await call('PUT', `/cases/${c.id}/${to === 'trash' ? 'restore' : 'trash'}`); });
      if (to === 'trash') props.onNext();
      else void c.begin();
    } catch (error) { tellWrong(say('not_changed', { reason: (error as Error).message })); }
  };
  const isTrash = () => c.row()?.state === 'TRASH';
  const copy = async () => {
    try { await navigator.clipboard.writeText(new URL(href(`/cases/${c.id}`), location.href).href); tell(say('link_copied')); }
    catch { tellWrong(say('link_not_copied', { link: new URL(href(`/cases/${c.id}`), location.href).href })); }
  };
  const snooze = () => void loadSnooze().then(({ snoozeConversation }) => snoozeConversation(c, props.onNext), (error: Error) => tellWrong(error.message));
  /** The post that has the focus is chosen. */
  const focused = () => Number(document.activeElement?.closest<HTMLElement>('[data-post]:not([data-kind=activity])')?.dataset['post']) || undefined;
  const split = () => setSplitting({ first: focused() }), pass = () => forward(c, focused());
  useKeys([
    { key: 'h', word: 'snooze', run: snooze },
    { key: '#', word: 'key_trash', run: () => void state('trash') },
    { key: 'u', word: 'key_unread', run: () => void c.markUnread() },
    { key: 'f', word: 'forward', run: pass },
    { key: '', word: 'merge', run: () => setMerging(true) },
    { key: '', word: 'split', run: split },
    { key: '', word: 'copy_link', run: () => void copy() },
  ]);

  const agent = () => rowOf('user', c.row()?.assigned_agent as RefTo)?.full_name;
  const team = () => rowOf('team', c.row()?.assigned_team as RefTo)?.title;
  const tags = () => tagNames(c.row());
  const clock = () => c.row() && nearestClock(c.row() as unknown as CaseRow, now());
  const writing = () => c.others().filter((o) => o.is_typing || o.is_updating);
  const looking = () => c.others().filter((o) => !o.is_typing && !o.is_updating);
  const names = (list: { user: { full_name: string } }[]) => new Intl.ListFormat(document.documentElement.lang).format(list.map((o) => o.user.full_name));

  return (
    <header class="case-head">
      <div class="case-top">
        <button type="button" class="back" onClick={props.onBack}>{say('back')}</button>
        <Subject conversation={c} />
        <button type="button" class="narrow" aria-expanded={props.detailsOpen} aria-controls="details" onClick={props.onDetails}>{say('details')}</button>
        <details class="menu" ref={menu} onKeyDown={(event) => { if (event.key === 'Escape' && menu.open) { event.stopPropagation(); menu.open = false; menu.querySelector('summary')?.focus(); } }}
          onFocusOut={(event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget as Node)) menu.open = false; }}>
          <summary class="button" aria-label={say('more')} title={say('more')}><span aria-hidden="true">⋯</span></summary>
          <div class="card menu-list">
            <button type="button" onClick={chosen(pass)}>{say('forward')} <kbd>f</kbd></button>
            <button type="button" onClick={chosen(() => setMerging(true))}>{say('merge')}</button>
            <button type="button" onClick={chosen(split)}>{say('split')}</button>
            <button type="button" onClick={chosen(snooze)}>{say('snooze')} <kbd>h</kbd></button>
            <button type="button" onClick={chosen(() => void c.markUnread())}>{say('mark_unread')} <kbd>u</kbd></button>
            <button type="button" onClick={chosen(() => void copy())}>{say('copy_link')}</button>
            <button type="button" aria-pressed={activities()} onClick={chosen(toggleActivities)}>{say(activities() ? 'activities_hide' : 'activities_show')}</button>
            <Show when={isTrash()} fallback={<button type="button" onClick={chosen(() => void state('trash'))}>{say('to_trash')} <kbd>#</kbd></button>}>
              <button type="button" onClick={chosen(() => void state('restore'))}>{say('restore')}</button>
            </Show>
          </div>
        </details>
      </div>
      <div class="case-facts">
        <button type="button" class="quiet" onClick={() => props.onProperty('status')}><span class="hidden">{say('status')}: </span><StatusMark id={(c.row()?.status as RefTo)?.id} /></button>
        <button type="button" class="quiet" onClick={() => props.onProperty('agent')}><span class="hidden">{say('agent')}: </span><Show when={agent()} fallback={<span class="soft">{say('nobody')}</span>}><Face name={agent()!} /> <span dir="auto">{agent()}</span></Show><Show when={team()}> <span class="soft" dir="auto">{team()}</span></Show></button>
        <Show when={tags().length}>
          <button type="button" class="quiet" onClick={() => props.onProperty('tags')}><span class="hidden">{say('tags')}: </span><For each={tags().slice(0, TAGS_SHOWN)}>{(tag) => <span class="tag" dir="auto">{tag}</span>}</For><Show when={tags().length > TAGS_SHOWN}><span class="soft">{say('tags_more', { n: tags().length - TAGS_SHOWN })}</span></Show></button>
        </Show>
        <Show when={clock()}>{(m) => <span class="clock" classList={{ late: Date.parse(m().due_at!) < now() }} title={fullTime(m().due_at!)}>{say(Date.parse(m().due_at!) < now() ? 'overdue' : 'due', { time: shortTime(m().due_at!) })}</span>}</Show>
        <span class="grow" />
        <p class="presence" role="status">
          <Show when={writing().length}>{say('is_writing', { names: names(writing()), n: writing().length })}</Show>
          <Show when={!writing().length && looking().length}>{say('is_looking', { names: names(looking()), n: looking().length })}</Show>
        </p>
      </div>
      <Show when={isTrash()}><p class="notice warning">{say('in_trash')} <button type="button" onClick={() => void state('restore')}>{say('restore')}</button></p></Show>
      <Show when={c.row()?.snooze}><Suspense><Snoozed conversation={c} /></Suspense></Show>
      <Show when={c.row()?.is_merged}>{(_) => { const opened = c.state() === 'reading'; return <Suspense><Merged conversation={c} opened={opened} /></Suspense>; }}</Show>
      <Show when={c.conflict()}>
        {(x) => (
          <p class="notice warning" role="alert">{say('conflict', { name: x().by, what: x().what })}{' '}
            <button type="button" onClick={() => x().keep()}>{say('conflict_mine')}</button>{' '}
            <button type="button" onClick={() => x().take()}>{say('conflict_theirs')}</button>
          </p>
        )}
      </Show>
      <Show when={merging()}><Suspense><Merge conversation={c} onClose={() => { setMerging(false); menu.querySelector('summary')?.focus(); }} onMerged={(survivor) => { setMerging(false); if (survivor === c.id) void c.begin(); else go(`/cases/${survivor}`); }} /></Suspense></Show>
      <Show when={splitting()} keyed>{({ first }) => <Suspense><Split conversation={c} first={first} onClose={() => { setSplitting(undefined); menu.querySelector('summary')?.focus(); }} onSplit={(made) => { setSplitting(undefined); go(`/cases/${made}`); }} /></Suspense>}</Show>
    </header>
  );
};
