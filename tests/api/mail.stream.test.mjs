/* Mails that take seconds to read. Nobody can tell it from the mail, and anybody can send one. No other mail waits for them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lmtp, lmtpPort, open } from './lib/index.mjs';
import { BINARY } from './lib/desk.mjs';
import { mail, receive } from './lib/mails.mjs';
import { waiting } from './lib/report.mjs';
import { sql } from './lib/sql.mjs';
import { until } from './lib/until.mjs';

const html = (text) => mail({ From: 'eve@evil.example', 'Content-Type': 'text/html' }, text);
/** The parser looks at all open elements for each new one: about ten seconds of CPU. */
const DEEP = html('<div>'.repeat(200_000));
const HERE = 'desk@example.com';
/** Hostile mails before each ordinary one. If each were tried, the first ordinary one would wait for 30 attempts. */
const BURSTS = [30, 3, 3, 3, 3];

/** The milliseconds that this machine takes now for as many attempts as a door is granted at once, and then some: a second on an idle one. */
function allowed(dir) {
  writeFileSync(join(dir, 'deep'), DEEP);
  const begun = Date.now();
  for (let i = 0; i < 10; i++) {
    const file = openSync(join(dir, 'deep'));
    const { signal } = spawnSync(BINARY, ['--mail-briefly', 'read'], { stdio: [file, 'ignore', 'ignore'] });
    closeSync(file);
    assert.equal(signal, 'SIGPROF');
  }
  return Math.max(1000, Date.now() - begun);
}

/** Delivers an honest mail, and returns the milliseconds until it is in the store. */
async function delay(desk, client, from) {
  const begun = Date.now();
  const [reply] = await client.transfer(mail({ From: from }), { from, to: [HERE] });
  const name = /stored as (\S+)/.exec(reply)[1];
  await until('the mail to be taken', () => ['new', 'later', 'slow'].every((folder) => !existsSync(join(desk.dir, 'mail', folder, name))));
  return Date.now() - begun;
}

const streams = {
  'of one sender': () => ({ from: 'eve@evil.example' }),
  'of many senders': (i) => ({ from: `eve${i}@evil.example` }),
  'of many senders and relays': (i) => ({ from: `eve${i}@evil.example`, relay: `192.0.2.${i}` }),
};
const RELAYED = (relay) => relay ? `Received: from x (y [${relay}])\r\n\tby mx.desk.example; Mon, 23 Nov 2026 09:30:00 +0000\r\n` : '';

for (const [name, origin] of Object.entries(streams)) {
  test(`a stream ${name} of mails that take ten seconds to read delays an ordinary mail by a second at most`, async (t) => {
    const desk = await open(t, { args: ['--lmtp', '127.0.0.1:0'] });
    (await desk.owner.put('/settings', { values: { 'mail.from_address': HERE } })).must(200);
    await until('the recipients', () => existsSync(join(desk.dir, 'mail/recipients')) && readFileSync(join(desk.dir, 'mail/recipients'), 'utf8').includes(HERE));
    const client = await lmtp(t, lmtpPort(desk));
    const hostile = await lmtp(t, lmtpPort(desk));
    const times = [], before = allowed(desk.dir);
    let sent = 0;
    for (const [i, burst] of BURSTS.entries()) {
      for (const end = sent + burst; sent < end; sent++) {
        const { from, relay } = origin(sent);
        const [reply] = await hostile.transfer(`${RELAYED(relay)}X-Number: ${sent}\r\n${DEEP}`, { from, to: [HERE] });
        assert.match(reply, /^250/);
      }
      times[i] = await delay(desk, client, `honest${i}@people.example`);
    }
    const most = Math.max(before, allowed(desk.dir)); // the load of the machine may change meanwhile
    t.diagnostic(`${times} of ${most} ms`);
    assert.ok(Math.max(...times) <= most, `the mails took ${times} ms, and ${most} ms are allowed`);
    await delay(desk, client, origin(0).from); // it is put aside, and is the smallest of these
    assert.ok(Number(sql(desk, 'SELECT COUNT(*) FROM mails WHERE status = 3')) >= BURSTS.length);
    const stored = Number(sql(desk, `SELECT COUNT(*) FROM mails WHERE content_text NOT LIKE 'Hello desk%'`));
    assert.ok(new Set(waiting(desk)).size + stored >= sent, 'no mail is lost');
  });
}

test('a mail that is large, slow to read, or full of attachments arrives whole', async (t) => {
  const desk = await open(t);
  const parts = (n, bytes) => Array.from({ length: n }, (_, i) => `--B\r\nContent-Type: text/x-one; name=${i}.txt\r\nContent-Disposition: attachment\r\n\r\n${i}${'x'.repeat(bytes)}\r\n`).join('');
  const mixed = (n, bytes) => mail({ 'Content-Type': 'multipart/mixed; boundary=B' }, `--B\r\n\r\nHello\r\n${parts(n, bytes)}--B--\r\n`);
  const kept = { slow: [html('<div>'.repeat(30_000)), 0], large: [mixed(1, 5 << 20), 1], full: [mixed(25, 1), 25] };
  for (const [name, [raw, files]] of Object.entries(kept)) {
    const row = await receive(desk, raw);
    assert.deepEqual([row.status, Number(sql(desk, `SELECT COUNT(*) FROM post_attachments WHERE post_id = ${row.post_id}`))], ['SUCCESS', files], name);
  }
});
