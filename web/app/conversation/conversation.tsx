// An open conversation: header, timeline, editor, and the properties beside it.
import { createEffect, createMemo, For, lazy, Match, on, onMount, Show, Suspense, Switch } from 'solid-js';
import { useKeys } from '../../kit/keys';
import { rowOf } from '../../kit/store';
import { tellWrong, tell } from '../../kit/strip';
import { say } from '../../kit/words';
import { call } from '../../kit/api';
import { statuses } from '../frame/catalog';
import { detailsOpen, setDetailsOpen } from '../frame/look';
import { createConversation } from './data';
import { Details } from './details';
import { PostItem } from './post';

const Editor = lazy(async () => ({ default: (await import('../editor/editor')).Editor }));

export const ConversationView = (props: { id: number; onBack: () => void; onNext: () => void }) => {
  const c = createConversation(props.id);
  let timeline!: HTMLDivElement, heading!: HTMLHeadingElement;
  onMount(() => void c.begin());
  const name = createMemo(() => rowOf('user', c.row()?.requester as { id: number } | null)?.full_name ?? '');
  createEffect(on(() => c.state() === 'shown' && c.row()?.realtime_channel, (topic) => { if (topic) c.listen(); }));
  createEffect(on(() => [c.state(), c.newest()], () => queueMicrotask(() => { if (timeline) timeline.scrollTop = timeline.scrollHeight; })));
  createEffect(() => { if (c.row()?.subject) document.title = `${c.row()!.subject} · deskd`; });

  const complete = async () => {
    const status = statuses().find(({ type }) => type === 'COMPLETED');
    if (!status) return;
    await c.update({ status: { id: status.id, resource_type: 'case_status' } }, { status_id: status.id }, say('status'));
    props.onNext();
  };
  const trash = async () => {
    try {
      await call('PUT', `/cases/${c.id}/trash`);
      tell(say('trashed'), async () => { await call('PUT', `/cases/${c.id}/restore`); });
      props.onNext();
    } catch (error) { tellWrong(say('not_changed', { reason: (error as Error).message })); }
  };
  useKeys([
    { key: 'Escape', word: 'key_list', run: props.onBack },
    { key: 'e', word: 'key_complete', run: () => void complete() },
    { key: ']', word: 'key_details', run: () => setDetailsOpen(!detailsOpen()) },
    { key: '#', word: 'key_trash', run: () => void trash() },
  ]);
  const writing = () => c.others().filter((o) => o.is_typing || o.is_updating);
  const looking = () => c.others().filter((o) => !o.is_typing && !o.is_updating);
  const names = (list: { user: { full_name: string } }[]) => new Intl.ListFormat(document.documentElement.lang).format(list.map((o) => o.user.full_name));

  return (
    <>
      <section class="conversation region" aria-labelledby="case-title" tabindex="-1" data-region>
        <Switch>
          <Match when={c.state() === 'gone' || c.state() === 'failed'}>
            <div class="empty"><p>{say(c.state() === 'gone' ? 'gone' : 'unreachable')}</p><button type="button" onClick={props.onBack}>{say('back')}</button></div>
          </Match>
          <Match when={true}>
            <header class="case-head">
              <div class="case-tools narrow">
                <button type="button" class="back" onClick={props.onBack}>{say('back')}</button>
                <button type="button" aria-expanded={detailsOpen()} aria-controls="details" onClick={() => setDetailsOpen(!detailsOpen())}>{say('details')}</button>
              </div>
              <h2 id="case-title" ref={heading} tabindex="-1" dir="auto">{c.row()?.subject || say('no_subject')}</h2>
              <p class="presence" role="status">
                <Show when={writing().length}>{say('is_writing', { names: names(writing()), n: writing().length })}</Show>
                <Show when={!writing().length && looking().length}>{say('is_looking', { names: names(looking()), n: looking().length })}</Show>
              </p>
            </header>
            <div class="timeline" ref={timeline} tabindex="0" role="region" aria-label={say('posts')}>
              <Show when={c.olderAfter() !== undefined}><button type="button" class="older" onClick={() => void c.older()}>{say('older')}</button></Show>
              <ol class="posts" aria-label={say('posts')} aria-busy={c.state() === 'reading'}>
                <For each={c.posts()}>{(id) => <PostItem id={id} />}</For>
              </ol>
            </div>
            <Suspense fallback={<div class="editor" />}><Editor conversation={c} name={name()} onDone={props.onNext} /></Suspense>
          </Match>
        </Switch>
      </section>
      <Details conversation={c} />
    </>
  );
};
