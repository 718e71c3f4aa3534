// Replies of the conversation that are sent at a time, or that could not be sent then. Loaded when there is one.
import { For, Show } from 'solid-js';
import { call, type Ref, type Row } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, say as sayCommon, shortTime } from '../../kit/words';
import type { Conversation } from '../conversation/data';
import { isAdmin } from '../session/rank';
import { me } from '../session/session';
import { chooseLater, ready } from '../snooze/snooze';
import { say } from '../snooze/words';
import type { Content } from './draft';

interface Scheduled { id: number; creator: Ref | null; send_at: string; is_note: boolean; content_text: string; refused_at: string | null; refusal: { message: string } | null; parameters: Parameters }
interface Parameters { contents?: string; html?: boolean; channel_options?: { html?: boolean; cc?: string[] }; attachment_file_ids?: number[]; [name: string]: unknown }

export const loadLater = async () => { await ready(); return { default: Later }; };

/** `onTake` puts a text into the editor; `reread` reads the replies again. */
const Later = (props: { conversation: Conversation; rows: Row[]; reread: () => void; onTake: (content: Content, isNote: boolean) => void }) => {
  const path = `/cases/${props.conversation.id}/scheduled_replies`, rows = () => props.rows as unknown as Scheduled[];
  const name = (one: Scheduled) => rowOf('user', one.creator)?.full_name ?? '';
  const contentOf = ({ parameters, content_text }: Scheduled): Content => {
    const html = parameters.channel_options?.html === true || parameters['is_html'] === true;
    return { text: { contents: html ? parameters.contents ?? '' : content_text, html }, files: parameters.attachment_file_ids ?? [], cc: parameters.channel_options?.cc ?? [] } as Content;
  };
  const done = async (work: Promise<unknown>) => { try { await work; return true; } catch (error) { tellWrong(sayCommon('not_changed', { reason: (error as Error).message })); return false; } finally { props.reread(); } };
  const drop = (one: Scheduled) => done(call('DELETE', `${path}/${one.id}`));
  const edit = async (one: Scheduled) => { if (await drop(one)) props.onTake(contentOf(one), one.is_note); };
  const cancel = async (one: Scheduled) => {
    if (await drop(one)) tell(say('later_cancelled'), one.refused_at || !isMine(one) ? undefined : async () => { await call('POST', `/cases/${props.conversation.id}/reply`, { body: { ...one.parameters, send_at: one.send_at, client_id: undefined } }); props.reread(); });
  };
  const move = (one: Scheduled) => chooseLater((send_at) => void done(call('PUT', `${path}/${one.id}`, { body: { send_at } })).then((moved) => { if (moved) tell(say('later_set', { time: fullTime(send_at) })); }));
  const isMine = (one: Scheduled) => one.creator?.id === me()?.id;
  return (
    <ul class="laters">
      <For each={rows()}>
        {(one) => (
          <li classList={{ notice: true, warning: !!one.refused_at }}>
            <p><b><bdi>{one.refused_at ? say('later_refused', { name: name(one), reason: one.refusal?.message ?? '' }) : say('later_waits', { name: name(one), time: `${fullTime(one.send_at)} (${shortTime(one.send_at)})` })}</bdi></b></p>
            <p class="later-text" dir="auto">{one.content_text}</p>
            <p>
              <Show when={isMine(one)}><button type="button" onClick={() => void edit(one)}>{say('later_edit')}</button> <button type="button" onClick={() => move(one)}>{say('later_move')}</button> </Show>
              <Show when={isMine(one) || isAdmin()}><button type="button" onClick={() => void cancel(one)}>{say('later_cancel')}</button></Show>
            </p>
          </li>
        )}
      </For>
    </ul>
  );
};
