// The cost of following changes for reports: node bench/reports_follow.mjs FOLDER PASSWORD_FILE [BINARY]. The folder is a demo desk that serves nothing else. CHANGES (500) conversations are changed in each of three ways,
// then a report is read, which follows them. "Follow" is the CPU of the server for that, less that of the next reading, by change, and the time until the reply. "Write" is the CPU of the changes themselves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';

const [folder, passwordFile, binary = './deskd'] = process.argv.slice(2), CHANGES = Number(process.env.CHANGES ?? 500);
const server = spawn(binary, ['serve', '--data', folder, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
const [line] = await once(server.stdout, 'data'), api = `${/http:\/\/\S+/.exec(String(line))[0]}/api/v1`;
const cpu = () => readdirSync(`/proc/${server.pid}/task`).reduce((sum, task) => { try { return sum + Number(readFileSync(`/proc/${server.pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]); } catch { return sum; } }, 0) / 1e6;
const login = await fetch(`${api}/session`, { headers: { Authorization: `Basic ${Buffer.from(`owner@example.com:${readFileSync(passwordFile, 'utf8').split('\n')[0]}`).toString('base64')}` } });
const headers = { cookie: login.headers.getSetCookie().map((one) => one.split(';')[0]).join('; '), 'x-csrf-token': login.headers.get('x-csrf-token'), 'content-type': 'application/json' };
const call = async (method, path, body) => {
  const reply = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }), data = await reply.json();
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(data)}`);
  return data;
};
const read = async () => (await call('GET', '/insights/cases/series?metric=SLA')).data.is_complete;
const ways = {
  'a reply': (id) => call('POST', `/cases/${id}/reply`, { contents: 'We look into it.', channel: 'MAIL' }),
  'another priority': (id, i) => call('PUT', `/cases/${id}`, { priority_id: 1 + (i % 4) }),
  'a note': (id) => call('POST', `/cases/${id}/notes`, { contents: 'Seen.' }),
};
try {
  while (!(await read()));
  const { data: cases } = await call('GET', `/cases?status=NEW,OPEN,PENDING&limit=${CHANGES}&fields=id`);
  for (const [name, change] of Object.entries(ways)) {
    const start = cpu();
    for (const [i, { id }] of cases.entries()) await change(id, i);
    const written = cpu(), began = performance.now();
    while (!(await read()));
    const followed = cpu(), ms = performance.now() - began;
    await read();
    const again = cpu();
    console.log(`| ${name} | ${((written - start) / cases.length).toFixed(2)} | ${((followed - written - (again - followed)) / cases.length).toFixed(2)} | ${ms.toFixed(0)} |`);
  }
} finally {
  server.kill();
}
