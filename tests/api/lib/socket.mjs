import http from 'node:http';
import WebSocket from 'ws';
import { defer } from './defer.mjs';
import { until } from './until.mjs';

/** A WebSocket of Phoenix channels. `frames` has all that arrived: {topic, event, payload, ref, join_ref}. */
export class Socket {
  static async open(t, client, { version = 2, query = '', headers = {}, port = client.desk.port } = {}) {
    const socket = new Socket();
    Object.assign(socket, { version, frames: [], refs: 0, joins: {} });
    socket.ws = new WebSocket(`ws://127.0.0.1:${port}/socket/websocket?vsn=${version}.0.0${query}`, { headers: { 'User-Agent': 'deskd-tests/1', ...client.headers, ...headers } });
    defer(t, () => socket.ws.terminate());
    socket.closed = new Promise((resolve) => socket.ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() })));
    socket.ws.on('message', (bytes) => socket.frames.push(socket.read(JSON.parse(bytes))));
    await new Promise((resolve, reject) => {
      socket.ws.on('open', resolve);
      socket.ws.on('unexpected-response', (request, response) => reject(Object.assign(new Error(`${response.statusCode}`), { status: response.statusCode })));
      socket.ws.on('error', reject);
    });
    return socket;
  }

  read(j) {
    if (this.version === 1) return j;
    const [join_ref, ref, topic, event, payload] = j;
    return { join_ref, ref, topic, event, payload };
  }

  send(topic, event, payload = {}, ref = `${++this.refs}`, join_ref = this.joins[topic] ?? null) {
    this.ws.send(JSON.stringify(this.version === 1 ? { topic, event, payload, ref } : [join_ref, ref, topic, event, payload]));
    return ref;
  }

  async ask(topic, event, payload) {
    const ref = this.send(topic, event, payload);
    return (await this.frame((f) => f.event === 'phx_reply' && f.ref === ref)).payload;
  }

  async join(topic, payload = {}) {
    this.joins[topic] = `${this.refs + 1}`;
    return this.ask(topic, 'phx_join', payload);
  }

  /** The first frame that fits; waits for it. */
  frame(fits) {
    return until('a frame', () => this.frames.find(fits)).catch((e) => { throw new Error(`${e.message}: ${JSON.stringify(this.frames)}`); });
  }

  event(event, fits = () => true) { return this.frame((f) => f.event === event && fits(f.payload, f)); }
  events(...names) { return this.frames.filter((f) => names.includes(f.event)); }

  /** What arrives up to now: a heartbeat is answered behind it. */
  async all() {
    await this.ask('phoenix', 'heartbeat');
    return this.frames;
  }
}

/** A stream of events. `events` has all that arrived: {id, event, data}. `comments`: the number of lines that keep it open. */
export async function stream(t, client, channels, { after, port = client.desk.port } = {}) {
  const found = { events: [], text: '', comments: 0 };
  const path = `/api/v1/realtime?channels=${encodeURIComponent(channels.join(','))}`;
  const request = http.get({ host: '127.0.0.1', port, path, headers: { 'User-Agent': 'deskd-tests/1', ...client.headers, ...(after && { 'Last-Event-ID': after }) } });
  defer(t, () => request.destroy());
  await new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      Object.assign(found, { status: response.statusCode, headers: response.headers, ended: new Promise((end) => response.on('close', end)) });
      response.setEncoding('utf8').on('data', (text) => {
        found.text += text;
        const blocks = found.text.split('\n\n');
        found.text = blocks.pop();
        for (const block of blocks) {
          found.comments += block.startsWith(':');
          const lines = block.split('\n').filter((l) => !l.startsWith(':')).map((l) => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 2)]);
          const { id, event, data } = Object.fromEntries(lines);
          if (event) found.events.push({ id, event, ...JSON.parse(data) });
        }
      }).on('error', () => {});
      resolve();
    });
  });
  request.on('error', () => {});
  found.event = (event, fits = () => true) => until(event, () => found.events.find((e) => e.event === event && fits(e.payload)));
  found.close = () => request.destroy();
  return found;
}
