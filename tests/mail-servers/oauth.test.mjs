// A mailbox that logs in by OAuth 2 at a Dovecot with its passdb oauth2, and at a Postfix that asks this Dovecot and takes nothing but XOAUTH2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, rowsChanged, until } from '../api/lib/index.mjs';
import { consented, mailProvider } from '../api/lib/mailprovider.mjs';
import { dovecot, freePort, mailOf, noDovecot, noPostfix, postfix } from './servers.mjs';

const ADDRESS = 'support@desk.example';

test('a desk reads and sends by access tokens at Dovecot and Postfix, and renews a token that they refuse', { skip: noDovecot ?? noPostfix, timeout: 300_000 }, async (t) => {
  const { provider } = await mailProvider(t), sasl = await freePort();
  const imap = await dovecot(t, (server) => server.byTokens(`${provider.issuer}/introspect`, sasl));
  const relay = await postfix(t, { 'customers.example': 'discard:' }, {
    smtpd_sasl_auth_enable: 'yes', smtpd_sasl_type: 'dovecot', smtpd_sasl_path: `inet:127.0.0.1:${sasl}`, smtpd_sasl_mechanism_filter: 'xoauth2', smtpd_sasl_security_options: 'noanonymous',
    smtpd_recipient_restrictions: 'permit_sasl_authenticated,reject', smtpd_relay_restrictions: 'permit_sasl_authenticated,reject',
  });
  imap.put(mailOf({ subject: 'First' }));
  const desk = await open(t);
  await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true, 'mail.imap_ca': imap.cert.pem, 'mail.imap_seconds': 60 } });
  const { id } = await desk.admin.create('/mailboxes', { address: ADDRESS });
  await rowsChanged(desk, `UPDATE mailboxes SET verified_at = 1 WHERE id = ${id}`);
  await desk.owner.update(`/mailboxes/${id}`, {
    imap_host: '127.0.0.1', imap_port: imap.ports.imap, imap_security: 'STARTTLS', imap_user: 'desk', smtp_host: '127.0.0.1', smtp_port: relay.port, smtp_security: 'NONE', smtp_user: 'desk',
    oauth_provider: 'GENERIC', oauth_client_id: 'desk', oauth_authorization_url: `${provider.issuer}/authorize`, oauth_token_url: `${provider.issuer}/token`, oauth_scopes: 'mail',
  });
  const subjects = async () => (await desk.owner.fetch('/conversations', { limit: 100 })).map((c) => c.subject).sort();
  const answer = async () => {
    const [talk] = (await desk.staff.fetch('/cases', { limit: 100, fields: 'subject' })).filter((c) => c.subject === 'First');
    const channel = (await desk.staff.fetch(`/cases/${talk.id}/reply/channels`)).find((c) => c.account?.id === id);
    (await desk.staff.post(`/cases/${talk.id}/reply`, { channel: 'MAIL', channel_id: channel.uuid, contents: 'An answer' })).must(201);
  };
  const logins = () => relay.log.match(/sasl_method=XOAUTH2, sasl_username=desk/gi)?.length ?? 0;
  assert.equal(imap.logins[0], 0);
  (await consented(desk, id, provider)).must(303);
  await until('the mail', async () => (await subjects()).join() === 'First');
  await until('the mail to be removed', () => imap.mails().length === 0);
  await answer();
  await until('the answer', () => logins() === 1 && /status=sent/.test(relay.log));
  assert.equal(provider.renewals(), 0);
  assert.ok(provider.asked.length >= 2 && provider.asked.every((token) => provider.live.has(token)));

  provider.live.clear(); // the provider has ended the token before its time
  await answer();
  await until('the refusal', () => /lost connection after AUTH|authentication failed/i.test(relay.log));
  let looks = 0;
  await until('the second answer', async () => {
    if (logins() === 2) return true;
    if (++looks % 20 === 0) await desk.clock.forward(30);
    return false;
  });
  assert.equal(provider.renewals(), 1);
  assert.equal((await desk.owner.fetch(`/mailboxes/${id}`)).oauth_state, 'CONNECTED');
});
