// Realtime by Phoenix channels, and by Server-Sent Events where a proxy breaks WebSockets. Both give the same events.
import { Presence, Socket, type Channel } from 'phoenix';
import { createSignal, onCleanup } from 'solid-js';
import { prefix } from './api';
import { markAllStale, markStale } from './store';

export interface Change { resource_type: string; resource_id: number; changed_properties: Record<string, unknown>; cursor?: string }
export interface Meta { is_typing?: boolean; is_viewing?: boolean; is_updating?: boolean; is_foreground?: boolean; user: { id: number; full_name: string } }
type Heard = (event: string, payload: Change) => void;

const [connected, setConnected] = createSignal(true);
export { connected };

/** A broken connection is shown after this time, because most come back before. */
const QUIET_MS = 5000;
let socket: Socket | undefined, silence: ReturnType<typeof setTimeout> | undefined;

export const connectLive = () => {
  if (socket) return;
  socket = new Socket(`${location.origin.replace(/^http/, 'ws')}${prefix}/socket`, { vsn: '2.0.0', reconnectAfterMs: (tries: number) => Math.min(250 * 2 ** tries, 5000) * (0.5 + Math.random()) });
  socket.onOpen(() => {
    clearTimeout(silence);
    silence = undefined;
    setConnected(true);
  });
  const lost = () => { silence ??= setTimeout(() => setConnected(false), QUIET_MS); };
  socket.onClose(lost);
  socket.onError(lost);
  socket.connect();
};

export const closeLive = () => {
  socket?.disconnect();
  socket = undefined;
};

const EVENTS = ['NEW_CASE', 'NEW_POST', 'CHANGE_POST', 'CHANGE'];

/** Joins a channel as long as the owner lives. `heard` gets its events; rows that they name become stale. */
export const follow = (topic: string, heard: Heard, events = EVENTS): Channel | undefined => {
  let cursor = '';
  const channel = socket?.channel(topic, () => ({ after: cursor })); // asked again at each join
  if (!channel) return undefined;
  for (const event of events)
    channel.on(event, (payload: Change) => {
      cursor = payload.cursor ?? cursor;
      markStale(payload.resource_type, payload.resource_id);
      heard(event, payload);
    });
  channel.join().receive('ok', (reply: { cursor?: string; resync?: boolean }) => {
    if (reply.resync) markAllStale();
    cursor = reply.cursor ?? cursor;
  });
  onCleanup(() => channel.leave());
  return channel;
};

/** Who else is in the channel of a conversation: a meta for each person. */
export const presence = (channel: Channel, self: number, set: (others: Meta[]) => void) => {
  const people = new Presence(channel);
  people.onSync(() => set(people.list((id: string, { metas }: { metas: Meta[] }) => ({ id, metas }))
    .filter(({ id }) => Number(id) !== self)
    .map(({ metas }) => ({ ...metas[0]!, is_typing: metas.some((m) => m.is_typing), is_updating: metas.some((m) => m.is_updating) }))));
};
