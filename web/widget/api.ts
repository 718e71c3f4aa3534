// Requests to the desk, from a page of another site: they carry no cookie, and nothing of the visitor but the fingerprint.
import { kept, print } from './store';

export interface Problem { code: string; message: string; parameter?: string }
export type Row = { id: number;[member: string]: any };

/** The desk answered, and did not do it. */
export class Refused extends Error {
  constructor(readonly status: number, readonly errors: Problem[], readonly wait: number) { super(errors[0]?.message ?? `HTTP ${status}`); }
  /** The same request may succeed later. */
  get passes() { return this.status === 429 || this.status >= 500 || this.errors[0]?.code === 'REQUEST_IN_PROGRESS'; }
}
/** No answer came. */
export class Unreachable extends Error {}

let root = '', ahead = 0;
/** The time of the desk: the clock of a visitor may be wrong. */
export const now = () => Date.now() + ahead;
export const useApi = (base: string) => { root = `${base}/api/v1`; };
export const address = (path: string) => root + path;

/** known: with the fingerprint, if there is one; made: with one in any case; none: without, so the browser asks the desk nothing before. */
type Who = 'known' | 'made' | 'none';
export const headers = (who: Who): Record<string, string> => {
  const id = who === 'made' ? print() : who === 'known' ? kept().print : undefined;
  return id ? { 'X-Fingerprint-ID': id } : {};
};

interface Options { who?: Who; body?: object; key?: string; signal?: AbortSignal; print?: string }

export const answer = async (method: string, path: string, { who = 'none', body, key, signal, print: given }: Options = {}): Promise<Response> => {
  const sent = { ...headers(who), ...(given ? { 'X-Fingerprint-ID': given } : {}), ...(body ? { 'Content-Type': 'application/json' } : {}), ...(key ? { 'Idempotency-Key': key } : {}) };
  try {
    const response = await fetch(path.startsWith('http') ? path : address(path), {
      method, credentials: 'omit', cache: who === 'none' ? 'default' : 'no-store', referrerPolicy: 'no-referrer', headers: sent, ...(body ? { body: JSON.stringify(body) } : {}), ...(signal ? { signal } : {}),
    }), time = response.headers.get('Date-ISO');
    if (time) ahead = Date.parse(time) - Date.now();
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
};

export const refusal = async (response: { status: number; headers: { get(name: string): string | null } }, text: string) => {
  let errors: Problem[] = [];
  try { errors = JSON.parse(text).errors ?? []; } catch { /* a page of a proxy */ }
  return new Refused(response.status, errors, Number(response.headers.get('Retry-After')) || 0);
};

export const call = async (method: string, path: string, options?: Options): Promise<{ data: any; total_count?: number }> => {
  const response = await answer(method, path, options);
  let text: string;
  try { text = await response.text(); } catch { throw new Unreachable(); }
  if (!response.ok) throw await refusal(response, text);
  try { return JSON.parse(text || '{}'); } catch { throw new Unreachable(); }
};
export const get = (path: string, who: Who = 'none', signal?: AbortSignal) => call('GET', path, signal ? { who, signal } : { who });

/** Sends a file. `told` hears the part that has gone, 0 to 1. */
export const upload = (file: File, told: (part: number) => void, signal: AbortSignal): Promise<Row> => new Promise((done, fail) => {
  const request = new XMLHttpRequest(), form = new FormData(); // fetch tells no progress
  form.append('file', file);
  request.open('POST', address('/files?fields=name,size'));
  for (const [name, value] of Object.entries(headers('made'))) request.setRequestHeader(name, value);
  request.upload.onprogress = (event) => told(event.loaded / (event.total || 1));
  request.onerror = () => fail(new Unreachable());
  request.onload = () => {
    const head = { status: request.status, headers: { get: (name: string) => request.getResponseHeader(name) } };
    if (request.status === 201) done(JSON.parse(request.responseText).data);
    else refusal(head, request.responseText).then(fail);
  };
  signal.addEventListener('abort', () => request.abort());
  request.send(form);
});
