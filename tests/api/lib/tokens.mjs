import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from './client.mjs';

/** A caller with `Authorization: Bearer`. */
export const bearer = (desk, token) => {
  desk.secrets.add(token);
  return new Client(desk, { Authorization: `Bearer ${token}` });
};

/** An API token of a person: {id, token, client, ...}. */
export async function apiToken(desk, person, more = {}) {
  const made = await person.create('/profile/api_tokens', { name: 'Script', ...more });
  return { ...made, client: bearer(desk, made.token) };
}

const HASH = `
import hashlib, sys
mac = lambda key, text: hashlib.blake2b(text, digest_size=32, key=key).digest()
server = open(sys.argv[1], 'rb').read()
print(mac(mac(server, b'tokens of programs'), sys.argv[2].encode()).hex())`;

/** The hash of a token in the store (src/core/login/token_text.c). */
export function tokenHash(desk, text) {
  const done = spawnSync('python3', ['-c', HASH, join(desk.dir, 'secret.key'), text], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

export const SCOPES = ['users', 'conversations', 'insights', 'search', 'configuration'].flatMap((name) => [`${name}:read`, `${name}:write`]);
export const maskOf = (scopes) => scopes.reduce((mask, scope) => mask | 1 << SCOPES.indexOf(scope), 0);

/** A grant with one access token, without the OAuth server: {grant, token, client}. */
export function accessToken(desk, { user, client, scopes, life = 3600 }) {
  const token = `dka_${randomBytes(32).toString('hex')}`, now = desk.clock.now, mask = maskOf(scopes);
  const grant = desk.sql(`INSERT INTO oauth_grants (user_id, client_id, scopes, expiry_at, created_at, updated_at) VALUES (${user}, ${client}, ${mask}, ${now + life * 1000}, ${now}, ${now}) RETURNING id`).split('\n')[0];
  desk.sql(`INSERT INTO oauth_tokens (kind, token_hash, client_id, grant_id, user_id, scopes, family, created_at, expires_at) VALUES (1, '${tokenHash(desk, token)}', ${client}, ${grant}, ${user}, ${mask}, 'f${grant}', ${now}, ${now + life * 1000})`);
  return { grant: Number(grant), token, client: bearer(desk, token) };
}
