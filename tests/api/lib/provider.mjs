import { createHash, createHmac, generateKeyPairSync, sign as signature, constants } from 'node:crypto';
import http from 'node:http';
import { Browser } from './browser.mjs';
import { defer } from './defer.mjs';

const b64 = (value) => Buffer.from(value).toString('base64url');
const json = (value) => b64(JSON.stringify(value));
const sha = (text) => createHash('sha256').update(text).digest();

/** A key pair of a provider: {kid, alg, jwk, privateKey}. */
export function keyOf(alg, kid, bits = 2048) {
  const { publicKey, privateKey } = alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: bits });
  return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

const signers = {
  RS256: (text, key) => signature('sha256', text, key.privateKey),
  PS256: (text, key) => signature('sha256', text, { key: key.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (text, key) => signature('sha256', text, { key: key.privateKey, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (text, key) => signature(null, text, key.privateKey),
  HS256: (text, key) => createHmac('sha256', key.secret).update(text).digest(),
  none: () => Buffer.alloc(0),
};

/** A signed token: header and claims as given. */
export function tokenOf(header, claims, key) {
  const text = `${json(header)}.${json(claims)}`;
  return `${text}.${b64((signers[header.alg] ?? signers.RS256)(Buffer.from(text), key))}`;
}

/** A small provider of OpenID Connect on 127.0.0.1. `wrong` changes one thing of its next answers. */
export class Provider {
  constructor(now) {
    Object.assign(this, { now, keys: [keyOf('RS256', 'one')], codes: new Map(), requests: [], wrong: {}, serial: 0 });
  }

  async start() {
    this.server = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => this.answer(request, response, Buffer.concat(chunks).toString()));
    });
    await new Promise((resolve) => { this.server.listen(0, '127.0.0.1', resolve); });
    this.issuer = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => { this.server.close(resolve); });
  }

  asked(path) { return this.requests.filter((r) => r.path === path).length; }

  document() {
    return { issuer: this.issuer, authorization_endpoint: `${this.issuer}/authorize`, token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`, userinfo_endpoint: `${this.issuer}/userinfo`, end_session_endpoint: `${this.issuer}/logout`,
      token_endpoint_auth_methods_supported: ['client_secret_basic'], code_challenge_methods_supported: ['S256'], ...this.wrong.document };
  }

  answer(request, response, text) {
    const { pathname: path } = new URL(request.url, this.issuer);
    this.requests.push({ path, method: request.method, headers: request.headers, text });
    const odd = this.wrong[path];
    if (odd) return odd(response, text);
    if (path === '/.well-known/openid-configuration') return this.send(response, this.document());
    if (path === '/jwks') return this.send(response, { keys: this.keys.map((key) => key.jwk) });
    if (path === '/token') return this.exchange(response, request, new URLSearchParams(text));
    if (path === '/userinfo') return this.send(response, this.userinfo ?? {});
    if (path === '/authorize' && this.person) { // the person has logged in here already
      const asked = Object.fromEntries(new URL(request.url, this.issuer).searchParams);
      const query = new URLSearchParams({ code: this.code(asked, { claims: this.person }), state: asked.state });
      return response.writeHead(302, { Location: `${asked.redirect_uri}?${query}` }).end();
    }
    if (path === '/logout') {
      const asked = new URL(request.url, this.issuer).searchParams, state = asked.get('state');
      return response.writeHead(302, { Location: `${asked.get('post_logout_redirect_uri')}${state === null ? '' : `?${new URLSearchParams({ state })}`}` }).end();
    }
    return this.send(response, {}, 404);
  }

  send(response, body, status = 200) {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  exchange(response, request, form) {
    const code = this.codes.get(form.get('code'));
    this.codes.delete(form.get('code'));
    const good = code && form.get('grant_type') === 'authorization_code' && form.get('redirect_uri') === code.asked.redirect_uri
      && b64(sha(form.get('code_verifier') ?? '')) === code.asked.code_challenge;
    if (!good) return this.send(response, { error: 'invalid_grant' }, 400);
    const access = `access-${++this.serial}`;
    const id_token = code.token ? code.token(access) : this.token(code, access);
    return this.send(response, { access_token: access, token_type: 'Bearer', expires_in: 300, id_token });
  }

  claims(asked, more = {}) {
    const now = Math.floor(this.now() / 1000);
    const claims = { iss: this.issuer, sub: 'subject-1', aud: asked.client_id, exp: now + 300, iat: now, nonce: asked.nonce, ...more };
    for (const name of Object.keys(claims)) if (claims[name] === undefined) delete claims[name];
    return claims;
  }

  token({ asked, claims, header = {}, key = this.keys[0] }) {
    return tokenOf({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header }, this.claims(asked, claims), key);
  }

  /** The code of a person who logged in here. */
  code(asked, options) {
    const code = `code-${++this.serial}`;
    this.codes.set(code, { asked, ...options });
    return code;
  }
}

/** A browser that may also get a page about a provider that failed. */
export class Visitor extends Browser {
  async go(method, url, body, headers = {}) {
    const Cookie = Object.entries(this.cookies).filter(([, value]) => value).map((pair) => pair.join('=')).join('; ');
    const sent = method === 'POST' ? { Origin: this.desk.base, 'Sec-Fetch-Site': 'same-origin' } : {};
    const reply = await this.desk.anyone.exchange(method, url.startsWith('/') ? url : url.slice(new URL(url).origin.length), { body, headers: { ...(Cookie && { Cookie }), ...sent, ...headers } });
    for (const cookie of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^(\w+)=([^;]*)/.exec(cookie);
      this.cookies[name] = value;
    }
    return reply;
  }
}

/** Starts a provider, and creates it at the desk: {idp, provider}. t null: for all tests of a suite. */
export async function provided(t, desk, more = {}) {
  const idp = await new Provider(() => desk.clock.now).start();
  if (t) defer(t, () => idp.stop());
  else idp.server.unref();
  (await desk.owner.put('/settings', { values: { 'signin.allow_private_addresses': true } })).must(200);
  const provider = await desk.owner.create('/signin/providers', { name: 'Example', issuer: idp.issuer, client_id: 'desk', client_secret: 'a very secret text', role_id: 2, email_domains: 'example.com', ...more });
  return { idp, provider };
}

/** Begins a login: what the desk asked the provider for. */
export async function begun(visitor, { id }, to) {
  const reply = await visitor.get(`/signin/${id}${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`);
  reply.must(303);
  return Object.fromEntries(new URL(reply.headers.location).searchParams);
}

/** The whole login of a browser. Returns the last reply, to the callback. options: see Provider.token. */
export async function signedIn(desk, { idp, provider }, options = {}) {
  const visitor = options.visitor ?? new Visitor(desk), asked = await begun(visitor, provider, options.to);
  const code = idp.code(asked, options);
  const reply = await visitor.get(`/signin/${provider.id}/callback?${new URLSearchParams({ code, state: asked.state, ...options.query })}`);
  return Object.assign(reply, { visitor, asked, code });
}

/** Returns the person who is logged in in this browser, or null. */
export async function whoIs(visitor) {
  const reply = (await visitor.get('/api/v1/session')).must(200);
  return JSON.parse(reply.text).data.user?.id ?? null;
}

export function at_hash(access) { return b64(sha(access).subarray(0, 16)); }
