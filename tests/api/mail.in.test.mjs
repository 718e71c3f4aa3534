/* Each folder of tests/mail is a scenario: mails as they come in, and expected.json. Its steps are done in order by one desk, which all scenarios share.
 *
 * A step delivers a mail ("mail": a file, "to" and "from": the envelope, "times"), or asks the API ("put", "post" or "delete": a path, "body", "as"), or
 * moves the clock ("hours"). The other members of a mail's step are those of its row. "case" is the name of its conversation: a name that no step had
 * before is a new one, null is none, and "" is the conversation of no step.
 *
 * Placeholders: {{x}} the scenario; {{case}} the id of conversation a, {{case:b}} that of b; {{reply}}, {{message}}, {{subject}} the tokens of a; {{sender}} the id of the person who began the last one;
 * {{forged}} a token of the right form; {{loop}} the loop header; {{agent}}, {{customer}} ... addresses. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HOUR, ROLES, connect, relay, shared } from './lib/index.mjs';
import { arrive, lastMail, loopMark, mail, mailRows, receive, token } from './lib/mails.mjs';
import { sql } from './lib/sql.mjs';
import { until } from './lib/until.mjs';

const SCENARIOS = fileURLToPath(new URL('../mail/', import.meta.url));
const FORGED = 'abcdefghijklmnop';
const OURS = ['status', 'suspension', 'dkim', 'spf', 'dmarc'];

class Scenario {
  constructor(world, name) {
    Object.assign(this, { world, desk: world.desk, name, cases: {}, folder: join(SCENARIOS, name) });
    this.expected = JSON.parse(readFileSync(join(this.folder, 'expected.json'), 'utf8'));
  }

  value(word, of = 'a') {
    const id = this.cases[of];
    const fixed = { x: this.name, loop: loopMark(this.desk), forged: `c${id ?? 1}-${FORGED}`, 'forged-message': `m${id ?? 1}-${FORGED}.1`, 'forged-subject': `s${id ?? 1}-${FORGED}` };
    if (word in fixed) return fixed[word];
    if (word === 'case') return id;
    if (word === 'sender') return this.sender;
    if (ROLES.includes(word)) return this.desk.people[word].email;
    const kind = { reply: 'c', message: 'm', subject: 's', back: 'b' }[word];
    assert.ok(kind && id, `{{${word}}} of ${this.name}`);
    return kind === 'm' ? `${token(this.desk, kind, id)}.1` : token(this.desk, kind, id);
  }

  fill(text) {
    return text.replace(/\{\{([\w-]+)(?::(\w+))?\}\}/g, (_, word, of) => this.value(word, of));
  }

  async step(step) {
    if (step.hours) return this.desk.clock.forward(step.hours * HOUR);
    const verb = ['put', 'post', 'delete'].find((v) => step[v]);
    if (verb) return (await this.desk.as(step.as ?? 'owner')[verb](this.fill(step[verb]), JSON.parse(this.fill(JSON.stringify(step.body ?? {}))))).must(200, 201);
    if (step.settings) return this.desk.owner.update('/settings', { values: step.settings });
    const raw = this.fill(readFileSync(join(this.folder, step.mail), 'latin1'));
    const envelope = { to: this.fill(step.to ?? 'desk@example.com'), from: this.fill(step.from ?? 'return@{{x}}.example') };
    const before = lastMail(this.desk);
    for (let i = 0; i < (step.times ?? 1); i++) await arrive(this.desk, { raw: Buffer.from(raw.replaceAll('{{n}}', String(i)).replaceAll('(n)', String(i)), 'latin1'), ...envelope });
    return this.check(step, mailRows(this.desk, before));
  }

  check(step, rows) {
    const row = rows.at(-1);
    if (step.dropped) return assert.deepEqual(rows, []);
    assert.ok(row, `${step.mail}: no row of mails`);
    const about = `${step.mail}: ${JSON.stringify(row)}`;
    for (const member of OURS.filter((m) => m in step)) assert.equal(row[member], step[member], about);
    if (!('suspension' in step)) assert.equal(row.suspension, null, about);
    if (!('status' in step)) assert.equal(row.status, step.suspension ? 'SUSPENDED' : 'SUCCESS', about);
    assert.equal(row.is_suspended, row.status === 'SUSPENDED', about);
    if (step.reason) assert.match(row.reason ?? '', new RegExp(this.fill(step.reason)), about);
    else if (row.status === 'SUCCESS') assert.equal(row.reason, null, about);
    if (!step.case) return assert.equal(row.case_id, null, about);
    if (step.case in this.cases) return assert.equal(row.case_id, this.cases[step.case], about);
    assert.ok(row.case_id && !Object.values(this.cases).includes(row.case_id), about);
    this.cases[step.case] = row.case_id;
    this.sender = row.sender_id;
  }

  async ends({ case: of = 'a', contents, participants, html, metadata, ...members }) {
    const id = this.cases[of];
    const found = await this.desk.owner.fetch(`/cases/${id}`, { include: 'user,brand,team,case_status' });
    const shown = { subject: found.subject, status: found.status.label, post_count: found.post_count, portal: found.portal, requester: found.requester.full_name, creator: found.creator.full_name, team: found.assigned_team?.title ?? null, brand: found.brand.name };
    for (const [name, value] of Object.entries(members)) assert.equal(shown[name], typeof value === 'string' ? this.fill(value) : value, `${name} of ${of}`);
    const messages = sql(this.desk, `SELECT REPLACE(content_text, '\n', '~'), COALESCE(metadata, '') FROM posts WHERE case_id = ${id} AND kind = 1 ORDER BY id`).trim().split('\n').map((line) => line.split('|'));
    if (contents) assert.deepEqual(messages.map(([text]) => text.replaceAll('~', '\n').trim()), contents.map((c) => this.fill(c)));
    if (html) assert.match(sql(this.desk, `SELECT content_html FROM posts WHERE id = (SELECT last_message_id FROM cases WHERE id = ${id})`), new RegExp(html));
    if (metadata) assert.equal(messages[0][1], this.fill(metadata));
    if (participants) assert.deepEqual((await this.desk.owner.fetch(`/cases/${id}/participants`, { limit: 100, include: 'user,user_minimal' })).map((p) => p.full_name).sort(), participants.map((p) => this.fill(p)).sort());
  }

  async run() {
    const { to } = this.world;
    const sent = to.mails.length;
    const kept = Object.fromEntries((await this.desk.owner.fetch('/settings')).map((s) => [`${s.category}.${s.name}`, s.value]));
    for (const step of this.expected.steps) await this.step(step);
    for (const end of this.expected.ends ?? []) await this.ends(end);
    for (const out of this.expected.out ?? []) {
      const wanted = this.fill(out.to);
      await until(`a mail to ${wanted}`, () => to.mails.slice(sent).some((m) => m.to.includes(wanted) && (!out.text || m.text.includes(out.text))));
    }
    const changed = this.expected.steps.flatMap((s) => Object.keys(s.settings ?? {}));
    if (changed.length) await this.desk.owner.update('/settings', { values: Object.fromEntries(changed.map((name) => [name, kept[name]])) });
  }
}

/** Releases a mail as mail_release does. */
const release = (desk, id) => sql(desk, `UPDATE mails SET status = 2, is_suspended = 0 WHERE id = ${id}; INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('mail_release', 1, '{"mail_id":${id}}', 0, 0, 0, 0)`);

describe('mails that come in', () => {
  const world = shared(async (w) => {
    w.to = await relay(w.t);
    await connect(w.desk, w.to, { 'mail.authserv_id': 'mx.desk.example' });
  });

  for (const name of readdirSync(SCENARIOS).sort()) {
    const { title } = JSON.parse(readFileSync(join(SCENARIOS, name, 'expected.json'), 'utf8'));
    test(title, () => new Scenario(world, name).run());
  }

  test('60 of 100 mails of a stranger in an hour open conversations, and the rest is suspended', async () => {
    const { desk } = world;
    const before = lastMail(desk);
    const letters = world.to.mails.length;
    for (let i = 0; i < 100; i++) await arrive(desk, { raw: mail({ From: 'flood@flood.example', Subject: `${i}` }), to: 'desk@example.com', from: 'flood@flood.example' });
    const rows = mailRows(desk, before);
    assert.deepEqual([rows.filter((r) => r.status === 'SUCCESS').length, rows.filter((r) => r.suspension === 'LOOP_DETECTED').length], [60, 40]);
    assert.equal(world.to.mails.length, letters, 'the desk sends no mail in answer');
  });

  test('a flood under the address of a person keeps out neither the mails of a later hour nor those that DMARC proves', async () => {
    const { desk } = world;
    const from = 'often@flooded.example';
    const flood = async (n, more) => {
      const before = lastMail(desk);
      for (let i = 0; i < n; i++) await arrive(desk, { raw: mail({ From: from, Subject: `${before} ${i}`, ...more }), to: 'desk@example.com', from });
      return mailRows(desk, before).map((r) => r.suspension ?? r.status);
    };
    assert.ok((await flood(60)).every((result) => result === 'SUCCESS'));
    const proof = { 'Authentication-Results': 'mx.desk.example; dmarc=pass header.from=flooded.example' };
    assert.deepEqual(await flood(1), ['LOOP_DETECTED']);
    assert.deepEqual(await flood(1, proof), ['SUCCESS'], 'mails without DMARC do not use up the limit of the owner');
    await desk.clock.forward(HOUR / 2);
    assert.ok((await flood(65)).every((result) => result === 'LOOP_DETECTED'), 'the flood goes on');
    await desk.clock.forward(HOUR / 2 + 1);
    assert.deepEqual(await flood(1), ['SUCCESS'], 'suspended mails of the last hour do not count');
  });

  test('people in Cc take part until a conversation has fifty participants, and addresses of the desk never do', async () => {
    const { desk } = world;
    await desk.owner.update('/settings', { values: { 'mail.return_path': 'bounces@example.com' } });
    const cc = (k, ...more) => [...Array.from({ length: 20 }, (_, i) => `cc${k}x${i}@copies.example`), ...more].join(', ');
    const first = await receive(desk, mail({ From: 'asks@copies.example', Cc: cc(0) }));
    const people = () => Number(sql(desk, `SELECT COUNT(*) FROM case_participants WHERE case_id = ${first.case_id}`));
    const again = (Cc) => receive(desk, mail({ From: 'asks@copies.example', Cc }), { to: `desk+${token(desk, 'c', first.case_id)}@example.com` });
    assert.equal(people(), 21);
    await again('desk@example.com, Desk+x@example.com, bounces@example.com');
    assert.equal(people(), 21);
    const letters = Number(sql(desk, 'SELECT COUNT(*) FROM outgoing_mails'));
    await again(cc(1));
    await again(cc(2));
    assert.equal(people(), 50);
    assert.equal((await again('late@copies.example')).status, 'SUCCESS');
    assert.equal(people(), 50);
    assert.equal(Number(sql(desk, 'SELECT COUNT(*) FROM outgoing_mails')), letters, 'no mail goes out');
    assert.equal((await receive(desk, mail({ From: 'bounces@example.com' }))).suspension, 'SOURCE_IS_MAILBOX');
    await desk.owner.update('/settings', { values: { 'mail.return_path': '' } });
  });

  test('a message that came by mail shows the people whom its sender named in To and Cc', async () => {
    const { desk } = world;
    const { email } = desk.people.customer;
    const row = await receive(desk, mail({ From: 'names@named.example', To: `desk@example.com, ${email.toUpperCase()}`, Cc: 'Bob <bob@named.example>, noreply@named.example' }));
    const message = await desk.owner.fetch(`/cases/${row.case_id}/messages/${row.post_id}`, { include: 'identity_email' });
    assert.deepEqual(message.recipients.map((r) => [r.type, r.name, r.identity.email, r.email_delivery_status, r.email_delivery_status_updated_at]),
      [['TO', 'Cora Customer', email, null, null], ['CC', 'Bob', 'bob@named.example', null, null]]);
    await desk.owner.create(`/cases/${row.case_id}/reply`, { contents: 'Hello', channel: 'MAIL' });
    const shown = await desk.owner.fetch(`/cases/${row.case_id}/messages`);
    assert.deepEqual(shown.map((m) => m.recipients.length), [1, 2]);
    const bob = message.recipients[1].identity.user?.id ?? (await desk.owner.fetch('/users', { email: 'bob@named.example' }))[0].id;
    (await desk.owner.delete(`/users/${bob}`, { purge: true })).must(200);
    await until('the purge', async () => (await desk.owner.fetch(`/cases/${row.case_id}/messages/${row.post_id}`)).recipients.length === 1);
  });

  test('a new sender joins the organization that owns the validated domain of the address', async () => {
    const { desk } = world;
    const made = await desk.owner.create('/organizations', { name: 'Validated', domains: 'validated.example', is_validated: true });
    await desk.owner.create('/organizations', { name: 'Claimed', domains: 'claimed.example' });
    const organization = async (from) => (await desk.owner.fetch(`/users/${(await receive(desk, mail({ From: from }))).sender_id}`)).organization?.id;
    assert.equal(await organization('New <new@Validated.example>'), made.id);
    assert.equal(await organization('New <new@claimed.example>'), undefined, 'a domain that is not validated proves nothing');
  });

  test('a released mail with a forged token opens a conversation', async () => {
    const { desk } = world;
    const row = await receive(desk, mail({ From: 'forger@released.example' }), { to: `desk+c1-${FORGED}@example.com` });
    assert.equal(row.suspension, 'INVALID_CASE_TOKEN');
    release(desk, row.id);
    await until('the release', () => mailRows(desk, row.id - 1)[0].status === 'SUCCESS');
    assert.equal((await desk.owner.fetch(`/cases/${mailRows(desk, row.id - 1)[0].case_id}`)).post_count, 1);
  });

  test('a released mail from the address of an agent has no powers of staff', async () => {
    const { desk } = world;
    const first = await receive(desk, mail({ From: 'asks@released.example' }));
    const row = await receive(desk, mail({ From: desk.people.agent.email }, 'Hello'), { to: `desk+${token(desk, 'c', first.case_id)}@example.com` });
    assert.equal(row.suspension, 'UNVERIFIED_EMAIL');
    release(desk, row.id);
    await until('the release', () => mailRows(desk, row.id - 1)[0].status === 'SUCCESS');
    const after = await desk.owner.fetch(`/cases/${first.case_id}`, { include: 'case_status' });
    assert.deepEqual([after.post_count, after.status.label, after.last_reply_by_agent_at], [2, 'New', null]);
    assert.equal(sql(desk, `SELECT COUNT(*) FROM outgoing_mails WHERE post_id IN (SELECT id FROM posts WHERE case_id = ${first.case_id})`).trim(), '0');
  });

  test('staff who take part in a conversation that they do not see write into it as customers, also if DMARC passed', async () => {
    const { desk } = world;
    const own = await desk.person('agent', { agent_case_access: 'SELF' });
    const proof = { From: own.email, 'Authentication-Results': 'mx.desk.example; dmarc=pass' };
    const first = await receive(desk, mail({ From: 'asks@unseen.example', Cc: own.email }));
    const to = `desk+${token(desk, 'c', first.case_id)}@example.com`;
    assert.equal((await receive(desk, mail(proof, 'Hello'), { to })).case_id, first.case_id);
    const after = await desk.owner.fetch(`/cases/${first.case_id}`, { include: 'case_status' });
    assert.deepEqual([after.post_count, after.status.label, after.last_reply_by_agent_at], [2, 'New', null]);
    assert.equal(sql(desk, `SELECT COUNT(*) FROM outgoing_mails WHERE post_id IN (SELECT id FROM posts WHERE case_id = ${first.case_id})`).trim(), '0');
    await desk.owner.update(`/cases/${first.case_id}`, { assigned_agent_id: own.id });
    await receive(desk, mail(proof, 'Turn it.'), { to });
    assert.ok((await desk.owner.fetch(`/cases/${first.case_id}`)).last_reply_by_agent_at);
  });

  test('staff who see the conversations of their teams write as customers into one without team that another agent has', async () => {
    const { desk } = world;
    const teams = await desk.person('agent', { agent_case_access: 'TEAMS' });
    const proof = { From: teams.email, 'Authentication-Results': 'mx.desk.example; dmarc=pass' };
    const first = await receive(desk, mail({ From: 'asks@taken.example', Cc: teams.email }));
    const to = `desk+${token(desk, 'c', first.case_id)}@example.com`;
    await desk.owner.update(`/cases/${first.case_id}`, { assigned_agent_id: desk.people.agent.id });
    assert.equal((await receive(desk, mail(proof, 'Hello'), { to })).case_id, first.case_id);
    assert.equal((await desk.owner.fetch(`/cases/${first.case_id}`)).last_reply_by_agent_at, null);
    await desk.owner.update(`/cases/${first.case_id}`, { assigned_agent_id: null });
    await receive(desk, mail(proof, 'Turn it.'), { to });
    assert.ok((await desk.owner.fetch(`/cases/${first.case_id}`)).last_reply_by_agent_at);
  });

  test('a mailbox selects brand and team', async () => {
    const { desk } = world;
    const team = await desk.admin.create('/teams', { title: 'Engines' });
    const brand = await desk.admin.create('/brands', { name: 'Steam', sub_domain: 'steam' });
    sql(desk, `INSERT INTO mailboxes (uuid, address, address_key, brand_id, team_id, created_at, updated_at) VALUES ('u', 'Steam@Example.com', 'steam@example.com', ${brand.id}, ${team.id}, 0, 0)`);
    const row = await receive(desk, mail({ From: 'a@steam.example', To: 'undisclosed-recipients:;' }), { to: 'steam+x@example.com' });
    const found = await desk.owner.fetch(`/cases/${row.case_id}`);
    assert.deepEqual([found.brand.id, found.assigned_team.id], [brand.id, team.id]);
    assert.equal(sql(desk, `SELECT COUNT(*) FROM posts p JOIN cases c ON c.id = p.case_id AND c.mailbox_id = p.mailbox_id WHERE c.id = ${row.case_id} AND p.kind = 1`).trim(), '1');
  });

  test('attachments are files of the message, and inline pictures are shown in its HTML', async () => {
    const { desk } = world;
    const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const body = `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>See <img src="cid:pic@x"></p>\r\n--b\r\nContent-Type: image/gif; name=dot.gif\r\nContent-ID: <pic@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${gif}\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="../../notes.txt"\r\n\r\nnotes\r\n--b--\r\n`;
    const row = await receive(desk, mail({ From: 'files@files.example', 'Content-Type': 'multipart/related; boundary=b' }, body));
    assert.equal(row.status, 'SUCCESS');
    const rows = sql(desk, `SELECT f.name, a.is_inline, f.width FROM post_attachments a JOIN files f ON f.id = a.file_id WHERE a.post_id = ${row.post_id} ORDER BY a.sort_order`).trim().split('\n');
    assert.deepEqual(rows.sort(), ['dot.gif|1|1', 'notes.txt|0|0']);
    assert.match(sql(desk, `SELECT content_html FROM posts WHERE id = ${row.post_id}`), /src="cid:\d+"/);
    const [, shown] = / src="([^"]+)"/.exec((await desk.owner.fetch(`/cases/${row.case_id}/messages/${row.post_id}`)).body_html);
    for (const html of [(await desk.owner.fetch(`/mails/${row.id}`)).html, (await desk.owner.fetch(`/cases/posts/${row.post_id}/email_original`)).html_content]) assert.ok(html.includes(` src="${shown}"`), html);
    assert.equal(sql(desk, 'SELECT COUNT(*) FROM mails m JOIN files f ON f.id = m.file_id WHERE f.expires_at IS NOT NULL').trim(), '0', 'raw mails do not expire');
  });

  test('a released mail opens a conversation, once, and its sender takes part', async () => {
    const { desk } = world;
    const first = await receive(desk, mail({ From: 'owner@released.example' }));
    const row = await receive(desk, mail({ From: 'stranger@released.example' }, 'May I join?'), { to: `desk+${token(desk, 'c', first.case_id)}@example.com` });
    assert.equal(row.suspension, 'NOT_PARTICIPANT');
    release(desk, row.id);
    await until('the release', () => mailRows(desk, row.id - 1)[0].status !== 'PROCESSING');
    const [after] = mailRows(desk, row.id - 1);
    assert.deepEqual([after.status, after.suspension, after.is_suspended, after.case_id], ['SUCCESS', 'NOT_PARTICIPANT', false, first.case_id]);
    const again = await receive(desk, mail({ From: 'stranger@released.example' }, 'Thanks'), { to: `desk+${token(desk, 'c', first.case_id)}@example.com` });
    assert.equal(again.case_id, first.case_id);
  });
});
