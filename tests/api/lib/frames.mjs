import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { defer } from './defer.mjs';
import { until } from './until.mjs';

// WebSockets by hand (RFC 6455), for what a library refuses to send.

export const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

/** One frame of a client. `bits`: size of the length, 7, 16 or 64; the smallest that fits unless told. `mask`: null for none. */
export function frame(opcode, payload = '', { fin = true, rsv = 0, mask = randomBytes(4), bits } = {}) {
  const data = Buffer.from(payload), size = bits ?? (data.length < 126 ? 7 : data.length < 65536 ? 16 : 64);
  const head = Buffer.alloc(2 + { 7: 0, 16: 2, 64: 8 }[size]);
  head[0] = (fin ? 0x80 : 0) | rsv << 4 | opcode;
  head[1] = (mask ? 0x80 : 0) | { 7: data.length, 16: 126, 64: 127 }[size];
  if (size === 16) head.writeUInt16BE(data.length, 2);
  if (size === 64) head.writeBigUInt64BE(BigInt(data.length), 2);
  return mask ? Buffer.concat([head, mask, data.map((byte, i) => byte ^ mask[i % 4])]) : Buffer.concat([head, data]);
}

export const closing = (code, reason = '') => {
  const bytes = Buffer.from(reason), payload = Buffer.alloc(2 + bytes.length);
  payload.writeUInt16BE(code);
  bytes.copy(payload, 2);
  return frame(CLOSE, payload);
};

/** Takes the frames of a server from bytes: [{fin, rsv, opcode, masked, payload}]. Returns what is left. */
export function take(bytes, into) {
  while (bytes.length >= 2) {
    const short = bytes[1] & 0x7f, extra = { 126: 2, 127: 8 }[short] ?? 0;
    if (bytes.length < 2 + extra) break;
    const n = extra === 2 ? bytes.readUInt16BE(2) : extra === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < 2 + extra + n) break;
    into.push({ fin: bytes[0] >> 7 === 1, rsv: bytes[0] >> 4 & 7, opcode: bytes[0] & 15, masked: bytes[1] >> 7 === 1, payload: bytes.subarray(2 + extra, 2 + extra + n) });
    bytes = bytes.subarray(2 + extra + n);
  }
  return bytes;
}

export const HANDSHAKE = {
  Host: 'desk.example', Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'User-Agent': 'deskd-tests/1',
};

/** A connection that has sent a handshake. `frames`: all that arrived. `ended`: the server has closed it. */
export class RawSocket {
  /** headers: undefined removes one; an array sends it several times. behind: bytes in the packet of the handshake. */
  static async open(t, client, { headers = {}, line = 'GET /socket/websocket?vsn=1.0.0 HTTP/1.1', behind = '', port = client.desk.port } = {}) {
    const all = { ...HANDSHAKE, ...client.headers, ...headers };
    const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().filter((v) => v !== undefined).map((v) => `${name}: ${v}\r\n`));
    const raw = new RawSocket();
    Object.assign(raw, { frames: [], bytes: Buffer.alloc(0), head: '', ended: false });
    raw.tcp = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    defer(t, () => raw.tcp.destroy());
    raw.tcp.on('error', (error) => { raw.error = error; }).on('end', () => { raw.ended = true; }).on('close', () => { raw.ended = true; });
    raw.tcp.on('data', (bytes) => raw.hear(bytes));
    raw.tcp.write(Buffer.concat([Buffer.from(`${line}\r\n${lines.join('')}\r\n`), Buffer.from(behind)]));
    await until('the head of a reply', () => raw.head || raw.ended);
    raw.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(raw.head)?.[1] ?? 0);
    return raw;
  }

  hear(bytes) {
    this.bytes = Buffer.concat([this.bytes, bytes]);
    const end = this.bytes.indexOf('\r\n\r\n');
    if (!this.head && end >= 0) {
      this.head = this.bytes.toString('latin1', 0, end + 2);
      this.bytes = this.bytes.subarray(end + 4);
    }
    if (this.head.startsWith('HTTP/1.1 101')) this.bytes = take(this.bytes, this.frames);
  }

  header(name) { return new RegExp(`^${name}: *(.*?)\r$`, 'im').exec(this.head)?.[1]; }

  write(...pieces) { return new Promise((sent) => { this.tcp.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece))), () => sent()); }); }

  /** Each byte as a packet of its own. */
  async drip(bytes) {
    for (const byte of bytes) {
      await this.write([byte]);
      await new Promise(setImmediate);
    }
  }

  of(opcode) { return this.frames.filter((f) => f.opcode === opcode); }

  /** The replies to heartbeats, by their ref. */
  get refs() { return this.of(TEXT).map(({ payload }) => JSON.parse(payload)).filter((f) => f.event === 'phx_reply').map((f) => f.ref); }

  answered(ref) { return until(`a reply to ${ref}`, () => this.refs.includes(ref) || (this.ended && this.fail(`no reply to ${ref}`))); }

  fail(why) { throw new Error(`${why}: ${JSON.stringify(this.frames.map((f) => [f.opcode, f.payload.toString('latin1')]))}`); }

  /** Waits for the close frame, ends this half of the connection unless told, and waits for the end of the other: {code, reason}; code undefined: there was no close frame, null: it was empty. */
  async close({ answers = true } = {}) {
    await until('a close frame', () => this.of(CLOSE).length || this.ended);
    if (answers) this.tcp.end();
    await until('the end of the connection', () => this.ended);
    const [last] = this.of(CLOSE);
    if (!last) return { code: undefined };
    return { code: last.payload.length ? last.payload.readUInt16BE(0) : null, reason: last.payload.toString('utf8', 2) };
  }
}

/** The text of a heartbeat, which is answered with its ref. */
export const heartbeat = (ref, more = {}) => JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref, ...more });
export const beat = (ref, options) => frame(TEXT, heartbeat(ref), options);
