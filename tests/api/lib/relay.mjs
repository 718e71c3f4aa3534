import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defer } from './defer.mjs';
import { directory } from './desk.mjs';
import { until } from './until.mjs';

const SINK = fileURLToPath(new URL('relay.py', import.meta.url));

/** A mail that the relay received. */
class Mail {
  constructor({ headers, parts, raw, ...rest }) {
    Object.assign(this, rest, { headers, raw: Buffer.from(raw, 'base64').toString('latin1') });
    this.files = parts.filter((p) => p.disposition).map(({ data, ...part }) => ({ ...part, bytes: Buffer.from(data, 'base64') }));
    const said = parts.filter((p) => !p.disposition);
    this.text = said.find((p) => p.type === 'text/plain')?.text;
    this.html = said.find((p) => p.type === 'text/html')?.text;
    this.parts = said.map((p) => `${p.type}; charset=${p.charset}`);
  }

  header(name) {
    const found = this.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
    assert.ok(found.length <= 1, `${name} occurs ${found.length} times`);
    return found[0]?.[1];
  }

  get subject() { return this.header('Subject'); }
  /** The address of the page that the mail links to. */
  get link() { return /https?:\/\/\S+\?hash=\S+/.exec(this.text)?.[0]; }
  get hash() { return new URL(this.link).searchParams.get('hash'); }
}

/** A relay for this test on 127.0.0.1: relay.py. */
class Relay {
  constructor(options) {
    Object.assign(this, { options, mails: [], refused: [], done: 0 });
  }

  async start() {
    const child = spawn('/usr/bin/python3', [SINK, JSON.stringify({ ...this.options, port: this.port })], { stdio: ['pipe', 'pipe', 'pipe'] });
    let rest = '';
    let said = '';
    this.child = child;
    this.gone = new Promise((resolve) => child.on('close', resolve));
    child.stderr.on('data', (text) => { said += text; });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) this.hear(JSON.parse(line));
    });
    this.up = false;
    await until('the relay', () => {
      assert.equal(child.exitCode, null, `relay.py ended: ${said}`);
      return this.up;
    });
    return this;
  }

  hear(event) {
    if (event.port) Object.assign(this, { port: event.port, up: true });
    if (event.mail) this.mails.push(new Mail(event.mail));
    if (event.refused) this.refused.push(event);
    if (event.done) this.done++;
  }

  async stop() {
    this.child.stdin.destroy();
    this.child.kill('SIGKILL');
    await this.gone;
  }

  async tell(command) {
    const { done } = this;
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
    await until('the relay to listen', () => this.done > done);
  }

  /** The first unread mail to an address with a subject. Mails may arrive in any order. */
  async find(address, subject = /./) {
    this.found ??= new Set();
    const mail = await until(`a mail to ${address}, ${subject}`, () => this.mails.find((m) => !this.found.has(m) && m.to[0].toLowerCase() === address.toLowerCase() && subject.test(m.subject)));
    this.found.add(mail);
    this.taken = Math.max(this.taken ?? 0, this.mails.indexOf(mail) + 1);
    return mail;
  }

  /** The next mail, numbered from 0 in the order of arrival. */
  async mail(n = this.taken ?? 0) {
    this.taken = n + 1;
    await until(`mail ${n}`, () => this.mails.length > n);
    return this.mails[n];
  }
}

export async function relay(t, options = {}) {
  const made = new Relay(options);
  defer(t, () => made.stop());
  return made.start();
}

/** Sets the relay of a desk. */
export async function connect(desk, to, values = {}) {
  await desk.owner.update('/settings', {
    values: {
      'mail.smtp_host': '127.0.0.1', 'mail.smtp_port': to.port, 'mail.smtp_security': to.options?.security ?? 'NONE',
      'mail.from_address': 'desk@example.com', ...values,
    },
  });
}

/** A relay that gets the letters of this desk. */
export async function relayFor(t, desk, values = {}, options = {}) {
  const to = await relay(t, options);
  await connect(desk, to, values);
  return to;
}

/** A self-signed certificate for 127.0.0.1. */
export function certificate() {
  const dir = directory();
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', key,
    '-out', cert, '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  return { certificate: cert, key, pem: readFileSync(cert, 'utf8') };
}
