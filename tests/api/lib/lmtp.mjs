import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { defer } from './defer.mjs';
import { BINARY } from './desk.mjs';
import { waiting } from './report.mjs';

/** One LMTP connection. Bytes are sent as they are given. */
export class Lmtp {
  constructor(to) {
    this.socket = typeof to === 'string' ? net.connect(to) : net.connect(to, '127.0.0.1');
    this.text = '';
    this.waiters = [];
    this.ended = new Promise((resolve) => {
      this.socket.setEncoding('utf8').on('data', (s) => { this.text += s; this.wake(); });
      this.socket.on('error', () => {}).on('close', () => { this.closed = true; this.wake(); resolve(); });
    });
  }

  wake() { for (const waiter of this.waiters.splice(0)) waiter(); }

  /** The next complete reply: its lines, joined by \n. undefined at the end of the connection. */
  async reply() {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.text);
      if (whole) {
        this.text = this.text.slice(whole[0].length);
        return whole[0].trimEnd().replaceAll('\r\n', '\n');
      }
      if (this.closed) return undefined;
      await new Promise((resolve) => this.waiters.push(resolve));
    }
  }

  async replies(n) {
    const list = [];
    while (list.length < n) list.push(await this.reply());
    return list;
  }

  send(bytes) { return new Promise((resolve) => this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, resolve)); }

  /** Sends one command, and returns its reply. */
  async say(command) {
    await this.send(`${command}\r\n`);
    return this.reply();
  }

  /** The greeting and LHLO. */
  async hello() {
    assert.match(await this.reply(), /^220 \S+ LMTP$/);
    return this.say('LHLO client.example');
  }

  /** Delivers a mail whose dots are stuffed here. Returns the replies to its recipients: those of RCPT that refuse, else those of the data. */
  async deliver(mail, ...to) {
    return this.transfer(mail, { from: 'ada@people.example', to });
  }

  async transfer(mail, { from = 'ada@people.example', to }) {
    const text = Buffer.isBuffer(mail) ? mail.toString('latin1') : mail;
    await this.send(`MAIL FROM:<${from}>\r\n${to.map((a) => `RCPT TO:<${a}>\r\n`).join('')}DATA\r\n`);
    const [, ...answers] = await this.replies(to.length + 1);
    const data = await this.reply();
    if (!data?.startsWith('354')) {
      await this.say('RSET');
      return answers;
    }
    await this.send(Buffer.from(`${text.replace(/(^|\r\n)\./g, '$1..').replace(/(?<!\r\n)$/, '\r\n')}.\r\n`, 'latin1'));
    for (let i = 0; i < answers.length; i++) if (answers[i]?.startsWith('250')) answers[i] = await this.reply();
    return answers;
  }

  async quit() {
    const last = await this.say('QUIT');
    await this.ended;
    return last;
  }
}

/** A connection that ends with the test. */
export async function lmtp(t, to) {
  const client = new Lmtp(to);
  defer(t, () => client.socket.destroy());
  await client.hello();
  return client;
}

/** The port of the LMTP listener of a desk that was started with --lmtp 127.0.0.1:0. */
export const lmtpPort = (desk) => Number([...desk.log.matchAll(/LMTP listens on 127\.0\.0\.1:(\d+)/g)].at(-1)[1]);

/** Runs `deskd lmtp`: {port, child, gone, log, stop}. */
export async function lmtpAlone(t, desk, { at = '127.0.0.1:0', args = [], under = [], env = {} } = {}) {
  const [command, ...rest] = [...under, BINARY, 'lmtp', '--data', desk.dir, '--lmtp', at, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const one = { child, log: '', gone: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal }))) };
  one.stop = () => { child.kill('SIGTERM'); return one.gone; };
  defer(t, one.stop);
  const ready = await new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { one.log += text; });
    child.stdout.on('data', (text) => {
      said += text;
      const line = /^deskd: listening on lmtp (\S+)$/m.exec(said);
      if (line) resolve(line[1]);
    });
    one.gone.then(({ code, signal }) => reject(new Error(`deskd lmtp did not start (${code ?? signal}): ${one.log}`)));
  });
  one.port = ready.startsWith('/') ? ready : Number(ready.split(':').at(-1));
  return one;
}

/** The mails that wait in the inbox, in their order: {name, door, from, to, raw}. */
export const stored = (desk, folder = 'new') => waiting(desk, folder).sort().map((name) => {
  const text = readFileSync(join(desk.dir, 'mail', folder, name), 'latin1');
  const [, door, , from, , to, raw] = /^deskd-mail 1\ndoor: (\w+)\n(from: <(.*)>\n)?(to: <(.*)>\n)?\n([^]*)$/.exec(text);
  return { name, door, from, to, raw };
});
