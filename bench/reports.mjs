// CPU of the server for each report: node bench/reports.mjs FOLDER PASSWORD_FILE [BINARY]; WHO is the address of the login, the owner's by default. The folder is a demo desk that serves nothing else; its facts are built first.
// Nanoseconds on a processor from /proc/PID/task, the least of TIMES requests, so a busy machine changes little. ONLY chooses reports by their names, a regular expression.
// REPLIES=FILE writes all replies, so that two versions can be compared on copies of a desk; NOW (milliseconds) is the end of their periods.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const [folder, passwordFile, binary = './deskd'] = process.argv.slice(2), WHO = process.env.WHO ?? 'owner@example.com', TIMES = Number(process.env.TIMES ?? 5), ONLY = new RegExp(process.env.ONLY ?? ''), DAY = 86_400_000;
const server = spawn(binary, ['serve', '--data', folder, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
const [line] = await once(server.stdout, 'data'), api = `${/http:\/\/\S+/.exec(String(line))[0]}/api/v1`;
const cpu = () => readdirSync(`/proc/${server.pid}/task`).reduce((sum, task) => { try { return sum + Number(readFileSync(`/proc/${server.pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]); } catch { return sum; } }, 0) / 1e6;
const password = readFileSync(passwordFile, 'utf8').split('\n')[0];
const login = await fetch(`${api}/session`, { headers: { Authorization: `Basic ${Buffer.from(`${WHO}:${password}`).toString('base64')}` } });
const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ');
const get = async (path, query) => {
  const reply = await fetch(`${api}${path}?${new URLSearchParams(query)}`, { headers: { cookie } }), body = await reply.json();
  if (reply.status !== 200) throw new Error(`${path} ${JSON.stringify(query)}: ${reply.status}`);
  return body;
};

const now = Number(process.env.NOW ?? Date.now()), replies = {}, ago = (days) => new Date(now - days * DAY).toISOString(), at = '/insights/cases';
const { data: [most] } = await get('/organizations', { limit: 1 }), { data: { tags: [tag] } } = await get(`${at}/groups`, { metric: 'CREATED', group: 'TAG' });
const requests = (days) => {
  const period = { start_at: ago(days), end_at: ago(0) }, steps = { ...period, time_zone: 'Europe/Berlin', interval: days > 100 ? 'WEEK' : 'DAY' };
  return [
    ...[['CREATED'], ['CREATED', 'CHANNEL'], ['BACKLOG'], ['FIRST_RESPONSE'], ['NEXT_RESPONSE'], ['RESOLUTION'], ['SLA'], ['SATISFACTION'], ['REPLIES', 'AGENT'], ['COMPLETED', 'AGENT'], ['BACKLOG', 'AGENT'], ['FIRST_RESPONSE', 'AGENT'], ['RESOLUTION', 'AGENT'], ['CREATED', 'TAG'], ['FIRST_RESPONSE', 'TAG'], ['BACKLOG', 'TAG'], ['FIRST_RESPONSE', 'ORGANIZATION'], ['FIRST_RESPONSE', 'TEAM'], ['BACKLOG', 'CHANNEL'], ['BACKLOG', 'ORGANIZATION']]
      .map(([metric, group]) => [`series ${metric}${group ? ` by ${group}` : ''}`, `${at}/series`, { ...steps, metric, ...(group && { group }) }]),
    [`series CREATED of a tag`, `${at}/series`, { ...steps, metric: 'CREATED', tag_id: tag.id }],
    [`series CREATED of a tag, by team`, `${at}/series`, { ...steps, metric: 'CREATED', tag_id: tag.id, group: 'TEAM' }],
    [`series REPLIES of a channel, by agent`, `${at}/series`, { ...steps, metric: 'REPLIES', channel: 'MAIL', group: 'AGENT' }],
    [`series CREATED of an organization`, `${at}/series`, { ...steps, metric: 'CREATED', organization_id: most.id }],
    ...['CREATED', 'REPLIES'].map((metric) => [`hours ${metric}`, `${at}/hours`, { ...period, metric, time_zone: 'Europe/Berlin' }]),
    ...[['CREATED', 'TAG'], ['FIRST_RESPONSE', 'TAG'], ['FIRST_RESPONSE', 'AGENT'], ['CREATED', 'ORGANIZATION'], ['REPLIES', 'ORGANIZATION'], ['FIRST_RESPONSE', 'ORGANIZATION'], ['RESOLUTION', 'ORGANIZATION'], ['SATISFACTION', 'ORGANIZATION'], ['BACKLOG', 'ORGANIZATION']].map(([metric, group]) => [`groups ${metric} by ${group}`, `${at}/groups`, { ...period, metric, group }]),
    ...['CREATED', 'REPLIES', 'FIRST_RESPONSE', 'SATISFACTION', 'BACKLOG'].map((metric) => [`ten conversations behind ${metric}`, at, { ...period, metric, limit: 10 }]),
    [`ten conversations behind CREATED of an organization`, at, { ...period, metric: 'CREATED', organization_id: most.id, limit: 10 }],
    ...['cases/metrics', 'cases/completed', 'cases/csat', 'cases/resolution', 'cases/response', 'cases/channel', 'sla/overview', 'sla/performance', 'sla/target', 'helpcenter/period'].map((name) => [`/insights/${name}`, `/insights/${name}`, period]),
  ];
};
try {
  while (!(await get(`${at}/series`, { metric: 'CREATED' })).data.is_complete);
  const lists = [requests(30), requests(365)];
  for (const [i, [name]] of lists[0].entries()) {
    if (!ONLY.test(name)) continue;
    const figures = [];
    for (const list of lists) {
      const [, path, query] = list[i];
      replies[`${path} ${JSON.stringify(query)}`] = await get(path, query);
      let least = Infinity;
      for (let n = 0; n < TIMES; n++) {
        const before = cpu();
        await get(path, query);
        least = Math.min(least, cpu() - before);
      }
      figures.push(least.toFixed(1));
    }
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
  if (process.env.REPLIES) writeFileSync(process.env.REPLIES, JSON.stringify(replies, null, 1));
} finally {
  server.kill();
}
