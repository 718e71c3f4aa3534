import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE, PASSWORD, form, multipart, open, relayFor, until } from './lib/index.mjs';

const NEW = 'a password of my own';

async function mailing(t, options = {}) {
  const desk = await open(t, options);
  const to = await relayFor(t, desk);
  return { desk, to };
}

const ask = (desk, email) => desk.anyone.post('/password/reset', { email });
const page = (desk, path, query) => desk.anyone.exchange('GET', path, { query });
const press = (desk, path, body) => desk.anyone.exchange('POST', path, { body: form(body) });
const byToken = (desk, hash, password = NEW) => desk.anyone.with({ 'X-Token': hash }).put('/profile/password', { new_password: password });
const logs_in = async (desk, email, password) => (await desk.login(email, password).get('/me')).status === 200;

/** The letter that a reset of this address sends. */
async function reset(desk, to, email) {
  (await ask(desk, email)).must(200);
  return to.find(email, /^Reset/);
}

test('a reset sends a link, opens a form, and sets the password once', async (t) => {
  const { desk, to } = await mailing(t);
  const { email } = desk.people.customer;
  const mail = await reset(desk, to, email);
  assert.deepEqual([mail.to, mail.subject, mail.link.split('?')[0]], [[email], 'Reset your password at Support', `${desk.base}/password`]);
  assert.match(mail.text, /for 2 hours/);
  for (const _ of [1, 2]) {
    const shown = (await page(desk, '/password', { hash: mail.hash })).must(200);
    assert.match(shown.text, /At least 5 characters[^]*type="password"/);
    assert.ok(shown.text.includes(`value="${mail.hash}"`));
    assert.ok(shown.text.endsWith('</main>\n</body>\n</html>\n'), 'the page is complete');
  }
  assert.ok(await logs_in(desk, email, PASSWORD));
  assert.match((await press(desk, '/password', { hash: mail.hash, new_password: NEW })).must(200).text, /Your password is set/);
  assert.deepEqual([await logs_in(desk, email, PASSWORD), await logs_in(desk, email, NEW)], [false, true]);
  assert.match((await press(desk, '/password', { hash: mail.hash, new_password: PASSWORD })).must(400).text, /This link does not work/);
  assert.match((await page(desk, '/password', { hash: mail.hash })).must(400).text, /This link does not work/);
  (await byToken(desk, mail.hash)).refused(401, 'AUTHENTICATION_FAILED');
  assert.equal((await to.mail()).subject, 'Your password at Support was changed');
});

test('the page refuses a password that was used before, and the link still works', async (t) => {
  const { desk, to } = await mailing(t);
  (await desk.owner.put('/settings', { values: { 'security.password_history': 2 } })).must(200);
  const { email } = desk.people.customer;
  const first = await reset(desk, to, email);
  (await press(desk, '/password', { hash: first.hash, new_password: NEW })).must(200);
  const { hash } = await reset(desk, to, email);
  assert.match((await press(desk, '/password', { hash, new_password: NEW })).must(400).text, /You used this password before\. Choose another one\./);
  assert.match((await press(desk, '/password', { hash, new_password: `${NEW} 2` })).must(200).text, /Your password is set/);
});

test('the page leads staff who set a password to the login of the console, and not without a console', async (t) => {
  const { desk, to } = await mailing(t);
  const { email } = desk.people.agent, { hash } = await reset(desk, to, email);
  assert.equal((await press(desk, '/password', { hash, new_password: NEW })).must(303).headers.location, '/agent/login?done=password');
  await desk.stop();
  desk.args.push('--no-console');
  await desk.start();
  const second = await reset(desk, to, email);
  assert.match((await press(desk, '/password', { hash: second.hash, new_password: `${NEW} 2` })).must(200).text, /Your password is set/);
});

test('a reset link as X-Token sets the password and ends all sessions', async (t) => {
  const { desk, to } = await mailing(t);
  const { bare } = await desk.session(desk.customer);
  const mail = await reset(desk, to, 'customer@example.com');
  (await byToken(desk, mail.hash, 'abcd')).refused(400, 'FIELD_INVALID', 'new_password');
  (await byToken(desk, mail.hash)).must(200);
  assert.ok(await logs_in(desk, 'customer@example.com', NEW));
  (await bare.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await byToken(desk, mail.hash)).refused(401, 'AUTHENTICATION_FAILED');
});

test('the reply does not show whether a person has the address', async (t) => {
  const { desk, to } = await mailing(t);
  const told = [];
  for (const email of ['customer@example.com', 'nobody@example.com', 'NOBODY@example.com']) {
    const { text, headers } = (await ask(desk, email)).must(200);
    told.push([text, Object.keys(headers).join()]);
  }
  assert.equal(new Set(told.map(String)).size, 1, told.join('\n'));
  await to.mail();
  await reset(desk, to, 'agent@example.com');
  assert.deepEqual(to.mails.map((m) => m.to[0]), ['customer@example.com', 'agent@example.com']);
  assert.ok(!desk.log.includes('nobody@example.com'));
  (await desk.anyone.post('/password/reset', {})).refused(400, 'FIELD_REQUIRED', 'email');
  (await ask(desk, 'no address')).refused(400, 'FIELD_INVALID', 'email');
});

test('a newer link replaces the older one, links expire, and disabled people get none', async (t) => {
  const { desk, to } = await mailing(t);
  const first = await reset(desk, to, 'customer@example.com');
  const second = await reset(desk, to, 'customer@example.com');
  (await byToken(desk, first.hash)).refused(401, 'AUTHENTICATION_FAILED');
  await desk.clock.forward(2 * HOUR);
  (await byToken(desk, second.hash)).refused(401, 'AUTHENTICATION_FAILED');
  const third = await reset(desk, to, 'customer@example.com');
  await desk.owner.update(`/users/${desk.people.customer.id}`, { is_enabled: false });
  (await page(desk, '/password', { hash: third.hash })).must(400);
  (await ask(desk, 'customer@example.com')).must(200);
  assert.equal((await reset(desk, to, 'agent@example.com')).to[0], 'agent@example.com');
});

test('any other change of the password ends the links that were sent', async (t) => {
  const { desk, to } = await mailing(t);
  const mail = await reset(desk, to, 'customer@example.com');
  await desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'set by the owner' });
  (await byToken(desk, mail.hash)).refused(401, 'AUTHENTICATION_FAILED');
  assert.ok(await logs_in(desk, 'customer@example.com', 'set by the owner'));
});

test('the only address of an account, created by a form, can be reset, and this validates it', async (t) => {
  const { desk, to } = await mailing(t);
  await desk.anyone.create('/conversations', { name: 'Fay', email: 'fay@example.com', subject: 'S', contents: 'C' });
  const [fay] = await desk.owner.fetch('/users', { email: 'fay@example.com', include: 'identity_email' });
  assert.equal(fay.emails[0].is_validated, false);
  const mail = await reset(desk, to, 'fay@example.com');
  (await press(desk, '/password', { hash: mail.hash, new_password: NEW })).must(200);
  assert.ok(await logs_in(desk, 'fay@example.com', NEW));
  assert.equal((await desk.owner.fetch(`/users/${fay.id}`, { include: 'identity_email' })).emails[0].is_validated, true);
  await reset(desk, to, 'agent@example.com');
  assert.ok(!to.mails.some((m) => m.subject.includes('was changed')), 'a first password sends no notice of a change');
});

/** Claims an address, which sends the letter that verifies it: {id, mail}. */
async function claim(desk, to, client, email) {
  const reply = (await client.post('/profile/identities/emails', { email })).must(201);
  assert.deepEqual(reply.body.notifications.map(({ type, message }) => [type, message]), [['INFO', 'We have sent a verification e-mail to this address.']]);
  return { id: reply.data.id, mail: await to.find(email, /^Confirm/) };
}

test('an address is verified once by its link, with a program or with the button of its page', async (t) => {
  const { desk, to } = await mailing(t);
  for (const [i, by] of ['program', 'page'].entries()) {
    const email = `more${i}@example.com`;
    const { id, mail } = await claim(desk, to, desk.customer, email);
    const validated = async () => (await desk.customer.fetch(`/profile/identities/emails/${id}`)).is_validated;
    assert.deepEqual([mail.to, mail.subject, mail.link.split('?')[0]], [[email], 'Confirm your e-mail address at Support', `${desk.base}/verify`]);
    assert.match(mail.text, /for 72 hours/);
    for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await desk.anyone.exchange(method, '/verify', { query: { hash: mail.hash } })).status, 200);
    assert.equal(await validated(), false, 'opening the page verifies nothing');
    assert.match((await page(desk, '/verify', { hash: mail.hash })).text, /<form method="post" action="verify">[^]*<button>/);
    (await byToken(desk, mail.hash)).refused(401, 'AUTHENTICATION_FAILED');
    (await press(desk, '/password', { hash: mail.hash, new_password: NEW })).must(400);
    if (by === 'program') (await desk.anyone.put('/profile/verify', { hash: mail.hash })).must(200);
    else assert.match((await press(desk, '/verify', { hash: mail.hash })).must(200).text, /is confirmed/);
    assert.equal(await validated(), true);
    (await desk.anyone.put('/profile/verify', { hash: mail.hash })).refused(400, 'FIELD_INVALID', 'hash');
    (await press(desk, '/verify', { hash: mail.hash })).must(400);
    assert.ok(await logs_in(desk, email, PASSWORD));
  }
});

test('a verification link ends when it expires, is replaced, its address is deleted, or another person verifies the address', async (t) => {
  const { desk, to } = await mailing(t);
  const refused = async (hash) => {
    (await desk.anyone.put('/profile/verify', { hash })).must(400);
    (await press(desk, '/verify', { hash })).must(400);
  };
  const { id, mail } = await claim(desk, to, desk.customer, 'shared@example.com');
  (await desk.customer.put(`/profile/identities/emails/${id}/verification`)).must(200);
  const second = await to.find('shared@example.com', /^Confirm/);
  await refused(mail.hash);
  await desk.clock.forward(72 * HOUR);
  await refused(second.hash);
  (await desk.customer.put(`/profile/identities/emails/${id}/verification`)).must(200);
  const third = await to.find('shared@example.com', /^Confirm/);
  const rival = await claim(desk, to, desk.staff, 'shared@example.com');
  (await desk.anyone.put('/profile/verify', { hash: rival.mail.hash })).must(200);
  await refused(third.hash);
  const gone = await claim(desk, to, desk.customer, 'gone@example.com');
  (await desk.customer.delete(`/profile/identities/emails/${gone.id}`)).must(200);
  await refused(gone.mail.hash);
});

test('a claimed address gets no reset', async (t) => {
  const { desk, to } = await mailing(t);
  await claim(desk, to, desk.customer, 'claimed@example.com');
  (await ask(desk, 'claimed@example.com')).must(200);
  (await ask(desk, 'customer@example.com')).must(200);
  await to.find('customer@example.com', /^Reset/);
  assert.deepEqual(to.mails.filter((m) => m.to[0] === 'claimed@example.com').map((m) => m.subject), ['Confirm your e-mail address at Support']);
});

test('claims send a limited number of letters', async (t) => {
  const { desk } = await mailing(t);
  const { id } = await desk.customer.create('/profile/identities/emails', { email: 'victim@example.com' });
  for (let i = 1; i < 10; i++) (await desk.customer.put(`/profile/identities/emails/${id}/verification`)).must(200);
  (await desk.customer.put(`/profile/identities/emails/${id}/verification`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const late = (await desk.customer.post('/profile/identities/emails', { email: 'another@example.com' })).must(201).notes('No verification e-mail was sent');
  assert.equal(late.body.notifications, undefined);
  await desk.clock.forward(HOUR);
  (await desk.customer.put(`/profile/identities/emails/${id}/verification`)).must(200);
});

test('one of many concurrent uses of a link succeeds', async (t) => {
  const { desk, to } = await mailing(t);
  const mail = await reset(desk, to, 'customer@example.com');
  const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? byToken(desk, mail.hash, `${NEW} ${i}`)
    : press(desk, '/password', { hash: mail.hash, new_password: `${NEW} ${i}` }))));
  assert.deepEqual(replies.map((r) => r.status).sort(), [200, ...replies.map((r) => r.status).filter((s) => s !== 200)].sort());
  assert.equal(replies.filter((r) => r.status === 200).length, 1);
  const i = replies.findIndex((r) => r.status === 200);
  assert.ok(await logs_in(desk, 'customer@example.com', `${NEW} ${i}`));
});

test('resets send a limited number of letters', async (t) => {
  const { desk, to } = await mailing(t);
  for (let i = 0; i < 8; i++) (await ask(desk, 'customer@example.com')).must(200);
  await reset(desk, to, 'agent@example.com');
  await until('the agent\'s', () => to.mails.some((m) => m.to[0] === 'agent@example.com'));
  const before = to.mails.filter((m) => m.to[0] === 'customer@example.com').length;
  assert.ok(before <= 5, `${before} mails`);
  await desk.clock.forward(HOUR);
  (await ask(desk, 'customer@example.com')).must(200);
  await until('one more', () => to.mails.filter((m) => m.to[0] === 'customer@example.com').length > before);
});

test('an address may ask only so often a minute', async (t) => {
  const desk = await open(t, { args: ['--public-writes', '3'] });
  for (let i = 0; i < 3; i++) (await ask(desk, `n${i}@example.com`)).must(200);
  (await ask(desk, 'n@example.com')).refused(429, 'RATE_LIMIT_REACHED');
  const reply = (await press(desk, '/password', { hash: 'x', new_password: NEW })).must(429);
  assert.match(reply.headers['retry-after'], /^\d+$/);
  await desk.clock.forward(MINUTE);
  (await press(desk, '/password', { hash: 'x', new_password: NEW })).must(400);
});

test('without a relay, each request that mails says that its mail waits, and how it leaves', async (t) => {
  const desk = await open(t), { owner, customer, anyone } = desk;
  const waits = (reply, what, how) => assert.deepEqual(reply.body.notifications.map(({ type, message }) => [type, message]), [['INFO', `${what} waits, because this desk can't send e-mail yet. ${how}`]]);
  const staff = 'It leaves as soon as an owner sets mail.smtp_host and mail.from_address (PUT /settings).', others = 'Please ask its staff.';
  const invite = (email) => owner.post('/users/invite', { full_name: 'Ines', email });
  waits((await invite('ines@people.example')).must(201), 'The invitation', staff);
  const own = (await customer.post('/profile/identities/emails', { email: 'second@people.example' })).must(201);
  waits(own, 'The verification e-mail to this address', others);
  waits((await owner.put(`/identities/emails/${own.data.id}/send_verification_email`)).must(200), 'The verification e-mail to this address', staff);
  waits((await anyone.post('/password/reset', { email: 'nobody@people.example' })).must(200), 'If an account has this address, an e-mail with a link to it', others);
  const box = await owner.create('/mailboxes', { address: 'box@people.example' });
  await desk.clock.forward(MINUTE);
  waits((await owner.put(`/mailboxes/${box.id}/send_verification_email`)).must(200), 'The verification e-mail to the address of this mailbox', staff);
  await owner.update('/settings', { values: { 'mail.smtp_host': '127.0.0.1', 'mail.from_address': 'desk@example.com' } });
  assert.equal((await invite('ida@people.example')).must(201).body.notifications, undefined);
});

test('an invitation sets the first password by the rules of the role, and expires after seven days', async (t) => {
  const { desk, to } = await mailing(t);
  const made = await desk.owner.create('/users/invite', { full_name: 'Ines', email: 'ines@people.example', role_id: 2 });
  const mail = await to.mail();
  await desk.clock.forward(7 * DAY - HOUR);
  assert.match((await page(desk, '/password', { hash: mail.hash })).must(200).text, /At least 8 characters/);
  const short = (await press(desk, '/password', { hash: mail.hash, new_password: '1234567' })).must(400);
  assert.match(short.text, /role="alert"[^>]*>This password is too short\.[^]*aria-invalid="true"/);
  assert.ok(!short.text.includes('1234567'));
  assert.match((await press(desk, '/password', { hash: mail.hash, new_password: 'x'.repeat(1025) })).must(400).text, /too long/);
  (await press(desk, '/password', { hash: mail.hash, new_password: NEW })).must(303);
  assert.equal((await desk.login('ines@people.example', NEW).fetch('/me')).id, made.id);
  assert.equal((await desk.owner.fetch(`/users/${made.id}`, { include: 'identity_email' })).emails[0].is_validated, true);
  await desk.owner.create('/users/invite', { full_name: 'Ida', email: 'ida@people.example' });
  const late = await to.mail();
  assert.equal(late.to[0], 'ida@people.example', 'a first password sends no notice');
  await desk.clock.forward(7 * DAY);
  (await press(desk, '/password', { hash: late.hash, new_password: NEW })).must(400);
});

test('a link works only for its purpose, and an incomplete hash for none', async (t) => {
  const { desk, to } = await mailing(t);
  const mail = await reset(desk, to, 'customer@example.com');
  for (const hash of [mail.hash, 'x', mail.hash.slice(1), `${mail.hash}0`, mail.hash.toUpperCase(), '0'.repeat(5000)]) {
    (await desk.anyone.put('/profile/verify', { hash: hash.slice(0, 255) })).refused(400, 'FIELD_INVALID', 'hash');
    (await press(desk, '/verify', { hash })).must(400);
  }
  for (const hash of ['', 'x', mail.hash.slice(1), `${mail.hash}0`]) (await press(desk, '/password', { hash, new_password: NEW })).must(400);
  (await desk.anyone.put('/profile/verify', {})).refused(400, 'FIELD_REQUIRED', 'hash');
  (await desk.anyone.put('/profile/verify', { hash: '' })).refused(400, 'FIELD_EMPTY', 'hash');
  (await byToken(desk, mail.hash)).must(200);
});

test('pages run no script, send no referrer, refuse frames, and escape what they show', async (t) => {
  const desk = await open(t, { base: 'https://desk.example.com/help' });
  for (const path of ['/verify', '/password']) {
    for (const reply of [await page(desk, path, { hash: '"><script>alert(1)</script>' }), await page(desk, path, {}),
      await press(desk, path, { hash: '"><script>alert(1)</script>', new_password: 'short' })]) {
      reply.must(400);
      assert.match(reply.headers['content-security-policy'], /default-src 'none';.*form-action 'self'; frame-ancestors 'none'/);
      assert.deepEqual([reply.headers['referrer-policy'], reply.headers['cache-control'], reply.headers['x-content-type-options'], reply.headers['content-type']],
        ['same-origin', 'no-store', 'nosniff', 'text/html; charset=utf-8']);
      assert.doesNotMatch(reply.text, /<script|\son\w+=|<img|<link|https?:/);
      assert.match(reply.text, /<html lang="en" dir="ltr">[^]*<meta name="viewport"[^]*<title>This link does not work - Support<\/title>[^]*<main>\n<h1>/);
    }
    assert.equal((await desk.anyone.exchange('HEAD', path)).status, 400);
    (await desk.anyone.exchange('PUT', path, { body: form({ hash: 'x' }) })).must(404);
    for (const body of [{ hash: 'x' }, multipart({ hash: 'x' })]) assert.match((await desk.anyone.exchange('POST', path, { body })).must(400).text, /could not be read/);
    assert.equal((await desk.anyone.exchange('GET', `${path}?hash=%ff`)).status, 400);
  }
});

test('the secret of a link appears in no log and not in clear in the store', async (t) => {
  const { desk, to } = await mailing(t, { args: ['--access-log', '--log-level', 'debug'] });
  const mail = await reset(desk, to, 'customer@example.com');
  desk.secrets.add(mail.hash);
  await page(desk, '/password', { hash: mail.hash });
  await desk.anyone.get('/users', { hash: mail.hash });
  await desk.anyone.put('/profile/verify', { hash: mail.hash });
  await press(desk, '/password', { hash: mail.hash, new_password: 'x' });
  (await byToken(desk, mail.hash)).must(200);
  await to.mail();
  await desk.stop();
});
