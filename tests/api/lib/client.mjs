import http from 'node:http';
import { encode, pairs } from './bodies.mjs';
import { wellFormed } from './html.mjs';
import { Reply } from './reply.mjs';

export const AGENT = 'deskd-tests/1';

export const basic = (email, password) =>
  ({ Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` });

/* The desk closes a connection that is idle for 60 s. A test that waits for a program (spawnSync) notices that only after two turns of the
 * event loop; a request before them would fail. In milliseconds. */
const MAYBE_CLOSED = 30_000;

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, v]) => v !== undefined));

/** A client of the daemon: a set of headers that is sent with every request. */
export class Client {
  constructor(desk, headers = {}, from = undefined) {
    this.desk = desk;
    this.headers = headers;
    this.from = from;
  }

  with(headers) {
    return new Client(this.desk, { ...this.headers, ...headers }, this.from);
  }

  /** The same caller at another loopback address. */
  at(address) {
    return new Client(this.desk, this.headers, address);
  }

  get(path, query, headers) { return this.request('GET', path, { query, headers }); }
  head(path, query, headers) { return this.request('HEAD', path, { query, headers }); }
  delete(path, query, headers) { return this.request('DELETE', path, { query, headers }); }
  post(path, body, options) { return this.request('POST', path, { body, ...options }); }
  put(path, body, options) { return this.request('PUT', path, { body, ...options }); }

  /** Returns `data` of a GET that must succeed. */
  async fetch(path, query) { return (await this.get(path, query)).must(200).data; }
  /** Returns `data` of a POST that must create. */
  async create(path, body, options) { return (await this.post(path, body, options)).must(201).data; }
  /** Returns `data` of a PUT that must succeed. */
  async update(path, body, options) { return (await this.put(path, body, options)).must(200).data; }

  /** Returns the number of rows of a list. */
  async total(path) { return (await this.get(path)).must(200).body.total_count; }

  /** Sends a request below /api/v1, and checks its reply against the general rules. */
  async request(method, path, options = {}) {
    const reply = await this.exchange(method, path.startsWith('/api/') || path.startsWith('//') ? path : `/api/v1${path}`, options);
    await this.desk.judge(reply);
    if (method === 'PUT' && path === '/settings' && reply.status === 200) await this.desk.agree(this);
    return reply;
  }

  /** Sends a request to any path. Of its reply only a page is checked: it is well formed. */
  async exchange(method, path, { query = {}, body, headers = {}, port = this.desk.port } = {}) {
    const search = new URLSearchParams(pairs(query)).toString();
    const target = search ? `${path}${path.includes('?') ? '&' : '?'}${search}` : path;
    const sent = encode(body);
    const all = defined({
      'User-Agent': AGENT,
      ...(sent && { 'Content-Type': sent.type, 'Content-Length': sent.bytes.length }),
      ...this.headers,
      ...headers,
    });
    const about = { method, path: target, headers: all, sent: sent?.bytes.toString('latin1') };
    if (performance.now() - this.desk.answeredAt > MAYBE_CLOSED) for (let i = 0; i < 2; i++) await new Promise(setImmediate);
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path: target, headers: all, agent: this.desk.agent, localAddress: this.from };
      const request = http.request(options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          this.desk.answeredAt = performance.now();
          const reply = new Reply(about, { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) });
          try {
            if (reply.isPage) wellFormed(reply.text, `${method} ${target}`);
            resolve(reply);
          } catch (error) {
            reject(error);
          }
        });
      });
      request.setTimeout(120_000, () => request.destroy(new Error(`no answer in 120 s: ${method} ${target}`)));
      request.on('error', reject);
      request.end(sent?.bytes);
    });
  }
}
