// Requests to the API of the desk that served the page. They carry the session's cookie, and writes the CSRF token of the session.
import type { components } from 'api-types';
import { say } from './words';

export type Schemas = components['schemas'];
export type Kind = keyof Schemas & string;
export type Ref = { id: number; resource_type?: string };

export interface Problem { code: string; message: string; parameter?: string }
export interface Row { id: number; resource_type: string; [member: string]: unknown }
export interface Reply {
  status: number;
  data: Row | Row[] | undefined;
  resources?: Record<string, Record<string, Row>>;
  total_count?: number;
  next_url?: string;
  previous_url?: string;
  errors?: Problem[];
  posts?: Row[];
  auth_token?: string;
  notifications?: { message: string }[];
  etag: string | null;
  /** Seconds after which the request may be repeated; 0: the server does not say. */
  retryAfter: number;
  leaveBy?: string | null; // where a logout goes on: at the provider of the login
  /** The server does not answer: this is its former reply. */
  isFormer?: boolean;
}

/** The server answered, and did not do it. `reply` has its reasons. */
export class Refused extends Error {
  constructor(readonly reply: Reply) {
    super(reply.errors?.map(({ message }) => message).join(' ') || `HTTP ${reply.status}`);
  }
  get code() { return this.reply.errors?.[0]?.code ?? ''; }
}
/** No answer came: the request may have been carried out or not. A write with an Idempotency-Key can be repeated. */
export class Unreachable extends Error {
  constructor() { super(say('unreachable')); }
}

export interface Options {
  query?: Record<string, string | number | boolean | undefined>;
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The write changes nothing but the row of its path: other replies that were read ahead stay. */
  own?: boolean;
}

export const prefix = document.documentElement.dataset['prefix'] ?? '';
const root = `${prefix}/api/v1`;
let csrf = '';
/** Milliseconds by which the clock of the server is ahead of the browser's: times in words follow the server's. */
let serverAhead = 0;
export const serverNow = () => Date.now() + serverAhead;

/** Resolves when a person has logged in over the page. Set by app/session. */
let renewed: () => Promise<void> = () => Promise.reject(new Error('no login'));
export const onSessionEnd = (wait: typeof renewed) => { renewed = wait; };

const SESSION_ENDED = new Set([401, 454]);

const fetched = async (method: string, path: string, { query = {}, body, headers, signal }: Options): Promise<Reply> => {
  const url = new URL(root + path, location.href);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const init: RequestInit = {
    method, credentials: 'same-origin', cache: 'no-store',
    // X-Requested-With: the browser shows no login dialog of its own.
    headers: { 'X-Requested-With': 'deskd', ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrf }), ...(body && !(body instanceof FormData) ? { 'Content-Type': 'application/json' } : {}), ...headers },
  };
  if (body) init.body = body instanceof FormData ? body : JSON.stringify(body);
  if (signal) init.signal = signal;
  let response: Response, text: string;
  try {
    response = await fetch(url, init);
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  const header = (name: string) => response.headers.get(name), time = header('Date-ISO');
  csrf = header('X-CSRF-Token') || csrf;
  if (time) serverAhead = Date.parse(time) - Date.now();
  try {
    return { ...JSON.parse(text || '{}'), status: response.status, etag: header('ETag'), retryAfter: Number(header('Retry-After')), leaveBy: header('X-Logout-URL') };
  } catch {
    throw new Unreachable(); // a page of a proxy
  }
};

/** The reply, whatever its status. For the login, whose refusals are steps. */
export const ask = (method: string, path: string, options: Options = {}) => fetched(method, path, options);

/** The reply of a call that succeeded. After the end of the session it waits for the next login, and repeats the call. */
export const call = async (method: string, path: string, options: Options = {}): Promise<Reply> => {
  let tokenRead = false;
  if (options.own) forgetAhead(path.slice(0, path.lastIndexOf('/')));
  else if (method !== 'GET') ahead.clear();
  for (;;) {
    const reply = await fetched(method, path, options);
    if (reply.status < 400) return reply;
    if (SESSION_ENDED.has(reply.status)) await renewed();
    else if (reply.errors?.[0]?.code === 'CSRF_FAILED' && !tokenRead) tokenRead = (await fetched('GET', '/session', {})).status === 200; // another tab has logged in
    else throw new Refused(reply);
  }
};

const read = (path: string, query: Options['query'] = {}, signal?: AbortSignal) => call('GET', path, signal ? { query, signal } : { query });

export const get = async (path: string, query: Options['query'] = {}, signal?: AbortSignal): Promise<Reply> => {
  const key = keyOf(path, query), known = ahead.get(key);
  ahead.delete(key);
  try {
    return keep(key, await (known && Date.now() - known.at < AHEAD_MS ? known.reply.catch(() => read(path, query, signal)) : read(path, query, signal)));
  } catch (error) {
    const former = error instanceof Unreachable && kept.get(key);
    if (!former) throw error;
    return { ...JSON.parse(former) as Reply, isFormer: true };
  }
};

const AGAIN_MS = 2000;
/** The result of a read, which is repeated while no answer comes: for what a screen shows nothing without. */
export const surely = async <T>(read: () => Promise<T>): Promise<T> => {
  for (;;) {
    try { return await read(); } catch (error) {
      if (error instanceof Refused && error.reply.status < 500) throw error;
      await new Promise((go) => setTimeout(go, AGAIN_MS));
    }
  }
};

// ---- reading without a connection --------------------------------------------------------------

/** Conversations, posts and people that were read last: their replies, the newest at the end. They are texts, because the store adds to the
 *  objects that it is given. Posts that came after others (`before_id`) are never asked for again in the same words. */
const KEPT = /^\/(cases\/\d+(\/posts)?|users\/\d+(\/cases)?) (?!.*"before_id")/, KEPT_MOST = 100;
const kept = new Map<string, string>();
const keep = (key: string, reply: Reply) => {
  if (!KEPT.test(key)) return reply;
  kept.delete(key);
  kept.set(key, JSON.stringify(reply));
  if (kept.size > KEPT_MOST) kept.delete(kept.keys().next().value!);
  return reply;
};
/** After a logout nothing is known. */
export const forgetReplies = () => { kept.clear(); ahead.clear(); };

// ---- reading ahead -----------------------------------------------------------------------------

const AHEAD_MS = 15_000;
const ahead = new Map<string, { reply: Promise<Reply>; at: number }>();
const keyOf = (path: string, query: Options['query'] = {}) => `${path} ${JSON.stringify(Object.entries(query).filter(([, value]) => value !== undefined))}`;

/** Reads what is probably asked for next. The next `get` of the same takes this reply, unless it is old or `forgetAhead` was called. */
export const getAhead = (path: string, query: Options['query'] = {}) => {
  const key = keyOf(path, query), known = ahead.get(key);
  if (known && Date.now() - known.at < AHEAD_MS) return;
  const reply = read(path, query).then((one) => keep(key, one));
  reply.catch(() => ahead.delete(key));
  ahead.set(key, { reply, at: Date.now() });
};

/** Replies of this path and below it may not be true any more. */
export const forgetAhead = (path: string) => { for (const key of [...ahead.keys()]) if (key.startsWith(`${path} `) || key.startsWith(`${path}/`)) ahead.delete(key); };

export const rowsOf = (reply: Reply): Row[] => Array.isArray(reply.data) ? reply.data : reply.data ? [reply.data] : [];
