// New tokens of a mailbox while the store can't be written (src/mail/unstored.h).
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOUR, directory, open, rowsChanged, until } from '../api/lib/index.mjs';
import { consented, mailProvider } from '../api/lib/mailprovider.mjs';
import { shim } from './shim.mjs';

test('a refresh token that replaced the stored one is kept until the store takes it: the consent stays, and the provider is not asked again', { timeout: 300_000 }, async (t) => {
  const preload = shim('eio');
  if (!preload) return t.skip('eio.so is not built and there is no compiler');
  const dir = directory(), fault = join(directory(), 'fault');
  const { provider, imap } = await mailProvider(t);
  const desk = await open(t, { dir, processes: 1, env: { LD_PRELOAD: preload, DESKD_FAULT: fault, DESKD_FAULT_UNDER: join(dir, 'desk.db') } });
  desk.expects5xx = true;
  await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true } });
  const { id } = await desk.admin.create('/mailboxes', { address: 'support@example.com' });
  await rowsChanged(desk, `UPDATE mailboxes SET verified_at = 1 WHERE id = ${id}`);
  await desk.owner.update(`/mailboxes/${id}`, {
    imap_host: '127.0.0.1', imap_port: imap.port, imap_security: 'NONE', oauth_provider: 'GENERIC', oauth_client_id: 'desk',
    oauth_authorization_url: `${provider.issuer}/authorize`, oauth_token_url: `${provider.issuer}/token`, oauth_scopes: 'mail',
  });
  (await consented(desk, id, provider)).must(303);
  await until('the first login', () => imap.logins.length === 1);
  /** The session ends, and the clock moves on until the condition holds. */
  const later = async (what, holds) => {
    let looks = 0;
    for (const socket of imap.sockets) socket.destroy();
    await until(what, async () => {
      if (holds()) return true;
      if (++looks % 20 === 0) await desk.clock.forward(40);
      return false;
    });
  };
  provider.wrong = (response, form) => {
    writeFileSync(fault, 'write');
    provider.wrong = undefined;
    provider.grant(response, form);
  };
  await desk.clock.forward(HOUR);
  await later('the failure', () => /the new tokens of the mailbox \d+ wait in memory/.test(desk.log));
  assert.deepEqual([imap.logins.length, provider.renewals()], [1, 1]);
  rmSync(fault);
  await until('the store to take them', () => /the new tokens of the mailbox \d+ are stored/.test(desk.log));
  await later('a login by the new token', () => imap.logins.length === 2);
  assert.equal(provider.renewals(), 1, 'the provider was not asked a second time');
  await desk.clock.forward(HOUR);
  await later('a login by the next token', () => imap.logins.length === 3);
  const box = await desk.owner.fetch(`/mailboxes/${id}`);
  assert.deepEqual([provider.renewals(), box.oauth_state, box.oauth_reason], [2, 'CONNECTED', null]);
  assert.ok(!/access-\d|refresh-\d/.test(desk.log), 'no token in the log');
});
