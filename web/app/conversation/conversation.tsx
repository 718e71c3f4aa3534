// An open conversation: header, timeline, editor, and the properties beside it.
import { createEffect, createMemo, Match, on, onCleanup, onMount, Show, Suspense, Switch } from 'solid-js';
import { takeTyped, typeAhead, useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { rowOf } from '../../kit/store';
import { say } from '../../kit/words';
import { statuses } from '../frame/catalog';
import { detailsOpen, setDetailsOpen } from '../frame/drawers';
import { createConversation, type RefTo } from './data';
import { Details, type Property } from './details';
import { Head } from './head';
import { Timeline } from './timeline';

export const loadEditor = () => import('../editor/editor');
const Editor = lazy(async () => ({ default: (await loadEditor()).Editor }));

/** Until the editor is loaded: its keys are heard, and what is typed behind them is for its text. */
const Coming = (props: { asked: (key: string) => void }) => {
  const ask = (key: string) => () => { props.asked(key); typeAhead(); };
  useKeys([{ key: 'r', word: 'key_reply', run: ask('r') }, { key: 'R', word: 'key_reply_all', run: ask('R') }, { key: 'n', word: 'key_note', run: ask('n') }]);
  onCleanup(() => setTimeout(takeTyped)); // the editor has taken it, or does not come
  return <div class="editor" />;
};

export const ConversationView = (props: { id: number; onBack: () => void; onNext: () => void }) => {
  const c = createConversation(props.id);
  let asked = '';
  let focusProperty: (property: Property) => void = () => undefined;
  onMount(() => void c.begin());
  const name = createMemo(() => rowOf('user', c.row()?.requester as RefTo)?.full_name ?? '');
  createEffect(on(() => c.state() === 'shown' && c.row()?.realtime_channel, (topic) => { if (topic) c.listen(); }));
  createEffect(() => { if (c.row()?.subject) document.title = `${c.row()!.subject!.slice(0, 200)} · deskd`; });

  const complete = async () => {
    const status = statuses().find(({ type }) => type === 'COMPLETED');
    if (!status) return;
    if (await c.update({ status: { id: status.id, resource_type: 'case_status' } }, { status_id: status.id }, say('status'))) props.onNext();
  };
  useKeys([
    { key: 'Escape', word: 'key_list', run: props.onBack },
    { key: 'e', word: 'key_complete', run: () => void complete() },
    { key: ']', word: 'key_details', run: () => setDetailsOpen(!detailsOpen()) },
  ]);

  return (
    <>
      <section class="conversation region" aria-labelledby="case-title" tabindex="-1" data-region>
        <Switch>
          <Match when={c.state() === 'gone' || c.state() === 'failed'}>
            <div class="empty"><h2 id="case-title">{say(c.state() === 'gone' ? 'gone' : 'unreachable')}</h2>
              <p><button type="button" onClick={props.onBack}>{say('back')}</button> {c.state() === 'failed' && <button type="button" class="main" onClick={() => void c.begin()}>{say('retry')}</button>}</p>
            </div>
          </Match>
          <Match when={true}>
            <Head conversation={c} onBack={props.onBack} onNext={props.onNext} detailsOpen={detailsOpen()} onDetails={() => setDetailsOpen(!detailsOpen())} onProperty={(property) => focusProperty(property)} />
            <Timeline conversation={c} />
            <Suspense fallback={<Coming asked={(key) => { asked = key; }} />}><Editor conversation={c} name={name()} begun={() => asked} onDone={props.onNext} /></Suspense>
          </Match>
        </Switch>
      </section>
      <Suspense fallback={<aside class="details" />}><Show when={!['gone', 'failed'].includes(c.state())}><Details conversation={c} ref={(focus) => { focusProperty = focus; }} /></Show></Suspense>
    </>
  );
};
