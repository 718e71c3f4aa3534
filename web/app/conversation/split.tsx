// Moves posts of a conversation into a new one: which posts, its subject, and who asks there if another person wrote the first of them.
import { createMemo, createResource, createSignal, createUniqueId, For, onCleanup, onMount, Show } from 'solid-js';
import { call, get } from '../../kit/api';
import { keyText } from '../../kit/keys';
import { createRead } from '../../kit/read';
import { forget, keepReply, rowOf } from '../../kit/store';
import { tell } from '../../kit/strip';
import { say as sayOfAll, shortTime } from '../../kit/words';
import type { Conversation, RefTo } from './data';
import { kindOf, postOf, POST_FIELDS } from './posts';
import { say } from './split_words';

const POSTS_MOST = 100; // of one request

export const Split = (props: { conversation: Conversation; first: number | undefined; onClose: () => void; onSplit: (made: number) => void }) => {
  const c = props.conversation, title = createUniqueId();
  const [chosen, setChosen] = createSignal<ReadonlySet<number>>(new Set(props.first ? [props.first] : []));
  const [subject, setSubject] = createSignal(''), [byAuthor, setByAuthor] = createSignal(false), [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  let dialog!: HTMLDialogElement, field!: HTMLInputElement;
  onMount(() => { dialog.showModal(); field.focus(); });
  const [posts] = createResource(async () =>
    keepReply(await get(`/cases/${c.id}/posts`, { fields: POST_FIELDS.join(','), include: 'user_minimal', filters: 'MESSAGES,NOTES', limit: POSTS_MOST, _flat: true })).reverse());
  onCleanup(() => forget('post', (posts.latest ?? []).filter((id) => !c.posts().includes(id))));

  const choose = (id: number, on: boolean) => { const all = new Set(chosen()); if (on) all.add(id); else all.delete(id); setChosen(all); setWrong(undefined); };
  const name = (id: number | undefined) => (id ? rowOf('user', id)?.full_name : undefined) ?? '';
  const requester = () => (c.row()?.requester as RefTo)?.id;
  const authorOf = (id: number) => (postOf(id)?.creator as RefTo)?.id;
  const firstMessage = createMemo(() => (posts() ?? []).find((id) => chosen().has(id) && kindOf(postOf(id)) === 'message'));
  /** A customer who wrote the first message, and is not the requester. */
  const [author] = createRead(() => { const id = firstMessage() && authorOf(firstMessage()!); return id && id !== requester() ? id : undefined; }, async (id) => {
    keepReply(await get(`/users/${id}`, { fields: 'full_name,role', include: 'role', _flat: true }));
    return (rowOf('role', rowOf('user', id)?.role as RefTo) as { type?: string } | undefined)?.type === 'CUSTOMER' ? id : undefined;
  });
  const other = () => firstMessage() && author();
  const differs = () => byAuthor() && (posts() ?? []).some((id) => chosen().has(id) && kindOf(postOf(id)) === 'message' && authorOf(id) !== other());
  const complete = () => chosen().size > 0 && subject().trim() !== '' && !busy();

  const split = async () => {
    setBusy(true);
    setWrong(undefined);
    try {
      const body = { post_ids: [...chosen()], subject: subject().trim(), ...(other() && byAuthor() ? { requester_id: other(), force: differs() } : {}) };
      const [made] = keepReply(await call('POST', `/cases/${c.id}/split`, { body, query: { fields: 'subject' } }));
      tell(say('split_done', { to: `#${made}` }));
      dialog.close();
      props.onSplit(made!);
    } catch (error) { setWrong(sayOfAll('not_changed', { reason: (error as Error).message })); } finally { setBusy(false); }
  };

  return (
    <dialog ref={dialog} class="card merge" aria-labelledby={title} onClose={props.onClose}
      onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && complete()) { event.preventDefault(); void split(); } }}>
      <h2 id={title}>{say('split_title')}</h2>
      <p class="soft">{say('split_what')}</p>
      <form class="form" onSubmit={(event) => { event.preventDefault(); if (complete()) void split(); }}>
        <label>{say('split_subject')} <input ref={field} value={subject()} maxLength={255} required dir="auto" onInput={(event) => setSubject(event.currentTarget.value)} /></label>
      </form>
      <fieldset class="merge-ways split-posts" tabindex="0" aria-busy={posts.loading}>
        <legend>{say('split_posts')}</legend>
        <Show when={(posts()?.length ?? 0) >= POSTS_MOST}><p class="soft">{say('split_older')}</p></Show>
        <For each={posts()}>
          {(id) => (
            <label><input type="checkbox" checked={chosen().has(id)} onChange={(event) => choose(id, event.currentTarget.checked)} />
              <span><b><span dir="auto">{name(authorOf(id)) || sayOfAll('server')}</span> <Show when={kindOf(postOf(id)) === 'note'}><span class="tag">{sayOfAll('note')}</span></Show></b>
                <span class="soft">{shortTime(postOf(id)?.created_at ?? new Date().toISOString())}</span> <span class="split-text" dir="auto">{postOf(id)?.contents}</span></span>
            </label>
          )}
        </For>
      </fieldset>
      <Show when={posts.error}><p class="wrong" role="alert">{sayOfAll('posts_failed')}</p></Show>
      <Show when={other()}>
        {(person) => (
          <fieldset class="merge-ways">
            <legend>{say('split_who')}</legend>
            <For each={[false, true]}>
              {(way) => <label><input type="radio" name="requester" checked={byAuthor() === way} onChange={() => setByAuthor(way)} /> <span dir="auto">{name(way ? person() : requester())}</span></label>}
            </For>
            <Show when={differs()}><p class="notice warning">{say('split_differs', { name: name(person()) })}</p></Show>
          </fieldset>
        )}
      </Show>
      <Show when={wrong()}><p class="wrong" role="alert">{wrong()}</p></Show>
      <p class="dialog-foot">
        <button type="button" class="main" title={keyText('Ctrl+Enter')} disabled={!complete()} onClick={() => void split()}>{chosen().size ? say('split_do', { n: chosen().size }) : say('split_choose')}</button>
        <button type="button" onClick={() => dialog.close()}>{sayOfAll('cancel')}</button>
      </p>
    </dialog>
  );
};
