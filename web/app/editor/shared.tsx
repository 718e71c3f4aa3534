// Drafts that are shared: those of colleagues, with a way to go on with them; and the own one of a forward. Loaded when there is one.
import { For, Show } from 'solid-js';
import { call } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { tellWrong } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { forward, type Conversation } from '../conversation/data';
import { isBegun } from '../conversation/forward_begun';
import { ready as forwardReady, say as sayForward } from '../conversation/forward_words';
import { channelOf, contentOf, type Channel, type Draft, type SharedDraft } from './draft';
import { asText } from './html';
import { ready, say } from './shared_words';

interface Props {
  conversation: Conversation;
  rows: SharedDraft[];
  drafts: Record<Channel, Draft>;
  /** The draft that the editor shows. */
  own: Draft;
  /** The drafts of the server have changed. */
  reread: () => void;
  /** The draft of a colleague is in the editor. */
  onTaken: (channel: Channel) => void;
}

const Shared = (props: Props) => {
  const attempt = async (work: Promise<unknown>) => { try { await work; return true; } catch (error) { tellWrong(sayCommon('not_changed', { reason: (error as Error).message })); return false; } };
  const take = async (row: SharedDraft) => {
    const channel = channelOf(row);
    await props.drafts[channel].saved(); // an own text that was just deleted would be in the way
    const done = await attempt(call('PUT', `/cases/${props.conversation.id}/drafts/${row.id}/take`));
    props.reread();
    if (done && await attempt(props.drafts[channel].readServer())) props.onTaken(channel);
  };
  const begun = () => isBegun(props.conversation.id) ?? props.rows.some(({ channel }) => channel === 'FORWARD');
  return (
    <ul class="laters">
      <Show when={props.own.isShared()}>
        <li class="notice"><p>{say('own')} <button type="button" class="link" onClick={() => void attempt(props.own.share(false))}>{say('stop')}</button></p></li>
      </Show>
      <Show when={begun()}>
        <li class="notice"><p>{sayForward('begun')} <button type="button" onClick={() => forward(props.conversation)}>{sayForward('go_on')}</button></p></li>
      </Show>
      <For each={props.rows.filter((row) => row.channel !== 'FORWARD')}>
        {(row) => (
          <li class="notice">
            <p><b><bdi>{say(channelOf(row) === 'note' ? 'shares_note' : 'shares_reply', { name: rowOf('user', row.user)?.full_name ?? '' })}</bdi></b></p>
            <p class="later-text" dir="auto">{asText(contentOf(row).text)}</p>
            <Show when={!props.drafts[channelOf(row)].filled()} fallback={<p class="soft">{say('in_the_way')}</p>}>
              <p><button type="button" onClick={() => void take(row)}>{say('take')}</button></p>
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
};

export const loadShared = async () => { await Promise.all([ready(), forwardReady()]); return { default: Shared }; };
