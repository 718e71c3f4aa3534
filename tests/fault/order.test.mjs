import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, directory, open, until } from '../api/lib/index.mjs';

// SIGKILL never shows a missing fsync, because the kernel keeps written data. So this test traces system calls.

const CALLS = 'fdatasync,fsync,write,writev,sendto,sendmsg,pwrite64,read,recvfrom,recvmsg';
const available = spawnSync('strace', ['-f', '-e', 'trace=write', 'true']).status === 0;
const skip = available ? false : 'strace is not permitted here';

/** Events of a trace in order: {kind: wal|sync|request|reply, at: begin, done: end, fd}. */
function events(file) {
  const open = new Map();
  const list = [];
  const lines = readFileSync(file, 'latin1').split('\n');
  for (const [at, line] of lines.entries()) {
    const [, pid, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (!rest) continue;
    if (rest.startsWith('<... ')) {
      const event = open.get(pid);
      open.delete(pid);
      if (event) Object.assign(event, { done: at, tail: rest });
      continue;
    }
    const [, call, fd, path] = /^(\w+)\((\d+)<([^>]*)>/.exec(rest) ?? [];
    if (!call) continue;
    const event = { call, fd: Number(fd), path, text: rest, at, done: at };
    if (rest.includes('<unfinished ...>')) open.set(pid, Object.assign(event, { done: Infinity }));
    list.push(event);
  }
  const said = (e) => `${e.text}${e.tail ?? ''}`;
  const kind = (e) => {
    if (/sync$/.test(e.call)) return e.path.endsWith('-wal') ? 'sync' : undefined;
    if (/write/.test(e.call) && e.path.endsWith('-wal')) return 'wal';
    if (/"HTTP\/1\.1 20\d/.test(e.text)) return 'reply';
    if (/"POST \//.test(said(e))) return 'request';
    return undefined;
  };
  return list.map((e) => ({ ...e, kind: kind(e) })).filter((e) => e.kind);
}

async function traced(t, work) {
  const file = join(directory(), 'trace');
  const desk = await open(t, { under: ['strace', '-D', '-f', '-y', '-s', '64', '-o', file, '-e', `trace=${CALLS}`] });
  await desk.owner.get('/teams'); // logs in and creates the session
  await work(desk);
  const { pid } = desk.child; // the pid of deskd, because with -D the tracer is its grandchild
  await desk.stop();
  await until('the end of the trace', () => new RegExp(`^${pid} .*\\+\\+\\+ exited`, 'm').test(readFileSync(file, 'latin1')));
  return events(file);
}

test('sequential: each reply leaves after an fdatasync that follows the last write to the WAL', { skip, timeout: 60_000 }, async (t) => {
  const trace = await traced(t, async (desk) => {
    for (let i = 0; i < 50; i++) await desk.owner.create('/teams', { title: `T ${i}` });
  });
  let replies = 0;
  for (const reply of trace.filter((e) => e.kind === 'reply' && e.text.includes(' 201 '))) {
    const wal = trace.filter((e) => e.kind === 'wal' && e.at < reply.at).at(-1);
    const sync = trace.filter((e) => e.kind === 'sync' && e.done < reply.at).at(-1);
    assert.ok(wal && sync, 'no write to the WAL before a reply');
    assert.ok(sync.at > wal.done, `a reply at line ${reply.at} after a write at ${wal.at} and a sync at ${sync.at}`);
    replies++;
  }
  assert.equal(replies, 50);
});

test('concurrent: each reply leaves after a write and an fdatasync that both follow its request', { skip, timeout: 60_000 }, async (t) => {
  const trace = await traced(t, async (desk) => {
    for (let wave = 0; wave < 20; wave++) {
      await Promise.all(Array.from({ length: 16 }, (_, i) => desk.owner.create('/teams', { title: `T ${wave} ${i}` })));
    }
  });
  const asked = new Map(); // the latest request of each socket
  let replies = 0;
  for (const event of trace) {
    if (event.kind === 'request') asked.set(event.fd, event);
    if (event.kind !== 'reply' || !event.text.includes(' 201 ')) continue;
    const request = asked.get(event.fd);
    assert.ok(request, 'a reply without a request');
    const safe = trace.some((sync) => sync.kind === 'sync' && sync.done < event.at
      && trace.some((wal) => wal.kind === 'wal' && wal.at > request.at && wal.done < sync.at));
    assert.ok(safe, `the reply at line ${event.at} left without a sync of what its request at line ${request.at} wrote`);
    replies++;
  }
  assert.equal(replies, 320);
  const syncs = trace.filter((e) => e.kind === 'sync').length;
  t.diagnostic(`${syncs} syncs for ${replies} writes of 16 clients`);
});

test('an export beside a running desk syncs the file that it leaves for the audit log before its name, and then both folders', { skip }, async (t) => {
  const desk = await open(t, { processes: 1 }), file = join(directory(), 'trace');
  const { status, stderr } = spawnSync('strace', ['-f', '-y', '-s', '200', '-o', file, '-e', 'trace=fsync,rename', BINARY, 'export', ...desk.store, '--to', join(directory(), 'export')], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const calls = readFileSync(file, 'utf8').split('\n').map((line) => /(fsync\(\d+<|rename\(")([^>"]*)/.exec(line)).filter(Boolean).map(([, call, path]) => `${call.slice(0, 6)} ${path.replace(desk.dir, '').replace(/[0-9a-f]{16,}/, 'NAME')}`);
  assert.deepEqual(calls.slice(-4), ['fsync( /audit.pending/.NAME', 'rename /audit.pending/.NAME', 'fsync( /audit.pending', 'fsync( ']);
});
