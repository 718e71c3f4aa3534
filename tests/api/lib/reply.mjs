import assert from 'node:assert/strict';
import { printable } from './printable.mjs';
import { parseStrictly } from './strict.mjs';

/** A reply of the daemon with its request. */
export class Reply {
  constructor(request, { status, headers, bytes }) {
    this.request = request;
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.text = bytes.toString('utf8');
  }

  get isJson() {
    return /^application\/json\b/.test(this.headers['content-type'] ?? '');
  }

  /** True for HTML that a browser shows, as it is sent. */
  get isPage() {
    return /^text\/html\b/.test(this.headers['content-type'] ?? '') && !this.headers['content-disposition'] && !this.headers['content-encoding'] && this.bytes.length > 0;
  }

  get body() {
    if (this.parsed === undefined) {
      try {
        this.parsed = parseStrictly(this.text);
      } catch (cause) {
        assert.fail(`not JSON: ${this}\n${cause.message}`);
      }
    }
    return this.parsed;
  }

  get data() { return this.body.data; }
  get ids() { return this.data.map((item) => item.id); }
  get etag() { return this.headers.etag; }
  /** The limit of the caller, and what is left of it. */
  get limits() { return [this.headers['ratelimit-policy'], this.headers.ratelimit]; }
  get notices() { return (this.body.logs ?? []).filter((l) => l.level === 'NOTICE').map((l) => l.message); }

  /** Returns the reply if it has this status. Throws otherwise. */
  must(status) {
    assert.equal(this.status, status, `${this}`);
    return this;
  }

  /** Returns the reply if it is this refusal and names each of these parameters or pointers. Throws otherwise. */
  refused(status, code, ...names) {
    assert.ok(code, 'refused(status, code, ...parameters) needs the code of the error, such as RESOURCE_NOT_FOUND');
    this.must(status);
    const errors = this.body.errors.filter((e) => e.code === code);
    assert.ok(errors.length, `no ${code} in ${this}`);
    for (const name of names) {
      const named = errors.some((e) => e.parameter === name || e.pointer === name || e.parameters?.includes(name));
      assert.ok(named, `${code} does not name ${name}: ${this}`);
    }
    return this;
  }

  /** Returns the reply if a notice contains all these words. Throws otherwise. */
  notes(...words) {
    for (const word of words) {
      assert.ok(this.notices.some((m) => m.includes(word)), `no notice of ${word}: ${this}`);
    }
    return this;
  }

  /** The texts of assertions contain it, so it is made some ten times for each reply. */
  toString() { return (this.shown ??= this.describe()); }

  describe() {
    const { method, path, sent } = this.request;
    const said = sent ? ` ${sent.slice(0, 400)}` : '';
    return printable(`${method} ${path}${said} -> ${this.status} ${this.text.slice(0, 1200)}`);
  }
}
