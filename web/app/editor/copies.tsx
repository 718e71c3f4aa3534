// By which channel a reply goes, to whom, and who gets a copy.
import { createEffect, For, on, Show, Suspense } from 'solid-js';
import { get } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { keepReply, rowOf } from '../../kit/store';
import { say, type Word } from '../../kit/words';
import type { Case } from '../conversation/data';

const Cc = lazy(async () => ({ default: (await import('./cc')).Cc }));

export interface ReplyChannel { id: string; type: string; mailbox?: string }

/** Channels whose messages are plain text. */
const PLAIN = new Set(['MESSENGER', 'TWITTER', 'FACEBOOK']);
export const isPlain = (channel: ReplyChannel | undefined) => !!channel && PLAIN.has(channel.type);

/** The channels of a conversation for replies of this person. */
export const channelsOf = (row: Case | undefined): ReplyChannel[] =>
  ((row?.reply_channels ?? []) as unknown as { uuid: string; type: string; account: { id: number } | null }[]).filter(({ type }) => type !== 'NOTE')
    .map(({ uuid, type, account }) => ({ id: uuid, type, ...(account ? { mailbox: String((rowOf('mailbox', account) as { address?: string } | undefined)?.address ?? '') } : {}) }));

/** The channel of the conversation itself, if a reply can go by it. */
export const usualChannel = (row: Case | undefined, channels: ReplyChannel[]): ReplyChannel | undefined => {
  const source = (row?.source_channel as unknown as { type: string } | null)?.type;
  return channels.find(({ type }) => type === source) ?? channels.find(({ type }) => type === 'HELPCENTER') ?? channels[0];
};

const CHANNELS: Record<string, Word> = { MAIL: 'channel_mail', HELPCENTER: 'channel_helpcenter', MESSENGER: 'channel_messenger', TWITTER: 'channel_twitter', FACEBOOK: 'channel_facebook' };

interface Props {
  caseId: number;
  name: string;
  requester: number | undefined;
  /** Somebody writes. */
  active: boolean;
  channels: ReplyChannel[];
  channel: ReplyChannel | undefined;
  onChannel: (channel: ReplyChannel) => void;
  cc: string[];
  onCc: (addresses: string[]) => void;
  all: number;
  ref: (settle: () => string | undefined) => void;
}

export const Copies = (props: Props) => {
  const isMail = () => props.channel?.type === 'MAIL';
  // A conversation that is only read costs no request for it.
  createEffect(on(() => props.active && isMail() && props.requester, (id) => {
    if (id) void get(`/users/${id}`, { fields: 'full_name,emails', include: 'identity_email', _flat: true }).then(keepReply, () => undefined);
  }));
  const address = () => {
    const all = ((rowOf('user', props.requester) as { emails?: { id: number }[] } | undefined)?.emails ?? []).map((ref) => rowOf('identity_email', ref));
    return (all.find((one) => one?.is_primary) ?? all[0])?.email ?? '';
  };
  const mailboxes = () => props.channels.filter(({ type }) => type === 'MAIL').length;
  const label = (channel: ReplyChannel) => say(CHANNELS[channel.type] ?? 'channel') + (mailboxes() > 1 && channel.mailbox ? ` · ${channel.mailbox}` : '');
  return (
    <div class="copies">
      <Show when={props.channels.length > 1} fallback={<Show when={props.channel}>{(channel) => <span class="soft">{label(channel())}</span>}</Show>}>
        <select aria-label={say('channel')} onChange={(event) => { const chosen = props.channels[event.currentTarget.selectedIndex]; if (chosen) props.onChannel(chosen); }}>
          <For each={props.channels}>{(channel) => <option selected={channel.id === props.channel?.id}>{label(channel)}</option>}</For>
        </select>
      </Show>
      <span class="to"><span class="soft">{say('mail_to')}</span> <bdi>{props.name}</bdi> <Show when={isMail() && address()}><bdi class="soft">{address()}</bdi></Show></span>
      <Show when={isMail()}>
        <Suspense><Cc caseId={props.caseId} to={address()} own={props.channels.map(({ mailbox }) => mailbox ?? '')} active={props.active} all={props.all} cc={props.cc} onCc={props.onCc} ref={props.ref} /></Suspense>
      </Show>
    </div>
  );
};
