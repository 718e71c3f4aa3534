// Realtime by Phoenix channels, and by a stream of Server-Sent Events where a proxy breaks WebSockets. Both give the same events.
//
// A line is a channel that the page follows. The socket joins all lines. If no join is answered soon, a stream takes the lines over, until
// the socket works. Each line keeps the place of its last event, so no event is lost when the connection changes. Where this place is not
// known, the followers get RESYNC: read again.
import { Presence, Socket, type Channel } from 'phoenix';
import { createSignal, onCleanup } from 'solid-js';
import { forgetAhead, get, prefix, type Reply } from './api';
import { markAllStale, markStale, retryStale } from './store';

export interface Change { resource_type: string; resource_id: number; case_id?: number; changed_properties: Record<string, unknown>; cursor?: string }
export interface Meta { is_typing?: boolean; is_viewing?: boolean; is_updating?: boolean; is_foreground?: boolean; user: { id: number; full_name: string } }
type Heard = (event: string, payload: Change) => void;

const EVENTS = ['NEW_CASE', 'NEW_POST', 'CHANGE_POST', 'CHANGE'], OWN_EVENTS = ['NEW_NOTIFICATION'];
const NOTHING: Change = { resource_type: '', resource_id: 0, changed_properties: {} };

/** A broken connection is shown after this time, because most come back before. */
const QUIET_MS = 5000;
const JOIN_MS = 4000, TRIES_BEFORE_STREAM = 2, STREAM_CHANNELS_MOST = 50, STREAM_GATHER_MS = 100, STREAM_PAUSE_MS = 2000, SOCKET_PAUSE_MS = 30_000;

const [connected, setConnected] = createSignal(true);
/** Grows with each connection that is made: what was known before may have changed. */
const [connections, setConnections] = createSignal(0);
export { connected, connections };

interface Line { topic: string; present: boolean; channel: Channel; place: string; followers: Set<{ heard: Heard; events: string[] }> }
/** Phoenix asks for the storage of the tab, which a browser may forbid. It would keep there that WebSockets did not work. */
const NO_STORAGE = { getItem: () => null, setItem: () => undefined };

const lines = new Map<string, Line>();
let socket: Socket | undefined, silence: ReturnType<typeof setTimeout> | undefined, tries = 0;

const found = () => {
  clearTimeout(silence);
  silence = undefined;
  setConnected(true);
  setConnections((n) => n + 1);
  retryStale();
};
addEventListener('online', () => { setConnections((n) => n + 1); retryStale(); }); // a short break leaves the socket as it is
const lost = () => { silence ??= setTimeout(() => setConnected(false), QUIET_MS); };

const tell = (line: Line, event: string, payload: Change, place: string | undefined) => {
  line.place = place ?? line.place;
  if (payload.resource_id) markStale(payload.resource_type, payload.resource_id);
  forgetAhead(`/cases/${payload.case_id ?? payload.resource_id}`);
  for (const { heard, events } of [...line.followers]) if (event === 'RESYNC' || events.includes(event)) heard(event, payload);
};
const resync = (list: Iterable<Line>) => {
  markAllStale();
  for (const line of [...list]) tell(line, 'RESYNC', NOTHING, undefined);
};

// ---- the socket --------------------------------------------------------------------------------

export const connectLive = () => {
  if (socket) return;
  socket = new Socket(`${location.origin.replace(/^http/, 'ws')}${prefix}/socket`, {
    sessionStorage: NO_STORAGE,
    vsn: '2.0.0', timeout: JOIN_MS,
    reconnectAfterMs: (n: number) => Math.min(250 * 2 ** n, streaming ? SOCKET_PAUSE_MS : 5000) * (0.5 + Math.random()),
  });
  // While a stream runs, only a join that is answered says that the socket works.
  socket.onOpen(() => { tries = 0; if (!streaming) found(); });
  socket.onError(() => { if (!streaming && ++tries >= TRIES_BEFORE_STREAM) beginStream(); });
  socket.onClose(() => { if (!streaming) lost(), expectSocket(); });
  expectSocket();
  socket.connect();
};

/** A handshake that a proxy never answers is no error. */
const expectSocket = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (!streaming && !socket?.isConnected()) lost(), beginStream(); }, JOIN_MS);
};
let waiting: ReturnType<typeof setTimeout> | undefined;

export const closeLive = () => {
  clearTimeout(waiting);
  clearTimeout(silence);
  silence = undefined;
  endStream();
  socket?.disconnect();
  socket = undefined;
};

const openLine = (at: Socket, topic: string, place: string, present: boolean): Line => {
  const channel = at.channel(topic, () => ({ after: line.place, ...(present ? {} : { present: false }) })); // asked again at each join
  const line: Line = { topic, present, channel, place, followers: new Set() };
  for (const event of [...EVENTS, ...OWN_EVENTS]) channel.on(event, (payload: Change) => tell(line, event, payload, payload.cursor));
  channel.join().receive('ok', (reply: { cursor?: string; resync?: boolean }) => {
    if (streaming) endStream(), found();
    line.place = reply.cursor ?? line.place;
    if (reply.resync) resync([line]);
  }).receive('timeout', () => { if (!streaming) beginStream(); }); // open, and silent
  lines.set(topic, line);
  if (streaming && present) beginStream(); // a stream has no presence
  return line;
};

/** The place up to which the events are known: what a GET shows now, and what happens behind it. */
export const placeNow = () => [...lines.values()].find(({ topic }) => topic.endsWith('@v1_inbox'))?.place ?? '';

interface How { events?: string[]; after?: string; present?: boolean }

/** Follows a channel as long as the owner lives. `heard` gets its events; rows that they name become stale. With `after` also the events
 *  behind that place. In the channel of a conversation the person is present, except with `present: false`. */
export const follow = (topic: string, heard: Heard, { events = EVENTS, after = '', present = true }: How = {}): Channel | undefined => {
  if (!socket) return undefined;
  const line = lines.get(topic) ?? openLine(socket, topic, after, present), follower = { heard, events };
  line.followers.add(follower);
  onCleanup(() => {
    line.followers.delete(follower);
    if (line.followers.size) return;
    line.channel.leave();
    if (lines.get(topic) === line) lines.delete(topic);
  });
  return line.channel;
};

/** Who else is in the channel of a conversation: a meta for each person. */
export const presence = (channel: Channel, self: number, set: (others: Meta[]) => void) => {
  const people = new Presence(channel);
  people.onSync(() => set(people.list((id: string, { metas }: { metas: Meta[] }) => ({ id, metas }))
    .filter(({ id }) => Number(id) !== self)
    .map(({ metas }) => ({ ...metas[0]!, is_typing: metas.some((m) => m.is_typing), is_updating: metas.some((m) => m.is_updating) }))));
};

// ---- the stream --------------------------------------------------------------------------------

let streaming = false, stream: AbortController | undefined, streamTimer: ReturnType<typeof setTimeout> | undefined, streamPlace = '';

/** Begins, or begins again with other lines. */
const beginStream = () => {
  if (!socket) return;
  streaming = true;
  clearTimeout(streamTimer);
  streamTimer = setTimeout(() => void runStream().catch(() => undefined), STREAM_GATHER_MS);
};

const endStream = () => {
  clearTimeout(streamTimer);
  stream?.abort();
  stream = undefined;
  streaming = false;
  streamPlace = '';
};

const runStream = async () => {
  stream?.abort();
  const { signal } = stream = new AbortController(), followed = [...lines.values()].filter(({ present }) => present).slice(-STREAM_CHANNELS_MOST);
  let refused = false;
  if (!followed.length) return;
  try {
    const query = new URLSearchParams({ channels: followed.map(({ topic }) => topic).join(','), ...(streamPlace ? { after: streamPlace } : {}) });
    const reply = await fetch(`${prefix}/api/v1/realtime?${query}`, { signal, credentials: 'same-origin', cache: 'no-store', headers: { 'X-Requested-With': 'deskd' } });
    if (reply.status === 401 || reply.status === 454) await get('/me', { fields: 'id' }); // waits for the next login
    refused = reply.status === 400;
    if (refused) refuse(await reply.json() as Reply, followed);
    if (reply.ok && reply.body) await readStream(reply.body.pipeThrough(new TextDecoderStream()).getReader(), followed);
  } catch { /* the connection broke, or an abort */ }
  if (signal.aborted) return;
  lost();
  streamTimer = setTimeout(() => void runStream(), refused ? 0 : STREAM_PAUSE_MS);
};

/** A channel whose object is gone is not followed any more, and an unknown place is forgotten. */
const refuse = ({ errors = [] }: Reply, followed: Line[]) => {
  streamPlace = '';
  for (const { topic } of followed) if (errors.some(({ message }) => message.includes(topic))) lines.delete(topic);
};

const readStream = async (reader: ReadableStreamDefaultReader<string>, followed: Line[]) => {
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      const { event, id, data } = fields as Record<string, string | undefined>;
      if (event === 'open' || event === 'resync') {
        found();
        for (const line of followed) line.place ||= id ?? '';
        if (event === 'resync' || !streamPlace) resync(followed);
      }
      streamPlace = id ?? streamPlace;
      const { topic, payload } = JSON.parse(data ?? '{}') as { topic?: string; payload?: Change };
      const line = topic ? lines.get(topic) : undefined;
      if (line && event && payload) tell(line, event, payload, id);
    }
  }
};
