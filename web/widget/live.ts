// Replies as they come: a stream of events, which a fetch reads, because a request of EventSource and of WebSocket has no header for the
// fingerprint. A stream tells what was missed behind its last place. The first has none, so its opening is an event, too: something may have
// happened between the reads and it. Where no stream comes through, the conversations are read anew from time to time.
import { answer } from './api';

const TRY_MS = 2000, MOST_MS = 30_000, OPEN_MS = 8000, POLL_MS = 15_000;
let channels = '', place = '', wanted = false, stream: AbortController | undefined, isOpen = false, resumes = false, heard = () => {}, failures = 0;

export const onEvent = (told: () => void) => { heard = told; };

/** Follows these channels, newest first, while `listen` allows it. */
export const follow = (topics: string[]) => {
  const next = topics.join(',');
  if (next === channels) return;
  channels = next;
  if (stream) restart();
  else if (wanted) void run();
};
export const listen = (want: boolean) => {
  if (want === wanted) return;
  wanted = want;
  if (wanted) void run(); else restart();
};
const restart = () => { stream?.abort(); stream = undefined; isOpen = false; if (wanted) void run(); };

const pause = (ms: number, signal: AbortSignal) => new Promise<void>((done) => { const timer = setTimeout(done, ms); signal.addEventListener('abort', () => { clearTimeout(timer); done(); }); });

const run = async () => {
  if (stream || !channels) return;
  const own = stream = new AbortController(), { signal } = own;
  let tries = 0;
  while (!signal.aborted) {
    const attempt = new AbortController(), end = () => attempt.abort();
    signal.addEventListener('abort', end);
    const silence = setTimeout(() => { if (!isOpen) end(); }, OPEN_MS); // a proxy keeps the stream back
    try {
      resumes = !!place;
      const response = await answer('GET', `/realtime?channels=${encodeURIComponent(channels)}${place ? `&after=${encodeURIComponent(place)}` : ''}`, { who: 'known', signal: attempt.signal });
      if (!response.ok || !response.body) throw new Error();
      await read(response.body.getReader(), () => { tries = failures = 0; });
    } catch { /* asked again */ }
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    attempt.abort();
    if (stream === own) isOpen = false;
    failures++;
    await pause(Math.min(TRY_MS * 2 ** tries++, MOST_MS) * (0.7 + Math.random() * 0.6), signal);
  }
};

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>, opened: () => void) => {
  const decoder = new TextDecoder();
  let rest = '', event = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const [, name, text] = /^(\w+): ?(.*)$/.exec(line.replace(/\r$/, '')) ?? [];
      if (name === 'event') event = text!;
      if (name === 'id') place = text!;
      if (line.trim() || !event) continue;
      if (!isOpen) isOpen = true, opened();
      if (event !== 'open' || !resumes) heard();
      event = '';
    }
  }
};

/** Without a stream. */
setInterval(() => { if (wanted && !isOpen && failures > 1 && navigator.onLine) heard(); }, POLL_MS);
