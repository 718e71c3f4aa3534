import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { AGENT, until } from '../api/lib/index.mjs';

const RATE = 500, CLIENTS = 16; // writes a second, by so many callers
const TICK = 50; // milliseconds

/** Creates teams until the server ends. Returns {acknowledged: [{title, at}], stood, ended}. `at` is the time of the answer in milliseconds. */
export async function writing(desk, word) {
  const { client: { headers } } = await desk.session(desk.owner);
  const port = desk.daemons[0].port, agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const state = { acknowledged: [], began: performance.now(), stood: 0 }; // stood: seconds for which the machine ran nothing of this test
  let tick = performance.now();
  const ticking = setInterval(() => {
    state.stood = Math.max(state.stood, (performance.now() - tick - TICK) / 1000);
    tick = performance.now();
  }, TICK).unref();
  let next = 0;
  const create = (title) => new Promise((resolve, reject) => {
    const body = JSON.stringify({ title });
    const request = http.request({ port, agent, method: 'POST', path: '/api/v1/teams', headers: { 'User-Agent': AGENT, ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => resolve({ status: reply.statusCode, text })).on('error', reject);
    });
    request.on('error', reject).end(body);
  });
  const caller = async () => {
    while (!state.failure) {
      const number = next++, due = state.began + (number * 1000) / RATE;
      if (due > performance.now()) await rest(due - performance.now());
      const title = `${word} ${number}`;
      const reply = await create(title).catch(() => undefined);
      if (!reply) return; // the server was killed
      if (reply.status !== 201) throw new Error(`POST /teams: ${reply.status} ${reply.text}`);
      state.acknowledged.push({ title, at: performance.now() });
    }
  };
  state.ended = Promise.all(Array.from({ length: CLIENTS }, caller)).catch((error) => { state.failure = error; }).finally(() => { clearInterval(ticking); agent.destroy(); });
  /** Waits until so many writes are acknowledged. */
  state.reach = (count) => until(`${count} writes`, () => { if (state.failure) throw state.failure; return state.acknowledged.length >= count; });
  state.rate = () => Math.round(state.acknowledged.length / ((performance.now() - state.began) / 1000));
  return state;
}

/** The acknowledged writes that a restored store lacks: {count, seconds} before the moment of the loss. */
export function lost(acknowledged, stored, at) {
  const missing = acknowledged.filter(({ title }) => !stored.has(title));
  return { count: missing.length, seconds: Math.max(0, ...missing.map((one) => (at - one.at) / 1000)) };
}
