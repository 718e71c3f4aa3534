import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE, PASSWORD, ROLE_ID, certificate, connect, form, open, relay, relayFor, until } from './lib/index.mjs';

/** Invites a person whose address is validated, so that letters may contain the name. Returns the letter. */
async function greeted(desk, to, full_name, email) {
  await desk.owner.create('/users', { full_name, email });
  (await desk.anyone.post('/password/reset', { email })).must(200);
  return to.find(email);
}

const invite = (who, email, more = {}) => who.create('/users/invite', { full_name: 'Ines Invited', email, ...more });

/** A desk with its own relay. */
async function mailing(t, options = {}, values = {}) {
  const desk = await open(t, options.desk);
  const to = await relayFor(t, desk, values, options);
  return { desk, to };
}

/** Moves the daemon's clock forward by so much, then waits until a condition holds. */
const later = async (desk, seconds, what, probe) => {
  await desk.clock.forward(seconds);
  return until(what, probe);
};

/** Checks that no more mail arrives: a mail queued before a later one would arrive before it or beside it. */
async function nothingElse(desk, to, known) {
  await invite(desk.owner, `last${known}@people.example`);
  await until('the last mail', () => to.mails.some((m) => m.to.includes(`last${known}@people.example`)));
  assert.equal(to.mails.length, known + 1, to.mails.map((m) => `${m.to} ${m.subject}`).join('; '));
}

test('an invitation arrives once, as text and HTML, with a working link', async (t) => {
  const { desk, to } = await mailing(t, {}, { 'desk.name': 'Ünder & Söhne', 'mail.from_name': 'Help, "desk"' });
  const user = await invite(desk.owner, 'ines@people.example', { full_name: 'Ines <b>Invited</b>' });
  const mail = await to.mail();
  assert.deepEqual([mail.from.replace(/\+b\d+-[a-z2-7]{16}@/, '@'), mail.to, mail.type, mail.defects], ['desk@example.com', ['ines@people.example'], 'multipart/alternative', []]);
  assert.deepEqual(mail.parts, ['text/plain; charset=utf-8', 'text/html; charset=utf-8']);
  assert.equal(mail.header('From'), '"Help, \\"desk\\"" <desk@example.com>');
  assert.equal(mail.header('To'), 'ines@people.example', 'the address is not validated: no name');
  assert.equal(mail.subject, 'You are invited to Ünder & Söhne');
  assert.equal(mail.header('Auto-Submitted'), 'auto-generated');
  assert.match(mail.header('Message-ID'), /^<[0-9a-f-]{36}@\[127\.0\.0\.1\]>$/);
  assert.equal(Date.parse(mail.header('Date')), Math.floor(desk.clock.now / 1000) * 1000);
  assert.match(mail.raw, /^[\x00-\x7f]*$/, 'seven bits');
  assert.doesNotMatch(mail.raw, /[^\r]\n|\r[^\n]/, 'lines end in CR LF');
  assert.match(mail.text, /^Hello,/);
  assert.match(mail.html, /Hello,[^]*Ünder &amp; Söhne/);
  assert.doesNotMatch(mail.raw, /Ines|Invited/);
  assert.ok(mail.html.includes(`href="${mail.link}"`) && mail.text.includes('7 days'), mail.html);
  assert.equal(mail.link.split('?')[0], `${desk.base}/password`);
  (await desk.anyone.exchange('POST', '/password', { body: form({ hash: mail.hash, new_password: PASSWORD }) })).must(200);
  assert.equal((await desk.login('ines@people.example').fetch('/me')).id, user.id);
  await nothingElse(desk, to, 1);
});

test('the envelope sender is the address of the setting, whatever the From of the mail', async (t) => {
  const { desk, to } = await mailing(t, {}, { 'mail.return_path': 'bounces@example.com' });
  await invite(desk.owner, 'ines@people.example');
  const mail = await to.mail();
  assert.match(mail.from, /^bounces\+b\d+-[a-z2-7]{16}@example\.com$/);
  assert.match(mail.header('From'), /<desk@example\.com>$/);
});

test('a relay that is down gets the mail later', async (t) => {
  const { desk, to } = await mailing(t);
  await to.stop();
  await invite(desk.owner, 'ines@people.example');
  await until('the failure', () => /mail \d+ \(invitation\) could not be sent yet/.test(desk.log));
  await to.start();
  await later(desk, 30, 'the mail', () => to.mails.length);
  await nothingElse(desk, to, 1);
});

test('a relay that answers 4xx gets the mail again with the same Message-ID, after growing waits', async (t) => {
  const { desk, to } = await mailing(t);
  await to.tell({ replies: ['451 4.3.0 not now', '421 4.3.2 still not'] });
  await invite(desk.owner, 'ines@people.example');
  await until('the first refusal', () => to.refused.length === 1);
  await until('the record of it', () => desk.log.match(/could not be sent yet/g)?.length === 1);
  await later(desk, 30, 'the second refusal', () => desk.log.match(/could not be sent yet/g)?.length === 2);
  await desk.clock.forward(59);
  await invite(desk.owner, 'other@people.example');
  assert.deepEqual((await to.mail()).to, ['other@people.example'], 'the second wait is a minute');
  await later(desk, 1, 'the mail', () => to.mails.length === 2);
  await nothingElse(desk, to, 2);
});

test('delivery is given up after a day', async (t) => {
  const { desk, to } = await mailing(t);
  await to.stop();
  await invite(desk.owner, 'ines@people.example');
  await until('giving up', () => {
    desk.clock.write(desk.clock.now + HOUR * 1000);
    return /\(invitation\) could not be delivered: see/.test(desk.log);
  });
  await to.start();
  await nothingElse(desk, to, 0);
});

test('a refused recipient is logged and not tried again', async (t) => {
  const { desk, to } = await mailing(t);
  await to.tell({ replies: ['550 5.1.1 no such mailbox'] });
  await invite(desk.owner, 'ines@people.example');
  await until('the line', () => /warn mail \d+ \(invitation\) was refused by the relay/.test(desk.log));
  await desk.clock.forward(2 * DAY);
  await nothingElse(desk, to, 0);
  assert.equal(to.refused.length, 1);
});

test('a relay that requires a login gets it, and the password is never shown', async (t) => {
  const { desk, to } = await mailing(t, { login: ['desk', 'gr8 secret'] }, { 'mail.smtp_user': 'desk', 'mail.smtp_password': 'gr8 secret' });
  desk.secrets.add('gr8 secret');
  await invite(desk.owner, 'ines@people.example');
  assert.equal((await to.mail()).user, 'desk');
  const settings = await desk.owner.get('/settings');
  assert.equal(settings.data.find((s) => s.name === 'smtp_password').value, '');
  assert.ok(!settings.text.includes('gr8'));
  await desk.restart();
  await invite(desk.owner, 'ida@people.example');
  assert.equal((await to.mail()).to[0], 'ida@people.example');
});

test('after a wrong login at the relay the mail waits, because the settings can be corrected', async (t) => {
  const { desk, to } = await mailing(t, { login: ['desk', 'right'] }, { 'mail.smtp_user': 'desk', 'mail.smtp_password': 'wrong' });
  await invite(desk.owner, 'ines@people.example');
  await until('the failure', () => /could not be sent yet/.test(desk.log));
  await connect(desk, to, { 'mail.smtp_password': 'right' });
  await later(desk, MINUTE, 'the mail', () => to.mails.length);
});

for (const security of ['STARTTLS', 'TLS']) {
  test(`${security}: a relay with an untrusted certificate gets nothing, and one with a trusted certificate gets the mail`, async (t) => {
    const cert = certificate();
    const { desk, to } = await mailing(t, { security, ...cert });
    await invite(desk.owner, 'ines@people.example');
    await until('the failure', () => /could not be sent yet/.test(desk.log));
    assert.equal(to.mails.length, 0);
    await connect(desk, to, { 'mail.smtp_ca': cert.pem });
    await later(desk, MINUTE, 'the mail', () => to.mails.length);
    assert.equal(to.mails[0].tls, true);
  });
}

test('a relay that does not offer STARTTLS gets no mail if STARTTLS is set', async (t) => {
  const { desk, to } = await mailing(t, {}, { 'mail.smtp_security': 'STARTTLS' });
  await invite(desk.owner, 'ines@people.example');
  await until('the failure', () => /could not be sent yet/.test(desk.log));
  assert.equal(to.mails.length, 0);
});

test('without a relay mails wait and the log says so once; they are sent when a relay is set', async (t) => {
  const desk = await open(t, { processes: 1 }); // each process logs it once
  const to = await relay(t);
  await invite(desk.owner, 'first@people.example');
  await until('the line', () => /mail waits for a relay: set mail\.smtp_host and mail\.from_address/.test(desk.log));
  await invite(desk.owner, 'second@people.example');
  const { id } = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'A' }] })).must(202).data;
  await desk.job(desk.owner, id);
  await desk.clock.forward(2 * DAY);
  assert.equal(desk.log.match(/mail waits/g).length, 1);
  await desk.owner.update('/settings', { values: { 'mail.smtp_host': '127.0.0.1', 'mail.smtp_port': to.port, 'mail.smtp_security': 'NONE' } });
  await until('the line in the log again', () => desk.log.match(/mail waits/g).length === 2);
  assert.equal(to.mails.length, 0);
  await connect(desk, to);
  await until('both', () => to.mails.length === 2);
  assert.deepEqual(to.mails.map((m) => m.to[0]).sort(), ['first@people.example', 'second@people.example']);
  assert.equal(desk.log.match(/mail waits/g).length, 2);
  await nothingElse(desk, to, 2);
});

test('a mail whose link expired meanwhile is not sent', async (t) => {
  const desk = await open(t);
  const to = await relay(t);
  await invite(desk.owner, 'ines@people.example');
  await until('the line', () => /mail waits/.test(desk.log));
  await desk.clock.forward(8 * DAY);
  await connect(desk, to);
  await until('giving up', () => /\(invitation\) could not be delivered: see/.test(desk.log));
  await nothingElse(desk, to, 0);
});

test('a silent relay delays neither the API nor other jobs, nor a stop', async (t) => {
  const { desk, to } = await mailing(t);
  await to.tell({ hold: true });
  const [all, under_way] = [4 * desk.processes + 2, 4 * desk.processes];
  for (let i = 0; i < all; i++) await invite(desk.owner, `slow${i}@people.example`);
  await until('the maximum number of mails under way', () => to.mails.length === under_way);
  const { id } = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'A' }] })).must(202).data;
  assert.equal((await desk.job(desk.owner, id)).status, 'COMPLETED');
  assert.equal(to.mails.length, under_way);
  const began = Date.now();
  await desk.stop();
  assert.ok(Date.now() - began < 5000, 'the desk stops at once');
  await to.tell({ hold: false });
  await desk.start();
  await until('all of them', () => new Set(to.mails.map((m) => m.to[0])).size === all);
});

test('SIGKILL between the relay\'s acceptance and its record sends a mail twice, and loses nothing', async (t) => {
  const { desk, to } = await mailing(t);
  await to.tell({ hold: true });
  await invite(desk.owner, 'ines@people.example');
  const first = await to.mail();
  await desk.kill();
  await to.tell({ hold: false });
  await desk.start();
  await later(desk, 6 * MINUTE, 'the mail again', () => to.mails.length === 2);
  assert.equal(to.mails[1].header('Message-ID'), first.header('Message-ID'));
  assert.equal(to.mails[1].hash, first.hash);
  await nothingElse(desk, to, 2);
});

test('a mail of an acknowledged request is sent after SIGKILL', async (t) => {
  const { desk, to } = await mailing(t);
  await to.stop();
  await Promise.all([0, 1, 2].map((i) => invite(desk.owner, `i${i}@people.example`)));
  await desk.kill();
  await to.start();
  await desk.start();
  await later(desk, 6 * MINUTE, 'all three', () => to.mails.length >= 3);
  assert.equal(new Set(to.mails.map((m) => m.to[0])).size, 3);
});

test('names can\'t add headers, and arrive as written', async (t) => {
  const { desk, to } = await mailing(t);
  const names = ['=?utf-8?Q?x=0D=0ABcc:_evil@example.com?=', 'Zoë "the" Müller, <x@y>', '名前'.repeat(60), 'n'.repeat(255), '🦆 Duck', '{{link}} {{desk}}'];
  for (const [i, name] of names.entries()) {
    const mail = await greeted(desk, to, name, `n${i}@people.example`);
    assert.deepEqual([mail.defects, mail.header('Bcc')], [[], undefined]);
    assert.ok(mail.text.startsWith(`Hello ${name},\r\n`), mail.text);
    assert.ok(mail.raw.split('\r\n').every((line) => line.length <= 998), 'no line is too long');
    assert.deepEqual(mail.headers.map(([k]) => k).sort(), ['Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-Id', 'Subject', 'To', 'X-Auto-Response-Suppress', 'X-Desk-Loop'].sort());
  }
  (await desk.owner.post('/users/invite', { full_name: 'a\r\nBcc: evil@example.com', email: 'x@people.example' })).refused(400, 'FIELD_INVALID', 'full_name');
  (await desk.owner.post('/users/invite', { full_name: 'A', email: 'x@people.example\r\nBcc: evil@example.com' })).refused(400, 'FIELD_INVALID', 'email');
});

test('a domain that is not ASCII is sent as A-labels', async (t) => {
  const { desk, to } = await mailing(t);
  await desk.owner.create('/users', { full_name: 'Ines Invited', email: 'ines@bücher.example' });
  (await desk.anyone.post('/password/reset', { email: 'ines@bücher.example' })).must(200);
  const mail = await to.mail();
  assert.deepEqual([mail.to, mail.header('To')], [['ines@xn--bcher-kva.example'], 'Ines Invited <ines@xn--bcher-kva.example>']);
});

test('mail settings are validated', async (t) => {
  const { owner } = await open(t);
  const bad = { 'mail.from_address': 'nobody', 'mail.smtp_port': 0, 'mail.smtp_timeout_seconds': 1, 'mail.smtp_password': 'x'.repeat(5000) };
  for (const [name, value] of Object.entries(bad)) (await owner.put('/settings', { values: { [name]: value } })).refused(400, 'FIELD_INVALID', `values/${name}`);
});

test('a new password sends a mail, unless the desk turned it off', async (t) => {
  const { desk, to } = await mailing(t);
  await desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'another one' });
  const mail = await to.mail();
  assert.deepEqual([mail.to, mail.subject, mail.link], [['customer@example.com'], 'Your password at Support was changed', undefined]);
  await desk.owner.update('/settings', { values: { 'mail.notify_password_changes': false } });
  await desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'yet another' });
  await nothingElse(desk, to, 1);
});

test('a waiting mail is not sent to a person who was deleted meanwhile', async (t) => {
  const desk = await open(t);
  const gone = [await desk.person('customer'), await desk.person('customer')];
  for (const { id } of gone) await desk.owner.update(`/users/${id}`, { password: 'another one' });
  (await desk.owner.delete(`/users/${gone[0].id}`)).must(200);
  (await desk.owner.delete(`/users/${gone[1].id}`, { purge: true })).must(200);
  await desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'another one' });
  const to = await relayFor(t, desk);
  assert.deepEqual((await to.mail()).to, ['customer@example.com']);
  await nothingElse(desk, to, 1);
});

test('staff may invite people they may create', async (t) => {
  const { desk, to } = await mailing(t);
  const body = { full_name: 'Ines', email: 'ines@people.example' };
  for (const role of ['collaborator', 'customer']) (await desk.as(role).post('/users/invite', body)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.post('/users/invite', body)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.staff.post('/users/invite', { ...body, role_id: ROLE_ID.admin })).refused(403, 'PERMISSIONS_DENIED', 'role_id');
  (await desk.owner.post('/users/invite', { ...body, email: 'customer@example.com' })).refused(400, 'FIELD_DUPLICATE', 'email');
  (await desk.owner.post('/users/invite', { phone: '+49 30 1234567', role_id: 99 }))
    .refused(400, 'FIELD_REQUIRED', 'email').refused(400, 'FIELD_REQUIRED', 'full_name').refused(400, 'FIELD_INVALID', 'role_id');
  (await desk.owner.post('/users/invite', { ...body, email: null })).refused(400, 'FIELD_REQUIRED', 'email');
  const team = await desk.owner.create('/teams', { title: 'T' });
  const made = (await desk.owner.post('/users/invite', { ...body, role_id: ROLE_ID.agent, team_ids: [team.id], password: PASSWORD })).must(201);
  made.notes('password');
  assert.deepEqual([made.data.role.id, made.data.teams.map((x) => x.id), made.data.password_updated_at], [ROLE_ID.agent, [team.id], null]);
  (await desk.login('ines@people.example').get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  await to.mail();
});

/* ---- templates of brands ---- */

const block = (name, text) => `{% block ${name} %}${text}{% endblock %}\n`;
const say = (desk, name, contents) => desk.owner.update(`/brands/1/templates/${name}`, { contents });

test('a mail uses the template of the default brand, as text and HTML, whoever causes it', async (t) => {
  const { desk, to } = await mailing(t, {}, { 'desk.name': 'Ünder & Söhne' });
  await desk.owner.update('/brands/1', { locale_id: 3 });
  await say(desk, 'password_reset', block('subject', 'Bestätigung für {{ name }} bei {{desk}} 🦆')
    + block('text', '\r\nHallo {{name}},\r\n\r\nbitte öffnen ({{life}}):\r\n\r\n{{link}}\r\n\r\n{{address}} <{{url}}>\r\n')
    + block('html', '\n<div style="color: #333"><p>Hallo <b>{{name}}</b>,</p><p><a href="{{link}}" title="Bestätigen">{{address}}</a></p></div>\n'));
  await desk.customer.update('/profile', { full_name: 'Zoë <b>"Müller"</b> {{link}} {% block x %}' });
  (await desk.anyone.post('/password/reset', { email: 'customer@example.com' })).must(200);
  const mail = await to.mail();
  assert.equal(mail.subject, 'Bestätigung für Zoë <b>"Müller"</b> {{link}} {% block x %} bei Ünder & Söhne 🦆');
  assert.deepEqual([mail.defects, mail.parts], [[], ['text/plain; charset=utf-8', 'text/html; charset=utf-8']]);
  assert.match(mail.link, new RegExp(`^${desk.base}/password\\?hash=[0-9a-f]+$`));
  assert.equal(mail.text, `Hallo Zoë <b>"Müller"</b> {{link}} {% block x %},\r\n\r\nbitte öffnen (2 hours):\r\n\r\n${mail.link}\r\n\r\ncustomer@example.com <${desk.base}>\r\n`);
  assert.match(mail.html, /<html lang="de">/);
  assert.ok(mail.html.includes('<p>Hallo <b>Zoë &lt;b&gt;&quot;Müller&quot;&lt;/b&gt; {{link}} {% block x %}</b>,</p>'), mail.html);
  assert.ok(mail.html.includes(`<a href="${mail.link}" title="Bestätigen">customer@example.com</a>`), mail.html);
  assert.doesNotMatch(mail.raw, /[^\r]\n|\r[^\n]/, 'lines end in CR LF');
  assert.ok(mail.raw.split('\r\n').every((line) => line.length <= 998), 'no line is too long');
  (await desk.owner.put('/brands/1/templates/password_reset/restore')).must(200);
  (await desk.anyone.post('/password/reset', { email: 'customer@example.com' })).must(200);
  assert.match((await to.mail()).subject, /^Reset your password at Ünder & Söhne$/);
});

test('without a block of HTML a mail is text only', async (t) => {
  const { desk, to } = await mailing(t);
  await say(desk, 'password_reset', block('subject', 'Come') + block('text', '\n<b>{{name}}</b>: {{link}}\n'));
  const mail = await greeted(desk, to, 'Ines Invited', 'ines@people.example');
  assert.deepEqual([mail.type, mail.parts, mail.defects], ['text/plain', ['text/plain; charset=utf-8'], []]);
  assert.match(mail.text, /^<b>Ines Invited<\/b>: http\S+\?hash=\S+\s+$/);
});

test('a mail uses the template at the time of sending', async (t) => {
  const desk = await open(t);
  const to = await relay(t);
  await invite(desk.owner, 'ines@people.example');
  await say(desk, 'invitation', block('subject', 'Early') + block('text', '{{link}}'));
  const { id } = await desk.owner.create('/brands', { name: 'Other' });
  await desk.owner.update(`/brands/${id}/templates/invitation`, { contents: block('subject', 'Late') + block('text', '{{link}}') });
  await desk.owner.update(`/brands/${id}`, { is_default: true });
  await connect(desk, to);
  assert.equal((await to.mail()).subject, 'Late');
});

test('the name of a person adds neither a header nor a line to the subject of a brand\'s template', async (t) => {
  const { desk, to } = await mailing(t);
  await say(desk, 'password_reset', block('subject', '{{name}}') + block('text', '{{link}}'));
  const names = ['=?utf-8?Q?x=0D=0ABcc:_evil@example.com?=', 'Bcc: evil@example.com', '名前'.repeat(60), ' x '];
  for (const [i, name] of names.entries()) {
    const mail = await greeted(desk, to, name, `n${i}@people.example`);
    assert.deepEqual([mail.defects, mail.header('Bcc'), mail.subject.trim()], [[], undefined, name.trim()]);
    assert.deepEqual(mail.headers.filter(([k]) => k === 'Subject').length, 1);
  }
});

test('a mail to an unverified address contains no name, because a stranger may have written it', async (t) => {
  const { desk, to } = await mailing(t);
  const spam = 'Win 1000 at evil.example';
  for (const name of ['verification', 'password_reset', 'invitation']) {
    await say(desk, name, block('subject', 'For {{name}}!') + block('text', 'Hello {{name}}, {{name}}\n\n{{link}}\n') + block('html', '<p>Hello {{name}},</p><a href="{{link}}">x</a>'));
  }
  const unnamed = async (email) => {
    const mail = await to.find(email);
    assert.deepEqual([mail.subject, mail.header('To'), mail.text.split('\r\n')[0]], ['For!', email, 'Hello,']);
    assert.ok(mail.html.includes('<p>Hello,</p>') && !/Win 1000|evil\.example/.test(mail.raw), mail.raw);
  };
  (await desk.anyone.post('/conversations', { name: spam, email: 'form@people.example', subject: spam, contents: spam })).must(201);
  (await desk.anyone.post('/password/reset', { email: 'form@people.example' })).must(200);
  await unnamed('form@people.example');
  await desk.customer.update('/profile', { full_name: spam });
  await desk.customer.create('/profile/identities/emails', { email: 'claim@people.example' });
  await unnamed('claim@people.example');
  for (const [n, who] of [desk.staff, desk.as('collaborator')].entries()) {
    const { id } = await who.create('/identities/emails', { user_id: n ? desk.people.customer.id : (await desk.owner.create('/users', { full_name: spam, phone: '+49 30 1234567' })).id, email: `added${n}@people.example` });
    (await who.put(`/identities/emails/${id}/send_verification_email`)).must(200);
    await unnamed(`added${n}@people.example`);
  }
  await invite(desk.owner, 'invited@people.example', { full_name: spam });
  await unnamed('invited@people.example');
});

test('a mail contains the name of a person who verified the address or logs in with it', async (t) => {
  const { desk, to } = await mailing(t);
  assert.match((await greeted(desk, to, 'Vera Valid', 'vera@people.example')).text, /^Hello Vera Valid,/);
  const { id } = await desk.owner.create('/users', { full_name: 'Paula Password', email: 'paula@people.example', password: PASSWORD });
  const [{ id: email }] = await desk.owner.fetch('/identities/emails', { user_id: id });
  await desk.owner.update(`/identities/emails/${email}`, { is_validated: false });
  (await desk.anyone.post('/password/reset', { email: 'paula@people.example' })).must(200);
  assert.match((await to.find('paula@people.example')).text, /^Hello Paula Password,/);
});
