// Durable deliveries per second by LMTP (1 and 20 connections) and by pipe, with CPU and memory of the door, for mails of 10 KB and 10 MB.
// BENCH_SECONDS: length of each measurement (5). BENCH_DIR: folder on the disk to measure (a temporary one).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../deskd', import.meta.url));
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const HERE = 'support@desk.example';
const HZ = 100; // clock ticks a second of /proc on Linux
const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'lmtp-'));
for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
writeFileSync(join(dir, 'mail/recipients'), `${HERE}\n`);
const mail = (size) => `From: ada@people.example\r\nSubject: Lamp\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(Math.ceil(size / 78))}`;
const empty = () => { for (const name of readdirSync(join(dir, 'mail/new'))) rmSync(join(dir, 'mail/new', name)); };

const ticks = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ').slice(11, 13).reduce((sum, n) => sum + Number(n), 0);
const memory = (pid) => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);

async function listener() {
  const child = spawn(BINARY, ['lmtp', '--data', dir, '--lmtp', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const port = await new Promise((resolve) => child.stdout.setEncoding('utf8').on('data', (text) => resolve(Number(/:(\d+)\n/.exec(text)[1]))));
  return { child, port };
}

/** Delivers the mail again and again until `ends`. Returns how often. */
function client(port, text, ends) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1').setNoDelay();
    const envelope = `MAIL FROM:<ada@people.example>\r\nRCPT TO:<${HERE}>\r\nDATA\r\n`, data = Buffer.from(`${text}.\r\n`);
    let heard = '', count = -1;
    socket.on('error', reject).setEncoding('latin1').on('data', (piece) => {
      heard += piece;
      if (heard.startsWith('220') && heard.endsWith('LMTP\r\n')) socket.write('LHLO bench\r\n');
      else if (/\n354 .*\r\n$/.test(heard)) socket.write(data);
      else if (/250 SIZE \d+\r\n$/.test(heard) || /^250 2\.0\.0 stored.*\r\n$/.test(heard)) {
        if (++count >= 0 && Date.now() >= ends && count > 0) return resolve(count), socket.destroy();
        socket.write(envelope);
      } else return;
      heard = '';
    });
  });
}

async function byLmtp(size, connections) {
  const { child, port } = await listener();
  const text = mail(size), began = Date.now(), before = ticks(child.pid);
  const counts = await Promise.all(Array.from({ length: connections }, () => client(port, text, began + SECONDS * 1000)));
  const count = counts.reduce((a, b) => a + b), seconds = (Date.now() - began) / 1000;
  const row = { door: `LMTP, ${connections} connection${connections > 1 ? 's' : ''}`, size, rate: count / seconds, cpu: (ticks(child.pid) - before) / HZ / count * 1e6, memory: memory(child.pid) };
  child.kill('SIGTERM');
  await new Promise((resolve) => child.on('close', resolve));
  empty();
  return row;
}

function byPipe(size) {
  const text = mail(size), began = Date.now();
  const out = join(dir, 'time');
  let count = 0, cpu = 0, most = 0;
  while (Date.now() - began < SECONDS * 1000) {
    const { status } = spawnSync('/usr/bin/time', ['-q', '-f', '%U %S %M', '-o', out, BINARY, 'mail-in', '--data', dir, '--recipient', HERE], { input: text });
    if (status !== 0) throw new Error(`mail-in: ${status}`);
    const [user, system, kib] = readFileSync(out, 'utf8').trim().split(' ').map(Number);
    count++, cpu += user + system, most = Math.max(most, kib);
  }
  empty();
  return { door: 'pipe, one after the other', size, rate: count / ((Date.now() - began) / 1000), cpu: cpu / count * 1e6, memory: Math.round(most / 1024) };
}

console.log('| door | mail | deliveries a second | CPU of the door for each | its memory |\n|---|---|---|---|---|');
const show = ({ door, size, rate, cpu, memory: mib }) => console.log(`| ${door} | ${size < 1e6 ? `${size / 1e3} KB` : `${size / 1e6} MB`} | ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} | ${cpu < 1e4 ? `${Math.round(cpu)} us` : `${(cpu / 1e3).toFixed(1)} ms`} | ${mib} MiB |`);
for (const size of [1e4, 1e7]) {
  for (const connections of [1, 20]) show(await byLmtp(size, connections));
  if (spawnSync('/usr/bin/time', ['true']).status === 0) show(byPipe(size));
}
rmSync(dir, { recursive: true });
