import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, connect, defer, directory, fixture, mailIn, open, relay, until, waiting } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';

// Processes with separate folders, as on two machines. The mail server of either may deliver a report.

test('a report is recorded from any folder, and once if it came through both', async (t) => {
  const desk = await open(t);
  const second = new Desk(directory(), { people: desk.people, clock: desk.clock.now, url: databaseUrl(desk.dir), base: desk.base, args: ['--secret-file', join(desk.dir, 'secret.key')], processes: 1 });
  defer(t, () => second.stop());
  await second.start();
  const to = await relay(t);
  await connect(desk, to);
  const ids = new Map();
  for (let i = 0; i < 12; i++) {
    const email = `p${i}@people.example`;
    ids.set(email, (await desk.owner.create('/users/invite', { full_name: 'Ines', email })).id);
  }
  await until('the letters', () => to.mails.length === ids.size);
  for (const [i, mail] of to.mails.entries()) {
    const report = fixture('postfix', mail);
    if (i !== 1) assert.equal(mailIn(desk, report).status, 0);
    if (i !== 0) assert.equal(mailIn(second, report).status, 0);
  }
  await until('both inboxes to be empty', () => waiting(desk).length + waiting(second).length === 0);
  for (const [email, id] of ids) {
    const noted = (await second.staff.fetch(`/users/${id}/activities`)).filter((a) => a.activity === 'USER_MAIL_FAILED');
    assert.equal(noted.length, 1, email);
  }
});
