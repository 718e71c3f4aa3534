import assert from 'node:assert/strict';
import { form } from './bodies.mjs';

/** The fields of the first form of a page: hidden ones by name, and its action. */
export function formOf(page) {
  const [, action, inside] = /<form[^>]* method="post" action="([^"]+)"[^>]*>([^]*?)<\/form>/.exec(page.text) ?? assert.fail(`no form in ${page}`);
  return { action, hidden: Object.fromEntries([...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])) };
}

/** A browser: it keeps its cookies, follows no redirect, and sends the headers that browsers send. */
export class Browser {
  constructor(desk, { from } = {}) {
    Object.assign(this, { desk, from, cookies: {} });
  }

  async go(method, url, body, headers = {}) {
    const Cookie = Object.entries(this.cookies).map((pair) => pair.join('=')).join('; ');
    const path = url.startsWith('/') ? url : url.slice(new URL(url).origin.length);
    const sent = method === 'POST' ? { Origin: this.desk.base, 'Sec-Fetch-Site': 'same-origin' } : {};
    const caller = this.from ? this.desk.anyone.at(this.from) : this.desk.anyone;
    const reply = await caller.exchange(method, path, { body, headers: { ...(Cookie && { Cookie }), ...sent, ...headers } });
    assert.ok(reply.status < 500, String(reply));
    for (const cookie of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^(\w+)=([^;]*)/.exec(cookie);
      this.cookies[name] = value;
    }
    return reply;
  }

  get(url, headers) { return this.go('GET', url, undefined, headers); }

  /** Fills in the form of a page and sends it. */
  send(page, fields, headers) {
    const { action, hidden } = formOf(page);
    return this.go('POST', new URL(action, `${this.desk.base}${page.request.path}`).href, form({ ...hidden, ...fields }), headers);
  }
}
