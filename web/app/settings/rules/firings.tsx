// When a rule fired, on which conversation, and what it did: the newest first.
import { createSignal, For, Show } from 'solid-js';
import { get, rowsOf, type Ref, type Row } from '../../../kit/api';
import { href } from '../../../kit/route';
import { keepReply, rowOf } from '../../../kit/store';
import { tellWrong } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { firingTexts, type Action } from '../../conversation/activity';
import { activityWordsReady } from '../../conversation/activity_words';
import { Part } from '../page';
import { say, type SettingsWord } from '../words';
import { seenText } from './rules';

type Firing = Row & { object: Ref; cause: { channel: string | null; event: string | null }; actions: Action[]; created_at: string };
const PAGE = 20;

export const Firings = (props: { path: string; empty: SettingsWord }) => {
  const [list, setList] = createSignal<Firing[]>(), [isMore, setMore] = createSignal(false), [busy, setBusy] = createSignal(false);
  const read = async (offset: number) => {
    setBusy(true);
    try {
      const [reply] = await Promise.all([get(`${props.path}/firings`, { limit: PAGE, offset, include: 'case', _flat: true }), activityWordsReady()]), known = offset ? list() ?? [] : [];
      keepReply(reply);
      // The rule may have fired since the first page was read: then its last rows come again.
      setList([...known, ...(rowsOf(reply) as Firing[]).filter(({ id }) => !known.some((one) => one.id === id))]);
      setMore(reply.next_url !== undefined && reply.next_url !== null);
    } catch (error) { tellWrong((error as Error).message); } finally { setBusy(false); }
  };
  void read(0);
  return (
    <Part title="firings" why="firings_why">
      <Show when={list()?.length === 0}><p class="soft">{say(props.empty)}</p></Show>
      <ol class="plain-rows">
        <For each={list()}>
          {({ object, cause, actions, created_at }) => {
            const texts = () => firingTexts(actions);
            return (
              <li>
                <span class="plain-text">
                  <a href={href(`/cases/${object.id}`)} dir="auto">{`#${object.id} ${rowOf('case', object)?.subject ?? ''}`}</a>
                  <span dir="auto">{texts().done || (texts().refused.length ? '' : say('firing_nothing'))}</span>
                  <For each={texts().refused}>{(reason) => <span class="warning" dir="auto">{say('firing_refused', { reason })}</span>}</For>
                  <span class="soft"><time datetime={created_at} title={fullTime(created_at)}>{shortTime(created_at)}</time>{seenText(cause.channel, cause.event) && ` · ${seenText(cause.channel, cause.event)}`}</span>
                </span>
              </li>
            );
          }}
        </For>
      </ol>
      <div class="settings-foot">
        <Show when={isMore()}><button type="button" disabled={busy()} onClick={() => void read(list()?.length ?? 0)}>{say('more')}</button></Show>
        <Show when={list()}><button type="button" disabled={busy()} onClick={() => void read(0)}>{say('firings_again')}</button></Show>
      </div>
    </Part>
  );
};
