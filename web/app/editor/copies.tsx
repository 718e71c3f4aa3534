// By which channel a reply goes, to whom, and who gets a copy.
import { createEffect, createSignal, For, on, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { keepReply, rowOf } from '../../kit/store';
import { say, type Word } from '../../kit/words';
import type { Case } from '../conversation/data';

export interface ReplyChannel { id: string; type: string; mailbox?: string }

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/, ADDRESSES = /[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+/g;
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

const findAddresses = async (text: string): Promise<Option[]> => {
  const reply = await get('/autocomplete/emails', { address: text, limit: 8, include: 'identity_email,user_minimal', _flat: true });
  const found = rowsOf(reply).map((row) => {
    const { identity, parent } = row as unknown as { identity: { id: number }; parent: { id: number } | null };
    return { id: String(reply.resources?.['identity_email']?.[identity.id]?.['email'] ?? ''), label: String(reply.resources?.['identity_email']?.[identity.id]?.['email'] ?? ''), more: String(reply.resources?.['user_minimal']?.[parent?.id ?? 0]?.['full_name'] ?? '') };
  });
  return ADDRESS.test(text) && !found.some(({ id }) => id === text.toLowerCase()) ? [...found, { id: text, label: text }] : found;
};

const CHANNELS: Record<string, Word> = { MAIL: 'channel_mail', HELPCENTER: 'channel_helpcenter', MESSENGER: 'channel_messenger', TWITTER: 'channel_twitter', FACEBOOK: 'channel_facebook' };

interface Props {
  name: string;
  requester: number | undefined;
  /** Somebody writes. */
  active: boolean;
  channels: ReplyChannel[];
  channel: ReplyChannel | undefined;
  onChannel: (channel: ReplyChannel) => void;
  cc: string[];
  onCc: (addresses: string[]) => void;
}

export const Copies = (props: Props) => {
  const [open, setOpen] = createSignal(false);
  let input!: HTMLInputElement;
  const isMail = () => props.channel?.type === 'MAIL', isOpen = () => isMail() && (open() || props.cc.length > 0);
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
  const add = (addresses: string[]) => {
    const known = new Set([...props.cc, address()].map((one) => one.toLowerCase()));
    props.onCc([...props.cc, ...addresses.filter((one) => !known.has(one.toLowerCase()) && known.add(one.toLowerCase()))]);
  };
  return (
    <div class="copies">
      <Show when={props.channels.length > 1} fallback={<Show when={props.channel}>{(channel) => <span class="soft">{label(channel())}</span>}</Show>}>
        <select aria-label={say('channel')} onChange={(event) => { const chosen = props.channels[event.currentTarget.selectedIndex]; if (chosen) props.onChannel(chosen); }}>
          <For each={props.channels}>{(channel) => <option selected={channel.id === props.channel?.id}>{label(channel)}</option>}</For>
        </select>
      </Show>
      <span class="to"><span class="soft">{say('mail_to')}</span> <bdi>{props.name}</bdi> <Show when={isMail() && address()}><bdi class="soft">{address()}</bdi></Show></span>
      <Show when={isMail()}>
        <Show when={isOpen()} fallback={<button type="button" class="link" onClick={() => { setOpen(true); queueMicrotask(() => input.focus()); }}>{say('mail_cc')}</button>}>
          <span class="cc" role="group" aria-label={say('mail_cc')}>
            <span class="soft">{say('mail_cc')}</span>
            <For each={props.cc}>{(address) => <span class="tag"><bdi>{address}</bdi> <button type="button" aria-label={say('remove_copy', { address })} onClick={() => { props.onCc(props.cc.filter((one) => one !== address)); input.focus(); }}>×</button></span>}</For>
            <span onPaste={(event) => { const found = event.clipboardData?.getData('text/plain').match(ADDRESSES) ?? []; if (found.length > 1) { event.preventDefault(); add(found); } }}>
              <Combobox label={say('add_copy')} placeholder={say('add_copy')} find={findAddresses} onChoose={({ id }) => { add([String(id)]); input.value = ''; }} ref={(element) => { input = element; }} />
            </span>
          </span>
        </Show>
      </Show>
    </div>
  );
};
