import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { form } from './bodies.mjs';
import { Browser } from './browser.mjs';
import { PASSWORD } from './stores.mjs';

export const CALLBACK = 'https://app.example/callback';

export const challengeOf = (verifier) => createHash('sha256').update(verifier).digest('base64url');

/** Registers a client. */
export const register = (desk, more = {}) => desk.admin.create('/oauth/clients', { name: 'Reports', callback_url: CALLBACK, ...more });

/** The address of the authorize page for a client. A parameter that is undefined is left out. */
export const authorizeUrl = (client, more = {}, path = '/oauth/authorize') => {
  const all = { response_type: 'code', client_id: client.key, redirect_uri: client.callback_url, state: 'a state', ...more };
  return `${path}?${new URLSearchParams(Object.entries(all).filter(([, v]) => v !== undefined))}`;
};

/** Logs in on the authorize page if it asks for a login. Returns the page of the consent. */
export async function toConsent(browser, url, person) {
  const page = await browser.get(url);
  if (!page.text.includes('name="password"')) return page.must(200);
  const done = await browser.send(page.must(200), { email: person.email, password: person.password ?? PASSWORD });
  return (await browser.get(done.must(303).headers.location)).must(200);
}

/** A browser in which the person has logged in. */
export async function loggedIn(desk, client, person) {
  const browser = new Browser(desk);
  await toConsent(browser, authorizeUrl(client), person);
  return browser;
}

/** Lets a client act for a person. Returns the parameters of the redirect. */
export async function authorize(desk, client, person, more = {}) {
  const browser = more.browser ?? new Browser(desk);
  delete more.browser;
  const page = await toConsent(browser, authorizeUrl(client, more), person);
  const { location } = (await browser.send(page, { do: 'allow' })).must(303).headers;
  const { searchParams } = new URL(location);
  assert.ok(searchParams.has('code'), location);
  desk.secrets.add(searchParams.get('code'));
  return Object.fromEntries(searchParams);
}

/** Sends a request to an endpoint with the credentials of a client. `auth` is basic, post or none. */
export async function exchange(desk, client, fields, { path = '/oauth/token', auth = client.secret ? 'basic' : 'none', encode = form, headers = {}, from } = {}) {
  const pair = [client.key, client.secret].map((text) => encodeURIComponent(text ?? '')).join(':');
  const more = auth === 'basic' ? {} : auth === 'post' ? { client_id: client.key, client_secret: client.secret } : { client_id: client.key };
  const basic = auth === 'basic' ? { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {};
  const caller = from ? desk.anyone.at(from) : desk.anyone;
  const reply = await caller.exchange('POST', path, { body: encode({ ...fields, ...more }), headers: { ...basic, ...headers } });
  assert.ok(reply.status < 500, String(reply));
  assert.equal(reply.headers['cache-control'], 'no-store', String(reply));
  for (const name of reply.isJson ? ['access_token', 'refresh_token'] : []) if (reply.body[name]) desk.secrets.add(reply.body[name]);
  return reply;
}

/** Tokens by a code. */
export async function tokensFor(desk, client, person, more = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const { code } = await authorize(desk, client, person, { code_challenge: challengeOf(verifier), code_challenge_method: 'S256', ...more });
  return (await exchange(desk, client, { grant_type: 'authorization_code', code, redirect_uri: client.callback_url, code_verifier: verifier })).must(200).body;
}

export const refresh = (desk, client, token, more = {}) => exchange(desk, client, { grant_type: 'refresh_token', refresh_token: token, ...more });

/** A caller with an access token. */
export const bearer = (desk, token) => desk.anyone.with({ Authorization: `Bearer ${token}` });

/** True if the API accepts the token. */
export const lives = async (desk, token) => (await bearer(desk, token).get('/me')).status === 200;

/** Returns the reply if it is this OAuth error. */
export function denied(reply, status, error) {
  assert.deepEqual([reply.status, reply.body.error], [status, error], String(reply));
  assert.deepEqual(Object.keys(reply.body), ['error', 'error_description']);
  return reply;
}
