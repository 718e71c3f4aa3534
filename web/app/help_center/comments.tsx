// Comments of readers: those that nobody has looked at come first. They are published at once, so a moderator confirms them or marks them as
// spam, one by one or all that are selected.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { createStore, reconcile, unwrap } from 'solid-js/store';
import { call, get, rowsOf } from '../../kit/api';
import { keysOn } from '../../kit/keys';
import { follow, placeNow } from '../../kit/live';
import { Face } from '../../kit/marks';
import { href, place } from '../../kit/route';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, now, numberText, say as sayOfAll, shortTime } from '../../kit/words';
import { asText } from '../editor/html';
import { inboxChannel } from '../frame/inbox_channel';
import { me } from '../session/session';
import { createEdit } from '../settings/edit';
import { isKept } from '../settings/kept';
import { pageOf, titleOf, type Text } from './data';
import { counts, isGone, markSpam, PAGE, pathOf, publish, QUEUES, readCounts, readQueue, readTitles, Rewritten, withAll, type Comment, type Queue } from './moderation';
import { say, type ModerationWord } from './moderation_words';
import { Question, Summary } from './parts';
import { say as sayOfHelp } from './words';

const BASE = '/help-center/comments', READ_MS = 30_000, HEARD_MS = 250, MOST_READ_AGAIN = 200, OWN_MS = 10 * 60_000, LONG = 600;
const WORDS: Record<Queue, ModerationWord> = { WAITING: 'queue_waiting', PUBLISHED: 'queue_published', SPAM: 'queue_spam' };
const NONE: Record<Queue, [ModerationWord, ModerationWord]> = {
  WAITING: ['none_waiting', 'none_waiting_next'], PUBLISHED: ['none_published', 'none_published_next'], SPAM: ['none_spam', 'none_spam_next'],
};
type Decision = 'publish' | 'spam';
const decisionsIn: Record<Queue, Decision[]> = { WAITING: ['publish', 'spam'], PUBLISHED: ['spam'], SPAM: ['publish'] };
const decisionWord = (queue: Queue, decision: Decision): ModerationWord => decision === 'spam' ? 'spam' : queue === 'SPAM' ? 'no_spam' : 'looked_at';

/** A reply, or the own comment again. The browser keeps what is not sent. */
const Writing = (props: { one: Comment; kind: 'reply' | 'change'; done: () => void }) => {
  const { one, kind } = props, label = () => kind === 'reply' ? say('reply_to', { name: one.user?.full_name ?? say('nobody') }) : say('change_comment');
  let field!: HTMLTextAreaElement;
  const edit = createEdit({
    key: `comment ${kind} ${one.id}`, stored: true, gone: () => sayOfHelp('gone'),
    ...(kind === 'reply' ? { initial: { contents: '' } } : { read: async () => { const reply = await get(pathOf(one), { fields: 'contents' }); return { values: { contents: String(rowsOf(reply)[0]!['contents']) }, etag: reply.etag }; } }),
    send: async (_changed, { contents }, etag, attempt) => {
      if (kind === 'reply') await call('POST', `/articles/${one.article.id}/comments`, { body: { contents, parent_id: one.parent?.id ?? one.id }, headers: { 'Idempotency-Key': attempt } });
      else await call('PUT', pathOf(one), { body: { contents }, headers: etag ? { 'If-Match': etag } : {} });
      return {};
    },
  });
  const send = async () => {
    if (!String(edit.value('contents') ?? '').trim()) return edit.refuse([{ field: '', text: say('empty_text') }]);
    if (!await edit.save()) return;
    tell(say(kind === 'reply' ? 'replied' : 'changed'));
    props.done();
  };
  createEffect(on(() => edit.status() === 'ready', (ready) => { if (ready) queueMicrotask(() => field.focus()); }));
  return (
    <form class="comment-writing" onSubmit={(event) => { event.preventDefault(); void send(); }}
      onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void send(); } else if (event.key === 'Escape') { event.preventDefault(); props.done(); } }}>
      <Summary edit={edit} nameOf={label} />
      <textarea ref={field} rows="4" dir="auto" maxLength={65535} readOnly={!edit.isRead()} aria-label={label()} value={edit.value<string | undefined>('contents') ?? ''} onInput={(event) => edit.set('contents', event.currentTarget.value)} />
      <div class="settings-foot">
        <button type="submit" class="main" disabled={edit.status() !== 'ready'}>{say(kind === 'reply' ? 'send_reply' : 'save')}</button>
        <button type="button" onClick={() => { void edit.discard(); props.done(); }}>{say('cancel')}</button>
      </div>
    </form>
  );
};

interface RowProps { one: Comment; queue: Queue; title: Text[] | undefined; gone: boolean; chosen: boolean; choose: (chosen: boolean) => void; decide: (decision: Decision) => void; asked: number; changed: () => void; remove: () => void }

const Row = (props: RowProps) => {
  const { one } = props, text = createMemo(() => asText({ contents: one.contents, html: one.is_html }));
  const [kind, setKind] = createSignal<'reply' | 'change' | undefined>((['reply', 'change'] as const).find((kind) => isKept(`comment ${kind} ${one.id}`))), [whole, setWhole] = createSignal(false);
  const name = () => one.user?.full_name || say('nobody'), isLong = () => text().length > LONG || text().split('\n').length > 10;
  const isOwn = () => one.user?.id === me()?.id && now() - Date.parse(one.created_at) < OWN_MS, mayReply = () => one.status === 'PUBLISHED';
  let box!: HTMLInputElement;
  const done = () => { setKind(undefined); box.focus(); };
  createEffect(on(() => props.asked, (times) => { if (times && mayReply()) setKind('reply'); }, { defer: true }));
  return (
    <li class="comment" classList={{ 'is-chosen': props.chosen, 'is-gone': props.gone }}>
      <label class="comment-check"><input ref={box} id={`comment-${one.id}`} type="checkbox" aria-label={say('select_comment', { name: name() })} checked={props.chosen} disabled={props.gone} onChange={(event) => props.choose(event.currentTarget.checked)} /></label>
      <div class="comment-body">
        <p class="comment-head"><Face name={name()} /> <b dir="auto">{name()}</b>{' '}
          <span class="soft">{say(one.parent ? 'on_article_reply' : 'on_article')}</span>{' '}
          <Show when={props.title} fallback={<span class="soft">{say('hidden_article')}</span>}>{(titles) => <a href={`${pageOf(one.article.id)}#comment-${one.id}`} target="_blank" dir="auto">{titleOf(titles())}</a>}</Show>{' '}
          <time class="soft" dateTime={one.created_at} title={fullTime(one.created_at)}>{shortTime(one.created_at)}</time>
          <Show when={props.queue === 'PUBLISHED' && one.is_waiting}>{' '}<span class="tag">{say('waits')}</span></Show></p>
        <p class="comment-text" classList={{ 'is-cut': isLong() && !whole() }} dir="auto">{text()}</p>
        <Show when={isLong() && !whole()}><button type="button" class="link" onClick={() => setWhole(true)}>{say('whole')}</button></Show>
        <Show when={!props.gone} fallback={<p class="soft" role="status">{say('decided')}</p>}>
          <Show when={kind()} keyed fallback={
            <div class="comment-actions">
              <For each={decisionsIn[props.queue].filter((one_) => one_ === 'publish' || one.status !== 'SPAM')}>{(decision) => <button type="button" classList={{ danger: decision === 'spam' }} onClick={() => props.decide(decision)}>{say(decisionWord(props.queue, decision))}</button>}</For>
              <Show when={mayReply()}><button type="button" onClick={() => setKind('reply')}>{say('reply')}</button></Show>
              <Show when={isOwn()}>
                <Show when={!one.is_html}><button type="button" onClick={() => setKind('change')}>{say('change')}</button></Show>
                <button type="button" class="danger" onClick={() => props.remove()}>{say('delete')}</button>
              </Show>
            </div>
          }>{(which) => <Writing one={unwrap(one)} kind={which} done={() => { done(); props.changed(); }} />}</Show>
        </Show>
      </div>
    </li>
  );
};

const List = (props: { queue: Queue }) => {
  const { queue } = props;
  const [rows, setRows] = createStore<{ all: Comment[] }>({ all: [] }), [titles, setTitles] = createSignal(new Map<number, Text[]>());
  const [state, setState] = createSignal<'reading' | 'ready' | 'failed'>('reading'), [more, setMore] = createSignal(false), [busy, setBusy] = createSignal(false);
  const [chosen, setChosen] = createSignal<ReadonlySet<number>>(new Set()), [gone, setGone] = createSignal<ReadonlySet<number>>(new Set()), [fresh, setFresh] = createSignal(0);
  const [asked, setAsked] = createSignal({ id: 0, times: 0 }), [removing, setRemoving] = createSignal<Comment>();
  const after = placeNow();
  let list: HTMLUListElement | undefined, ended = false;
  onCleanup(() => { ended = true; });

  const addTitles = async (found: Comment[]) => {
    const ids = [...new Set(found.map(({ article }) => article.id))].filter((id) => !titles().has(id));
    const read = await readTitles(ids).catch(() => new Map<number, Text[]>());
    if (read.size) setTitles((all) => new Map([...all, ...read]));
  };
  const read = async (after?: number) => {
    try {
      const limit = after === undefined ? Math.min(MOST_READ_AGAIN, Math.max(PAGE, rows.all.length)) : PAGE, found = await readQueue(queue, limit, after);
      await addTitles(found);
      if (ended) return;
      setRows('all', reconcile(after === undefined ? found : [...unwrap(rows.all), ...found]));
      if (after === undefined) setGone(new Set<number>()), setFresh(0), setChosen((all) => new Set([...all].filter((id) => found.some((one) => one.id === id))));
      setMore(found.length === limit);
      setState('ready');
    } catch { if (!rows.all.length) setState('failed'); else tellWrong(say('read_failed')); }
  };
  void read();

  // The list does not move under the pointer: new comments are counted, and those that somebody else has decided about are greyed.
  const look = async () => {
    if (document.hidden || busy() || state() !== 'ready') return;
    try {
      const shown = rows.all, limit = Math.min(MOST_READ_AGAIN, Math.max(PAGE, shown.length)), found = await readQueue(queue, limit);
      if (ended || busy()) return;
      if (!shown.length) return found.length ? await read() : undefined; // nothing moves
      const ids = new Set(found.map(({ id }) => id)), oldest = found.at(-1)?.created_at ?? '', first = shown[0]?.created_at ?? '';
      setFresh(found.filter((one) => !shown.some(({ id }) => id === one.id) && one.created_at >= first).length);
      setGone(new Set(shown.filter((one) => !ids.has(one.id) && (found.length < limit || one.created_at > oldest)).map(({ id }) => id)));
      setChosen((all) => new Set([...all].filter((id) => !gone().has(id))));
      for (const one of found) { const at = shown.findIndex(({ id }) => id === one.id); if (at >= 0 && shown[at]!.contents === one.contents) setRows('all', at, 'is_waiting', one.is_waiting); }
    } catch { /* the next look is soon */ }
  };
  const timer = setInterval(() => void look(), READ_MS), seen = () => void look();
  document.addEventListener('visibilitychange', seen);
  onCleanup(() => { clearInterval(timer); document.removeEventListener('visibilitychange', seen); });
  // A deletion is no event, so the list is also looked at now and then.
  let soon: ReturnType<typeof setTimeout> | undefined;
  const heard = () => { soon ??= setTimeout(() => { soon = undefined; void look(); void readCounts('WAITING', 'SPAM').catch(() => undefined); }, HEARD_MS); };
  createEffect(() => { const channel = inboxChannel()?.replace('v1_inbox', 'v1_comments'); if (channel) follow(channel, heard, { after }); });
  onCleanup(() => clearTimeout(soon));

  const boxes = () => [...list?.querySelectorAll<HTMLInputElement>('.comment-check input:not(:disabled)') ?? []];
  /** The row that has the focus. */
  const current = () => { const at = list?.querySelector('.comment:focus-within .comment-check input'); return rows.all.find(({ id }) => at?.id === `comment-${id}`); };
  const living = () => rows.all.filter(({ id }) => !gone().has(id));
  const choose = (id: number, yes: boolean) => setChosen((all) => { const next = new Set(all); if (yes) next.add(id); else next.delete(id); return next; });

  const decide = async (decision: Decision, wanted: Comment[]) => {
    if (busy() || !wanted.length || !decisionsIn[queue].includes(decision)) return;
    setBusy(true);
    const done: Comment[] = [], left: Comment[] = [], at = rows.all.findIndex(({ id }) => id === wanted[0]!.id), held = list?.contains(document.activeElement) || document.activeElement?.closest('.comment-bulk');
    let rewritten = 0, reason = '';
    await withAll(wanted.map((one) => ({ ...unwrap(one) })), async (one) => {
      try { await (decision === 'publish' ? publish(one) : markSpam(one)); done.push(one); } catch (error) {
        if (error instanceof Rewritten) { rewritten++; left.push(one); setRows('all', ({ id }) => id === one.id, error.now); }
        else if (isGone(error)) setGone((all) => new Set([...all, one.id]));
        else { left.push(one); reason = (error as Error).message; }
      }
    });
    setRows('all', (all) => all.filter((one) => !done.some(({ id }) => id === one.id)));
    setChosen(new Set(wanted.length > 1 ? left.map(({ id }) => id) : [...chosen()].filter((id) => !done.some((one) => one.id === id))));
    setBusy(false);
    if (held) queueMicrotask(() => (boxes()[Math.min(at, boxes().length - 1)] ?? document.getElementById('comments-title'))?.focus());
    const parts = [done.length ? say(decision === 'spam' ? 'done_spam' : queue === 'SPAM' ? 'done_published' : 'done_looked_at', { n: done.length }) : '', rewritten ? say('rewritten', { n: rewritten }) : '',
      reason ? say('failed', { n: left.length - rewritten, reason }) : ''].filter(Boolean).join(' ');
    // A confirmed comment was published before, so there is nothing to take back.
    const undo = async () => { await withAll(done, (one) => decision === 'spam' ? call('PUT', `${pathOf(one)}/publish`) : markSpam(one)); await Promise.all([read(), readCounts('WAITING', 'SPAM')]); };
    if (!done.length && parts) tellWrong(parts); else if (parts) tell(parts, done.length && (decision === 'spam' || queue === 'SPAM') ? undo : undefined);
    await readCounts('WAITING', 'SPAM').catch(() => undefined);
    if (!rows.all.length || (more() && rows.all.length < PAGE / 2)) await read();
  };
  const picked = () => { const some = living().filter(({ id }) => chosen().has(id)), one = current(); return some.length ? some : one && !gone().has(one.id) ? [one] : []; };

  const step = (by: number) => { const all = boxes(), at = all.findIndex((box) => box.closest('.comment')!.contains(document.activeElement)); (all[Math.min(Math.max(at + by, 0), all.length - 1)])?.focus(); };
  const onKey = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]') || target.closest('textarea, input:not([type=checkbox]), select, [role=menu]')) return;
    const plain = !event.ctrlKey && !event.metaKey, letters = keysOn();
    if ((event.ctrlKey || event.metaKey) && event.key === 'a' && list?.contains(target)) setChosen(new Set(living().map(({ id }) => id)));
    else if (plain && (event.key === 'ArrowDown' || (letters && event.key === 'j'))) step(1);
    else if (plain && (event.key === 'ArrowUp' || (letters && event.key === 'k'))) step(-1);
    else if (plain && letters && event.key === 'x' && current()) choose(current()!.id, !chosen().has(current()!.id));
    else if (plain && letters && event.key === 'p') void decide('publish', picked());
    else if (plain && letters && event.key === 's') void decide('spam', picked());
    else if (plain && letters && event.key === 'r' && current()) setAsked({ id: current()!.id, times: asked().times + 1 });
    else return;
    event.preventDefault();
  };
  onMount(() => document.addEventListener('keydown', onKey, { capture: true }));
  onCleanup(() => document.removeEventListener('keydown', onKey, { capture: true }));

  const remove = async () => {
    const one = removing()!;
    await call('DELETE', pathOf(one));
    setRemoving(undefined);
    tell(say('deleted'));
    await read();
  };
  const all = () => living().length > 0 && living().every(({ id }) => chosen().has(id));
  return (
    <>
      <Show when={fresh()}><button type="button" class="fresh comment-fresh" onClick={() => void read().then(() => boxes()[0]?.focus())}>{say('fresh', { n: fresh() })}</button></Show>
      <Show when={state() === 'failed'}><p class="wrong" role="alert">{say('read_failed')} <button type="button" onClick={() => void read()}>{sayOfAll('retry')}</button></p></Show>
      <Show when={state() === 'ready' && !rows.all.length}><div class="empty"><p>{say(NONE[queue][0])}</p><p>{say(NONE[queue][1])}</p></div></Show>
      <Show when={rows.all.length}>
        <div class="comment-bulk" role="group" aria-label={say('select_all')}>
          <label class="comment-check"><input type="checkbox" aria-label={say('select_all')} checked={all()} ref={(box) => createEffect(() => { box.indeterminate = chosen().size > 0 && !all(); })} onChange={(event) => setChosen(new Set(event.currentTarget.checked ? living().map(({ id }) => id) : []))} /></label>
          <Show when={chosen().size} fallback={<><span class="soft comment-keys">{say('keys')}</span><span class="soft comment-all" aria-hidden="true">{say('select_all')}</span></>}>
            <b role="status">{say('chosen', { n: chosen().size })}</b>
            <For each={decisionsIn[queue]}>{(decision) => <button type="button" classList={{ danger: decision === 'spam' }} disabled={busy()} onClick={() => void decide(decision, picked())}>{say(decisionWord(queue, decision))}</button>}</For>
            <button type="button" onClick={() => setChosen(new Set<number>())}>{say('choose_none')}</button>
          </Show>
        </div>
        <ul ref={list} class="comments" aria-busy={busy()}>
          <For each={rows.all}>
            {(one) => <Row one={one} queue={queue} title={titles().get(one.article.id)} gone={gone().has(one.id)} chosen={chosen().has(one.id)} choose={(yes) => choose(one.id, yes)} decide={(decision) => void decide(decision, [one])}
              asked={asked().id === one.id ? asked().times : 0} changed={() => void read()} remove={() => setRemoving(one)} />}
          </For>
        </ul>
        <Show when={more()}><button type="button" class="comment-more" onClick={() => void read(rows.all.at(-1)!.id)}>{say('more')}</button></Show>
      </Show>
      <Question open={removing() !== undefined} title={say('delete_title')} lines={[say('delete_replies')]} run={remove} close={() => setRemoving(undefined)} />
    </>
  );
};

export const Comments = () => {
  let heading!: HTMLHeadingElement;
  const queue = createMemo(() => QUEUES.find((one) => one === place().query.get('filter')) ?? 'WAITING');
  onMount(() => { document.title = `${say('comments')} · deskd`; heading.focus(); void readCounts('WAITING', 'SPAM').catch(() => undefined); });
  return (
    <section class="help-one region" aria-labelledby="comments-title" tabindex="-1" data-region>
      <a class="button narrow" href={href('/help-center')}>{sayOfHelp('to_tree')}</a>
      <h1 ref={heading} id="comments-title" tabindex="-1">{say('comments')}</h1>
      <nav class="comment-queues" aria-label={say('queues')}>
        <For each={QUEUES}>{(one) => <a href={href(one === 'WAITING' ? BASE : `${BASE}?filter=${one}`)} aria-current={one === queue() ? 'page' : undefined}>{say(WORDS[one])}<Show when={counts()[one] !== undefined}> <span class="count">{numberText(counts()[one]!)}</span></Show></a>}</For>
      </nav>
      <Show when={queue()} keyed>{(one) => <List queue={one} />}</Show>
    </section>
  );
};
