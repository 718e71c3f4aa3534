// The provider of the npm package oidc-provider (certified by the OpenID Foundation), unmodified, on 127.0.0.1, and a person's browser there.
import http from 'node:http';
import { keyOf } from './provider.mjs';

const { default: OidcProvider } = await import('oidc-provider');

const jwkOf = ({ privateKey, jwk: { kid, alg } }) => ({ ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' });

/** `people`: claims by login. `clients` are set when their redirect addresses are known, `keys` may be replaced at any time. */
export class Oidc {
  constructor(people) {
    Object.assign(this, { people, requests: [] });
  }

  async start() {
    this.server = http.createServer((request, response) => {
      this.requests.push(request.url.split('?')[0]);
      this.answer(request, response);
    });
    await new Promise((resolve) => { this.server.listen(0, '127.0.0.1', resolve); });
    this.issuer = `http://127.0.0.1:${this.server.address().port}`;
    this.server.unref();
    return this;
  }

  /** A provider that was configured anew keeps its sessions: the package holds them in memory outside of the instance. */
  configure({ clients = this.clients, keys }) {
    this.clients = clients;
    const warn = console.info;
    console.info = console.warn = () => {}; // the package says that its forms and its memory are for tests
    const provider = new OidcProvider(this.issuer, {
      clients, jwks: { keys: keys.map(jwkOf) }, cookies: { keys: ['a secret of the tests'] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
      features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...this.people[sub] }) }),
    });
    this.answer = provider.callback();
    console.info = console.warn = warn;
    return this;
  }

  asked(path) { return this.requests.filter((one) => one === path).length; }
}

export const rsaKey = (kid) => keyOf('RS256', kid);

/** A browser at the provider. It answers the provider's forms, and stops at the first address of another site. */
export class Person {
  constructor(oidc, login) {
    Object.assign(this, { oidc, login, cookies: {}, forms: [] });
  }

  async go(url, body) {
    const reply = await fetch(url, {
      redirect: 'manual', method: body ? 'POST' : 'GET', body: body && new URLSearchParams(body),
      headers: { Cookie: Object.entries(this.cookies).map((pair) => pair.join('=')).join('; ') },
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (value) this.cookies[name] = value; else delete this.cookies[name];
    }
    return { status: reply.status, location: reply.headers.get('location'), text: await reply.text() };
  }

  /** Follows an address of the provider. Returns the address of the desk to which it leads. */
  async follow(url) {
    let at = new URL(url), reply = await this.go(at);
    for (let steps = 0; steps < 20; steps++) {
      if (reply.location) {
        at = new URL(reply.location, at);
        if (at.origin !== this.oidc.issuer) return at;
        reply = await this.go(at);
        continue;
      }
      const action = /<form[^>]*action="([^"]+)"/.exec(reply.text)?.[1];
      if (!action) throw new Error(`${reply.status} ${at}: ${reply.text.slice(0, 2000)}`);
      const hidden = Object.fromEntries([...reply.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
      const fields = { ...hidden, ...(hidden.prompt === 'login' && { login: this.login, password: 'any' }), ...(hidden.xsrf && { logout: 'yes' }) };
      this.forms.push(hidden.prompt ?? (hidden.xsrf ? 'logout' : 'other'));
      at = new URL(action, at);
      reply = await this.go(at, fields);
    }
    throw new Error(`the provider leads nowhere: ${at}`);
  }
}
