// Metrics, their alerts and dashboard, traces, and lines of the log in JSON (docs/OPERATIONS.md, "Monitoring").
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { open, until } from './lib/index.mjs';

const docs = (path) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const scrape = async (desk) => (await desk.anyone.exchange('GET', '/metrics')).text;
/** {name{labels}: value} */
const values = (text) => Object.fromEntries(text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
const families = (text) => new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
const named = (text) => new Set([...text.matchAll(/\b(?:deskd|process)_[a-z0-9_]*[a-z0-9]/g)].map(([name]) => name));
const family = (name) => name.replace(/_(?:bucket|sum|count)$/, '');
const KNOWN_ELSEWHERE = new Set(['deskd_destination_recipient_limit']); // of Postfix

test('each metric has one family with help and type, and counters alone end with _total', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--lmtp', '127.0.0.1:0'] });
  const text = await scrape(desk);
  const types = families(text);
  const helps = [...text.matchAll(/^# HELP (\S+) .+$/gm)].map(([, name]) => name);
  assert.deepEqual(helps, [...types.keys()]);
  assert.equal(new Set(helps).size, helps.length);
  for (const [name, type] of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
  for (const name of Object.keys(values(text))) {
    const base = name.replace(/\{.*/, '');
    assert.ok(types.has(base) || types.get(family(base)) === 'histogram', name);
  }
});

test('alerts, dashboard and OPERATIONS name metrics that exist, and OPERATIONS names all', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--lmtp', '127.0.0.1:0'] });
  const exist = new Set(families(await scrape(desk)).keys());
  for (const path of ['monitoring/alerts.yml', 'monitoring/dashboard.json', 'OPERATIONS.md']) {
    for (const name of named(docs(path))) {
      assert.ok(exist.has(name) || exist.has(family(name)) || [...exist].some((one) => one.startsWith(`${name}_`)) || KNOWN_ELSEWHERE.has(name), `${path}: ${name}`);
    }
  }
  const described = named(docs('OPERATIONS.md'));
  for (const name of exist) assert.ok(described.has(name), `OPERATIONS.md does not describe ${name}`);
  assert.ok(JSON.parse(docs('monitoring/dashboard.json')).panels.length > 10);
});

test('a request is counted once, in the histogram of its class', async (t) => {
  const desk = await open(t, { processes: 1 });
  const session = await desk.session(desk.owner);
  const team = await desk.owner.create('/teams', { title: 'Counted' });
  const before = values(await scrape(desk));
  const calls = [
    ['one', () => session.client.get(`/teams/${team.id}`), 200], ['list', () => session.client.get('/teams'), 200], ['long', () => session.client.get('/search', { query: 'word' }), 200],
    ['write', () => session.client.put(`/teams/${team.id}`, { title: 'Again' }), 200], ['other', () => desk.anyone.exchange('GET', '/api/v1/nothing'), 404],
    ['page', () => desk.anyone.exchange('GET', '/agent'), 200],
  ];
  for (const [, call, status] of calls) assert.equal((await call()).status, status);
  const after = values(await scrape(desk));
  const grown = (name) => after[name] - before[name];
  for (const [name] of calls) {
    assert.equal(grown(`deskd_request_duration_seconds_count{class="${name}"}`), 1, name);
    assert.equal(grown(`deskd_request_duration_seconds_bucket{class="${name}",le="+Inf"}`), 1, name);
    assert.ok(grown(`deskd_request_duration_seconds_sum{class="${name}"}`) >= 0, name);
  }
  assert.equal(grown('deskd_request_duration_seconds_count{class="login"}'), 0);
  assert.equal(grown('deskd_requests_total{class="2xx"}'), calls.length - 1);
  assert.equal(grown('deskd_requests_total{class="4xx"}'), 1);
  // Each bucket holds what the smaller ones hold.
  const buckets = [...(await scrape(desk)).matchAll(/^deskd_request_duration_seconds_bucket\{class="one",le="([^"]+)"\} (\d+)$/gm)];
  const bounds = buckets.map(([, bound]) => (bound === '+Inf' ? Infinity : Number(bound)));
  assert.deepEqual(bounds, [...bounds].sort((a, b) => a - b));
  const counts = buckets.map(([, , n]) => Number(n));
  assert.deepEqual(counts, [...counts].sort((a, b) => a - b));
  assert.equal(counts.at(-1), after['deskd_request_duration_seconds_count{class="one"}']);
});

test('a request of a trace is answered with the trace, and its line in the log names it', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--access-log'] });
  const id = '0af7651916cd43dd8448eb211c80319c';
  const ask = (traceparent) => desk.anyone.exchange('GET', '/api/v1/teams', { headers: { traceparent } });
  const reply = await ask(`00-${id}-b7ad6b7169203331-01`);
  const request = reply.headers['x-request-id'];
  assert.equal(reply.headers['traceparent'], `00-${id}-${request}-01`);
  await until('the line', () => desk.log.includes(`id ${request} trace ${id}`));
  const later = await ask(`cc-${id}-b7ad6b7169203331-00-more`);
  assert.match(later.headers['traceparent'], new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
  for (const bad of [
    '', 'nonsense', `00-${id}-b7ad6b7169203331`, `00-${id}-b7ad6b7169203331-01-more`, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `00-${id}-${'0'.repeat(16)}-01`,
    `ff-${id}-b7ad6b7169203331-01`, `00-${id.toUpperCase()}-b7ad6b7169203331-01`, `00-${id}-b7ad6b7169203331-0g`, `00_${id}_b7ad6b7169203331_01`, `cc-${id}-b7ad6b7169203331-00.more`,
  ]) {
    const refused = await ask(bad);
    assert.equal(refused.headers['traceparent'], undefined, bad);
    assert.equal(refused.status, 401, bad);
  }
});

test('with log-format json each line is an object, and a request has the members of its text', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--access-log', '--log-format', 'json'] });
  const { id } = (await desk.owner.get('/me')).must(200).data;
  await desk.anyone.exchange('GET', '/api/v1/%22quote%5C', { headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } });
  const lines = await until('two lines', () => {
    const found = desk.log.trim().split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).filter((line) => line.path?.startsWith('/api'));
    return found.length >= 2 ? found : undefined;
  });
  const [me, odd] = [lines.find((line) => line.path === '/api/v1/me'), lines.find((line) => line.path.includes('quote'))];
  assert.deepEqual(Object.keys(me), ['time', 'level', 'message', 'method', 'path', 'status', 'bytes', 'duration_ms', 'user', 'address', 'request_id']);
  assert.deepEqual([me.level, me.method, me.status, me.user, me.address], ['info', 'GET', 200, id, '127.0.0.1']);
  assert.equal(me.message, `GET /api/v1/me 200 ${me.bytes} bytes ${me.duration_ms} ms user ${id} from 127.0.0.1 id ${me.request_id}`);
  assert.ok(!Number.isNaN(Date.parse(me.time)));
  assert.equal(odd.trace_id, '0af7651916cd43dd8448eb211c80319c');
  assert.equal(odd.status, 404);
  for (const line of desk.log.trim().split('\n').filter((one) => !one.startsWith('deskd: '))) assert.doesNotThrow(() => JSON.parse(line), line);
});

test('letters that can not be sent, and a breach that nobody raised, show in the gauges', async (t) => {
  const desk = await open(t, { processes: 1 });
  const at = desk.clock.now;
  await desk.stop(); // what waits is measured at the start, and then every 15 s
  desk.sql(`INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('mail', 1, '{"id":0}', 3, ${at + 3_600_000}, ${at - 7_200_000}, ${at})`);
  await desk.start();
  const now = await until('the measurement', async () => {
    const all = values(await scrape(desk));
    return all.deskd_letters_waiting === 1 ? all : undefined;
  });
  assert.ok(now.deskd_letters_oldest_seconds >= 7200, String(now.deskd_letters_oldest_seconds));
  assert.equal(now['deskd_jobs_late_seconds{kind="mail"}'], 0); // it is due in an hour
  assert.equal(now.deskd_sla_breach_late_seconds, 0);
});
