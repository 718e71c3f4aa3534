// Mailboxes that log in by OAuth 2 (docs/MAIL.md, "Logins by OAuth 2"): consent, renewal, loss, and mails that wait meanwhile.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { HOUR, MINUTE, rowsChanged, shared, until } from './lib/index.mjs';
import { consentAsked, consented, mailProvider, ownersBrowser } from './lib/mailprovider.mjs';
import { sql } from './lib/sql.mjs';

const SECRET = 'a secret of the client';
const ADDRESS = 'support@example.com';
const letter = (n) => `From: Ada <ada${n}@people.example>\r\nTo: ${ADDRESS}\r\nSubject: Letter ${n}\r\nMessage-ID: <${n}@people.example>\r\nDate: Mon, 2 Nov 2026 10:00:00 +0000\r\n\r\nHello ${n}\r\n`;

describe('mailboxes by OAuth 2:', () => {
  const world = shared(async (w) => {
    Object.assign(w, await mailProvider(w.t, { smtp: 'OAUTHBEARER' }));
    await w.desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true, 'mail.require_registered': false } });
    w.box = await w.desk.admin.create('/mailboxes', { address: ADDRESS });
    await rowsChanged(w.desk, `UPDATE mailboxes SET verified_at = 1 WHERE id = ${w.box.id}`);
    w.account = { imap_host: '127.0.0.1', imap_port: w.imap.port, imap_security: 'NONE', smtp_host: '127.0.0.1', smtp_port: w.smtp.port, smtp_security: 'NONE' };
    w.login = { oauth_provider: 'GENERIC', oauth_client_id: 'desk', oauth_client_secret: SECRET, oauth_authorization_url: `${w.provider.issuer}/authorize?prompt=consent`, oauth_token_url: `${w.provider.issuer}/token`, oauth_scopes: 'mail offline_access' };
  });
  const put = (body, who = world.desk.owner) => who.put(`/mailboxes/${world.box.id}`, body);
  const box = () => world.desk.owner.fetch(`/mailboxes/${world.box.id}`);
  const state = async (wanted) => until(`the state ${wanted}`, async () => { const now = await box(); return now.oauth_state === wanted ? now : undefined; });
  const stored = (column) => sql(world.desk, `SELECT ${column} FROM mailboxes WHERE id = ${world.box.id}`).trim();
  /** Waits. Meanwhile the clock moves slowly, because leases of the desk must outlast the requests that they are for. */
  const later = (what, probe, seconds = 40) => {
    let probes = 0;
    return until(what, async () => {
      const found = await probe();
      if (!found && ++probes % 20 === 0) await world.desk.clock.forward(seconds);
      return found;
    });
  };
  const taken = (email) => later(`a mail to ${email}`, () => world.smtp.mails.find((m) => m.to === email));
  const reply = async (email) => {
    const { desk } = world, { id } = await desk.owner.create('/users', { full_name: 'Ada', email });
    const talk = await desk.staff.create('/cases', { subject: `To ${email}`, contents: 'x', requester_id: id, channel: 'MAIL' });
    const by = (await desk.staff.fetch(`/cases/${talk.id}/reply/channels`)).find((channel) => channel.account?.id === world.box.id);
    (await desk.staff.post(`/cases/${talk.id}/reply`, { channel: 'MAIL', channel_id: by.uuid, contents: 'An answer' })).must(201);
  };
  const held = (email) => until('the mail to wait', () => sql(world.desk, `SELECT status || ' ' || attempts FROM outgoing_mails WHERE recipient = '${email}'`).trim() === '3 0');
  const arrived = (n) => until(`letter ${n}`, async () => (await world.desk.staff.get('/cases', { limit: 100, fields: 'subject' })).must(200).data.some((c) => c.subject === `Letter ${n}`));

  test('only owners set it, nobody sees the secret, and each wrong member is named', async () => {
    const { desk, account, login } = world;
    for (const name of Object.keys(login)) (await put({ [name]: login[name] }, desk.admin)).refused(403, 'PERMISSIONS_DENIED', name);
    for (const who of [desk.admin, desk.staff, desk.customer]) (await who.post(`/mailboxes/${world.box.id}/oauth`)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.owner.post(`/mailboxes/${world.box.id}/oauth`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.owner.post('/mailboxes/999/oauth')).refused(404, 'RESOURCE_NOT_FOUND');
    const lacks = (await put({ oauth_provider: 'GENERIC' })).refused(400, 'FIELD_INVALID').body.errors.map((e) => e.parameter);
    assert.deepEqual(lacks.sort(), ['oauth_authorization_url', 'oauth_client_id', 'oauth_scopes', 'oauth_token_url']);
    (await put({ oauth_client_secret: SECRET })).refused(400, 'FIELD_INVALID', 'oauth_client_secret');
    for (const url of ['ftp://x.example', 'login', 'https://x.example:25/']) (await put({ ...login, oauth_token_url: url })).refused(400, 'FIELD_INVALID', 'oauth_token_url');
    await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': false } });
    for (const url of ['http://x.example/token', 'https://127.0.0.1/token', 'https://[::1]/token']) (await put({ ...login, oauth_authorization_url: 'https://x.example/', oauth_token_url: url })).refused(400, 'FIELD_INVALID', 'oauth_token_url');
    await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true } });
    const set = (await put({ ...account, ...login })).must(200);
    assert.deepEqual([set.data.oauth_state, set.data.oauth_reason, set.data.oauth_provider], ['NEEDS_CONSENT', 'The mailbox was not connected yet.', 'GENERIC']);
    assert.ok(!set.text.includes(SECRET) && stored('oauth_client_secret') && !stored('oauth_client_secret').includes(SECRET));
    assert.equal((await desk.staff.fetch(`/mailboxes/${world.box.id}`)).oauth_client_id, null);
    assert.ok(!(await desk.admin.get('/changes', { limit: 1000 })).text.includes(SECRET));
  });

  test('a preset brings its servers', async () => {
    const { desk } = world, made = await desk.admin.create('/mailboxes', { address: 'preset@example.com', is_enabled: false });
    for (const [name, imap, smtp, host] of [['GOOGLE', 'imap.gmail.com', 'smtp.gmail.com', 'accounts.google.com'], ['MICROSOFT', 'outlook.office365.com', 'smtp.office365.com', 'login.microsoftonline.com']]) {
      const set = await desk.owner.update(`/mailboxes/${made.id}`, { oauth_provider: name, oauth_client_id: 'desk', imap_host: null, smtp_host: null }).then(() => desk.owner.update(`/mailboxes/${made.id}`, { oauth_provider: null })).then(() => desk.owner.update(`/mailboxes/${made.id}`, { oauth_provider: name }));
      assert.deepEqual([set.imap_host, set.smtp_host, set.oauth_state], [imap, smtp, 'NEEDS_CONSENT']);
      const asked = new URL((await consentAsked(desk, made.id)).url);
      assert.equal(asked.host, host);
      assert.ok(asked.searchParams.get('scope') && asked.searchParams.get('login_hint') === 'preset@example.com');
    }
    (await desk.admin.delete(`/mailboxes/${made.id}`)).must(200);
  });

  test('mails wait for the consent; with it the desk reads and sends by access tokens, and renews them before their end', async () => {
    const { desk, imap, provider, smtp } = world;
    imap.put(letter(1));
    await reply('ada@people.example');
    await held('ada@people.example');
    const done = (await consented(desk, world.box.id, provider)).must(303);
    assert.equal(done.headers.location, `/agent/settings/mailboxes/${world.box.id}`);
    const [first] = provider.requests;
    assert.equal(createHash('sha256').update(first.code_verifier).digest('base64url'), done.asked.code_challenge);
    assert.deepEqual([first.redirect_uri, first.client_secret, first.authorization], [done.asked.redirect_uri, undefined, `Basic ${Buffer.from(`desk:${encodeURIComponent(SECRET)}`).toString('base64')}`]);
    assert.deepEqual([done.asked.code_challenge_method, done.asked.prompt, done.asked.scope], ['S256', 'consent', 'mail offline_access']);
    const now = await state('CONNECTED');
    assert.deepEqual([now.oauth_reason, typeof now.oauth_connected_at], [null, 'string']);
    await taken('ada@people.example');
    await arrived(1);
    assert.deepEqual([imap.logins[0], smtp.logins[0]], [ADDRESS, ADDRESS]);
    await until('the mail to leave the server', () => imap.mails.length === 0);
    for (const column of ['oauth_refresh_token', 'oauth_access_token']) assert.doesNotMatch(stored(column), /access-|refresh-/);
    assert.equal(provider.renewals(), 0);
    await desk.clock.forward(HOUR - 4 * 60);
    await reply('bob@people.example');
    await taken('bob@people.example');
    assert.equal(provider.renewals(), 1, 'five minutes before the end');
    await reply('cleo@people.example');
    await taken('cleo@people.example');
    assert.equal(provider.renewals(), 1);
  });

  test('many mails at once renew a token once', async () => {
    const { desk, provider, smtp } = world, before = provider.renewals();
    await desk.clock.forward(HOUR);
    const people = Array.from({ length: 6 }, (_, i) => `many${i}@people.example`);
    await Promise.all(people.map(reply));
    await later('six mails', () => people.every((email) => smtp.mails.some((m) => m.to === email)), 3);
    assert.equal(provider.renewals(), before + 1);
  });

  test('a provider that is away, answers slowly, with a gigabyte, or wrongly, ends no consent: the mail is sent when it answers', async () => {
    const { desk, provider } = world;
    const endless = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 ** 30 });
      const more = () => { while (!response.destroyed && response.write('x'.repeat(65536))); };
      response.on('drain', more).on('error', () => {});
      more();
    };
    /** Each byte comes at once, and the reply never ends. */
    const drip = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer)).on('error', () => {});
    };
    const cases = [['large', endless, /too long/], ['error', (r) => provider.send(r, 'oops', 500), /answered 500/], ['odd', (r) => provider.send(r, { access_token: 'a b', token_type: 'Bearer' }), /without an access token/],
      ['gone', (r) => r.destroy(), /The provider failed/], ['slow', drip, /no complete reply within 1 s/]];
    for (const [name, wrong, message] of cases) {
      provider.wrong = wrong;
      if (wrong === drip) await desk.owner.update('/settings', { values: { 'mail.oauth_timeout_seconds': 1 } });
      await desk.clock.forward(2 * HOUR);
      await reply(`${name}@people.example`);
      const failed = await until(`the reason of ${name}`, async () => { const now = await box(); return message.test(now.oauth_reason ?? '') ? now : undefined; });
      assert.equal(failed.oauth_state, 'CONNECTED');
      provider.wrong = undefined;
      if (wrong === drip) await desk.owner.update('/settings', { values: { 'mail.oauth_timeout_seconds': 10 } });
      await taken(`${name}@people.example`);
      assert.equal((await box()).oauth_reason, null);
    }
  });

  test('an access token that the servers refuse is renewed', async () => {
    const { desk, provider, smtp } = world, before = provider.renewals();
    provider.live.clear();
    await reply('refused@people.example');
    await until('the refusal', () => smtp.denied > 0);
    await taken('refused@people.example');
    assert.ok(provider.renewals() > before);
    assert.equal((await box()).oauth_state, 'CONNECTED');
  });

  test('a consent that ends in the middle of a fetch loses no mail, and admins get a mail', async () => {
    const { desk, imap, provider, smtp } = world;
    imap.beforeBody = (socket) => {
      provider.revoked = true;
      provider.live.clear();
      for (const one of imap.sockets) one.destroy();
      return Boolean(socket);
    };
    imap.put(letter(2));
    const lost = await later('the loss', async () => { const now = await box(); return now.oauth_state === 'NEEDS_CONSENT' ? now : undefined; }, 61);
    assert.equal(lost.oauth_reason, 'The consent has ended at the provider (invalid_grant).');
    assert.deepEqual([stored('oauth_refresh_token'), stored('oauth_access_token')], ['', '']);
    const notices = sql(desk, "SELECT recipient FROM outgoing_mails WHERE template = 'rule_notification' ORDER BY recipient").trim().split('\n');
    assert.deepEqual(notices, [desk.people.admin.email, desk.people.owner.email].sort());
    assert.ok((await desk.owner.get('/changes', { limit: 1000 })).data.some((e) => e.resource_type === 'mailbox' && e.property === 'oauth_state'));
    imap.beforeBody = undefined;
    assert.equal(imap.mails.length, 1);
    await reply('dora@people.example');
    await held('dora@people.example');
    await until('the error', async () => /consent has ended/.test((await box()).imap_error ?? '')); // the fetch that was cut may have left one before
    provider.revoked = false;
    (await consented(desk, world.box.id, provider)).must(303);
    await taken('dora@people.example');
    await arrived(2);
    const [row] = await desk.owner.fetch('/cases', { limit: 100, fields: 'subject' }).then((rows) => [rows.filter((c) => c.subject === 'Letter 2')]);
    assert.equal(row.length, 1);
  });

  test('a process that is killed between the answer of the provider and its COMMIT tries the former refresh token again, and loses no mail', async () => {
    const { desk, imap, provider } = world;
    /** The provider replaces the refresh token, and the process ends without the answer. keeps: the former token counts once more. */
    const killed = async (keeps) => {
      let asked, queued;
      const ready = new Promise((resolve) => { queued = resolve; });
      provider.wrong = (response, form) => {
        provider.wrong = (other) => other.destroy();
        asked = ready.then(() => {
          provider.grant({ writeHead: () => ({ end: () => {} }) }, form);
          if (keeps) provider.refresh.add(form.get('refresh_token'));
          return desk.kill();
        });
      };
      await desk.clock.forward(2 * HOUR);
      await reply(`${keeps ? 'kept' : 'lost'}@people.example`); // needs a new token
      await later('the provider to be asked', () => asked !== undefined);
      queued();
      await asked;
      provider.wrong = undefined;
      await desk.start();
    };
    const notices = () => Number(sql(desk, "SELECT COUNT(*) FROM outgoing_mails WHERE template = 'rule_notification'"));
    imap.put(letter(3));
    const before = notices();
    await killed(true);
    await taken('kept@people.example');
    await later('letter 3', () => imap.mails.length === 0);
    await arrived(3);
    assert.deepEqual([(await box()).oauth_state, notices()], ['CONNECTED', before]);

    imap.put(letter(4));
    await killed(false);
    await later('the loss', async () => (await box()).oauth_state === 'NEEDS_CONSENT', 61);
    assert.equal(notices(), before + 2);
    await later('the mail to wait', () => sql(desk, "SELECT status FROM outgoing_mails WHERE recipient = 'lost@people.example'").trim() === '3'); // the killed process may have begun an attempt
    (await consented(desk, world.box.id, provider)).must(303);
    await taken('lost@people.example');
    await arrived(4);
  });

  test('answers that are not for this owner, this mailbox or this provider connect nothing', async () => {
    const { desk, provider } = world, id = world.box.id;
    (await put({ oauth_client_id: 'other', oauth_client_secret: SECRET })).must(200);
    const reason = async () => (await box()).oauth_reason;
    assert.equal(await reason(), 'The account was changed. Connect it again.');
    const asked = await consentAsked(desk, id), path = new URL(asked.redirect_uri).pathname, owner = await ownersBrowser(desk);
    const back = (query, visitor = owner, at = path) => visitor.get(`${at}?${new URLSearchParams({ code: provider.code(), state: asked.state, ...query })}`);
    const others = await ownersBrowser(desk, desk.people.admin);
    (await back({}, others)).must(403);
    (await back({ state: `${asked.state.slice(0, -1)}${asked.state.endsWith('0') ? 1 : 0}` })).must(400);
    (await back({ state: '' })).must(400);
    (await back({}, owner, '/mailboxes/1/oauth/callback')).must(400);
    const said = (await back({ error: 'access_denied' })).must(403).text;
    for (const text of [/<html lang="en"/, /The mailbox is not connected/, /did not agree\. Nothing was changed\. \(access_denied\)/]) assert.match(said, text);
    // The page has the language of the owner.
    const speaks = async (code) => desk.owner.update('/profile', { locale_id: (await desk.owner.fetch('/locales')).find(({ locale }) => locale === code).id });
    await speaks('de');
    for (const text of [/<html lang="de"/, /Das Postfach ist nicht verbunden/, /Nichts wurde geändert/, /Zurück zum Postfach/]) assert.match((await back({ error: 'access_denied' })).must(403).text, text);
    await speaks('ar');
    assert.match((await back({ error: 'access_denied' })).must(403).text, /<html lang="ar" dir="rtl"/);
    await speaks('en-us');
    (await back({ code: 'forged' })).must(502);
    (await back({ code: 'forged' })).must(400);
    asked.state = (await consentAsked(desk, id)).state;
    await put({ oauth_issuer: provider.issuer });
    (await back({})).must(403);
    (await back({ iss: 'https://other.example' })).must(403);
    provider.wrong = (r) => provider.send(r, { access_token: 'x', token_type: 'Bearer' });
    (await back({ iss: provider.issuer })).must(502);
    provider.wrong = undefined;
    asked.state = (await consentAsked(desk, id)).state;
    assert.equal((await box()).oauth_state, 'NEEDS_CONSENT');
    await desk.clock.forward(11 * MINUTE);
    (await back({ iss: provider.issuer })).must(400);
    const good = await consented(desk, id, provider, { query: { iss: provider.issuer } });
    good.must(303);
    (await owner.get(`${path}?${new URLSearchParams({ code: provider.code(), iss: provider.issuer, state: good.asked.state })}`)).must(400);
    assert.equal((await box()).oauth_state, 'CONNECTED');
  });

  test('the test of a mailbox names the consent, and a change of a server or a deletion ends it', async () => {
    const { desk } = world, id = world.box.id;
    const tried = async () => {
      await desk.clock.forward(MINUTE + 1);
      (await desk.admin.post(`/mailboxes/${id}/test`)).must(202);
      return later('the end of the test', async () => {
        const now = await desk.admin.fetch(`/mailboxes/${id}/test`);
        return now.status === 'RUNNING' ? undefined : Object.fromEntries(now.steps.map((s) => [s.name, s.result]));
      }, 61);
    };
    const good = await tried();
    assert.deepEqual([good.consent, good.relay_login, good.relay_mail, good.imap_login, good.imap_folder], ['OK', 'OK', 'OK', 'OK', 'OK']);
    (await put({ imap_host: 'localhost' })).must(200);
    assert.equal((await box()).oauth_state, 'NEEDS_CONSENT');
    assert.equal((await tried()).consent, 'FAILED');
    const off = (await put({ oauth_provider: null })).must(200).data;
    assert.deepEqual([off.oauth_state, off.oauth_reason, stored('oauth_client_secret')], [null, null, '']);
    (await put(world.login)).must(200);
    assert.ok(stored('oauth_client_secret'));
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
    for (const column of ['oauth_client_secret', 'oauth_refresh_token', 'oauth_access_token', 'oauth_provider']) assert.equal(stored(column), '');
    assert.ok(!desk.log.includes(SECRET) && !/access-\d|refresh-\d/.test(desk.log), 'no secret in the log');
  });
});
