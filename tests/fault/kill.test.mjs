import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { Client, demo, open, until } from '../api/lib/index.mjs';

const CLIENTS = 32;

/** All rows of a list: title -> id. */
async function all(who, path, name) {
  const found = new Map();
  for (let offset = 0; ; offset += 1000) {
    const { data, total_count } = (await who.get(path, { limit: 1000, offset })).must(200).body;
    for (const row of data) found.set(row[name], row.id);
    if (offset + 1000 >= total_count) return found;
  }
}

/** Runs `write(i)` from many clients until `enough` are acknowledged, then sends SIGKILL during writes. */
async function loadAndKill(desk, enough, write) {
  const acknowledged = new Map();
  let next = 0;
  let killed;
  const worker = async () => {
    while (!killed) {
      const name = `row ${next++}`;
      try {
        const { id } = await write(name);
        acknowledged.set(name, id);
      } catch (error) {
        if (!killed) throw error;
      }
      if (acknowledged.size >= enough) killed ??= desk.kill();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  await killed;
  return acknowledged;
}

const KINDS = {
  teams: { write: (desk) => (title) => desk.owner.create('/teams', { title }), name: 'title' },
  conversations: { write: (desk) => (subject) => desk.customer.create('/conversations', { subject, contents: subject }), name: 'subject' },
};

for (const [kind, { write, name }] of Object.entries(KINDS)) {
  test(`every acknowledged write of ${kind} survives SIGKILL under load`, { timeout: 300_000 }, async (t) => {
    const desk = await open(t);
    const acknowledged = new Map();
    for (const enough of [50, 333, 800]) {
      const round = await loadAndKill(desk, enough, (n) => write(desk)(`${enough} ${n}`));
      for (const [n, id] of round) acknowledged.set(`${enough} ${n}`, id);
      const { status, stdout, stderr } = desk.check();
      assert.equal(status, 0, `deskd check: ${stdout}${stderr}`);
      await desk.start();
      const stored = await all(new Client(desk, desk.owner.headers), `/${kind}`, name);
      const lost = [...acknowledged].filter(([n, id]) => stored.get(n) !== id);
      assert.deepEqual(lost, [], 'acknowledged rows that are lost');
      assert.ok(stored.size <= acknowledged.size + 3 * CLIENTS, 'at most the writes under way may be stored without acknowledgement');
    }
  });
}

test('a conversation is stored completely or not at all', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  await loadAndKill(desk, 300, KINDS.conversations.write(desk));
  await desk.start();
  const { data } = (await desk.owner.get('/conversations', { limit: 1000 })).must(200).body;
  assert.ok(data.length >= 300);
  for (const { id, subject } of data) {
    const messages = (await desk.owner.fetch(`/conversations/${id}/messages`)).map((m) => m.content_text);
    assert.deepEqual(messages, [subject]);
  }
});

/** Kills the desk while it works in parts, and starts it again, three times; `status` is asked after each start. The last start has larger parts. */
async function killedInParts(desk, status) {
  const statuses = [];
  for (const ms of [5, 20, 40]) { // the clock runs for so long
    const ticking = setInterval(() => desk.clock.write(desk.clock.now + 2), 1);
    await rest(ms);
    await desk.kill();
    clearInterval(ticking);
    assert.equal(desk.check().status, 0, desk.check().stdout);
    desk.clock.write(desk.clock.now + 6 * 60_000); // the lease of the killed process expires
    if (ms === 40) desk.args = [];
    await desk.start();
    statuses.push(await status());
  }
  assert.ok(statuses.some((one) => one !== 'COMPLETED'), 'no SIGKILL came before the end');
}

test('the cascade of a deleted team continues after SIGKILL at any point', { timeout: 300_000 }, async (t) => {
  const desk = await demo(t, { conversations: 2000, args: ['--cascade-rows', '3'] });
  const before = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'A mark among the jobs' }] })).must(202).data.id;
  await desk.job(desk.owner, before);
  const team = (await desk.owner.fetch('/conversations')).map((c) => c.assigned_team).find(Boolean).id;
  (await desk.owner.delete(`/teams/${team}`)).must(200);
  await killedInParts(desk, async () => {
    assert.ok((await desk.owner.fetch('/conversations', { limit: 1000 })).every((c) => c.assigned_team?.id !== team));
    return (await desk.owner.fetch(`/jobs/${before + 1}`)).status;
  });
  assert.equal((await desk.job(desk.owner, before + 1)).status, 'COMPLETED');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an erasure continues after SIGKILL at any point, and its receipt counts each row once', { timeout: 300_000 }, async (t) => {
  const desk = await demo(t, { conversations: 300, args: ['--cascade-rows', '5'] });
  const { id } = (await desk.owner.fetch('/users', { email: 'customer@example.com' }))[0];
  const messages = Number(desk.sql(`SELECT COUNT(*) FROM posts WHERE creator_id = ${id} OR case_id IN (SELECT c.id FROM cases c WHERE c.requester_id = ${id})`));
  const erasure = (await desk.owner.post(`/users/${id}/erase`, { contents: true })).must(202).data.id;
  await killedInParts(desk, async () => (await desk.owner.fetch(`/erasures/${erasure}`)).status);
  const receipt = await until('the receipt', async () => {
    desk.clock.write(desk.clock.now + 1000);
    const now = await desk.owner.fetch(`/erasures/${erasure}`);
    return now.status === 'COMPLETED' ? now : undefined;
  });
  const count = (list, what) => list.find((row) => row.what === what)?.count;
  assert.equal(count(receipt.kept, 'MESSAGES'), messages);
  assert.deepEqual([count(receipt.removed, 'MESSAGE_TEXTS'), count(receipt.removed, 'PROFILE')], [messages, 1]);
  assert.equal(desk.sql(`SELECT COUNT(*) FROM posts WHERE content_text <> '(erased)' AND (creator_id = ${id} OR case_id IN (SELECT c.id FROM cases c WHERE c.requester_id = ${id}))`).trim(), '0');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});
