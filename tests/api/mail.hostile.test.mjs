/* Mails that an attacker makes. Each test is about one attack that succeeded once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';
import { arrive, lastMail, mail, mailRows, receive, token } from './lib/mails.mjs';
import { waiting } from './lib/report.mjs';
import { sql } from './lib/sql.mjs';

const highest = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const part = (headers, body) => `--B\r\n${headers}\r\n\r\n${body}\r\n`;
const picture = (id) => part(`Content-Type: image/png; name=x.png\r\nContent-ID: <${id}>`, `bytes of ${id}`);

describe('mails of attackers', () => {
  const world = shared(async ({ desk }) => {
    await desk.owner.update('/settings', { values: { 'mail.authserv_id': 'mx.desk.example' } });
  });

  test('a mail that shows one picture 12,000 times takes little memory', async () => {
    const { desk } = world;
    const html = `<img src="cid:b.c"><img src="cid:none"><img src="cid:a">${'<img src="cid:a">'.repeat(12_000)}`;
    const raw = mail({ From: 'pictures@people.example', 'Content-Type': 'multipart/related; boundary=B' }, `${part('Content-Type: text/html', html)}${picture('a')}${picture('b.c')}--B--\r\n`);
    await receive(desk, mail({ From: 'pictures@people.example' }));
    const before = highest(desk.child.pid);
    const row = await receive(desk, raw);
    assert.equal(row.status, 'SUCCESS');
    assert.ok(highest(desk.child.pid) - before < 200, 'the HTML of 200 KB takes less than 200 MiB');
    const files = sql(desk, `SELECT file_id FROM post_attachments WHERE post_id = ${row.post_id} ORDER BY sort_order`).trim().split('\n');
    const wanted = `<img src="cid:${files[1]}"><img src="cid:none"><img src="cid:${files[0]}">`;
    assert.equal(sql(desk, `SELECT SUBSTR(content_html, 1, ${wanted.length}) FROM posts WHERE id = ${row.post_id}`).trim(), wanted);
  });

  test('addresses of the envelope that are not UTF-8 do not keep a mail from the desk', async () => {
    const { desk } = world;
    const before = lastMail(desk);
    const bad = 'a\xff\xc3';
    for (const [to, from] of [['desk@example.com', `${bad}@people.example`], [`desk+${bad}@example.com`, 'ada@people.example']])
      await arrive(desk, { raw: mail({ From: 'bytes@people.example' }), to, from, bytes: 'latin1' });
    const rows = mailRows(desk, before);
    assert.deepEqual(rows.map((r) => r.status), ['SUCCESS', 'SUCCESS']);
    assert.deepEqual(waiting(desk, 'failed'), []);
    const kept = sql(desk, `SELECT envelope_from, recipient FROM mails WHERE id > ${before} ORDER BY id`).trim().split('\n');
    assert.deepEqual(kept, ['a\ufffd\ufffd@people.example|desk@example.com', 'ada@people.example|desk+a\ufffd\ufffd@example.com']);
  });

  test('a reply that goes to two addresses of the desk becomes one message', async () => {
    const { desk } = world;
    const from = { From: 'twice@people.example' };
    const { case_id } = await receive(desk, mail(from));
    const to = `desk+${token(desk, 'c', case_id)}@example.com`;
    const reply = mail({ ...from, To: to, Cc: 'desk@example.com', 'Message-ID': '<reply@people.example>' }, 'Once.\r\n');
    const posts = () => Number(sql(desk, `SELECT COUNT(*) FROM posts WHERE case_id = ${case_id} AND kind = 1`));
    assert.equal((await receive(desk, reply, { to })).status, 'SUCCESS');
    const second = await receive(desk, `Delivered-To: desk@example.com\r\n${reply}`, { to: 'desk@example.com' });
    assert.deepEqual([second.status, second.case_id, second.post_id], ['REJECTED', case_id, null]);
    assert.match(second.reason, /another address of this desk/);
    assert.equal(posts(), 2);
    const other = mail({ ...from, To: to, 'Message-ID': '<reply@people.example>' }, 'Another text under the same Message-ID.\r\n');
    assert.equal((await receive(desk, other, { to })).status, 'SUCCESS');
    assert.equal(posts(), 3);
  });

  test('a stranger who uses the Message-ID of a customer does not keep the reply of the customer out', async () => {
    const { desk } = world;
    const { case_id } = await receive(desk, mail({ From: 'victim@people.example' }));
    const to = `desk+${token(desk, 'c', case_id)}@example.com`;
    const reply = (from) => mail({ From: from, To: to, 'Message-ID': '<guessed@people.example>' }, 'Yes.\r\n');
    assert.equal((await receive(desk, reply('stranger@people.example'), { to })).suspension, 'NOT_PARTICIPANT');
    assert.equal((await receive(desk, reply('victim@people.example'), { to })).status, 'SUCCESS');
  });

  test('a mail with two authors is suspended, because the server may have authenticated the other one', async () => {
    const { desk } = world;
    const agent = desk.people.agent.email;
    const { case_id } = await receive(desk, mail({ From: 'authors@people.example' }));
    const to = `desk+${token(desk, 'c', case_id)}@example.com`;
    const proof = { To: to, 'Authentication-Results': 'mx.desk.example; dmarc=pass' };
    for (const From of [`${agent}, evil@evil.example`, `evil@evil.example, ${agent}`, `staff: ${agent}, evil@evil.example;`])
      assert.equal((await receive(desk, mail({ From, ...proof }), { to })).suspension, 'INVALID_EMAIL_HEADERS', From);
    assert.equal((await receive(desk, mail({ From: `${agent}, <${agent.toUpperCase()}>`, ...proof }), { to })).status, 'SUCCESS');
    assert.equal((await receive(desk, mail({ From: 'Byron, Ada <comma@people.example>' }))).status, 'SUCCESS');
    const many = await receive(desk, mail({ From: Array.from({ length: 120 }, () => Array.from({ length: 12 }, (_, i) => `a${i}@evil.example`).join(', ')) }));
    assert.equal(many.suspension, 'INVALID_EMAIL_HEADERS');
  });
});
