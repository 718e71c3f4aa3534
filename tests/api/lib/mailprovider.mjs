// A provider of OAuth 2 for mail, and a mail server that takes its access tokens only, both on 127.0.0.1.
import http from 'node:http';
import net from 'node:net';
import { defer } from './defer.mjs';
import { Visitor } from './provider.mjs';
import { PASSWORD } from './desk.mjs';
import { basic } from './client.mjs';

/** `wrong(response, form)` answers the requests for tokens in place of the provider; `revoked` ends all consents. Servers ask at /introspect
 * (RFC 7662) whose token it is: that of `user`. */
export class MailProvider {
  constructor() {
    Object.assign(this, { serial: 0, codes: new Set(), live: new Set(), refresh: new Set(), requests: [], life: 3600, revoked: false, wrong: undefined, user: 'desk', asked: [] });
  }

  async start() {
    this.server = http.createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => { text += chunk; }).on('end', () => this.answer(request, response, new URLSearchParams(text)));
    });
    await new Promise((resolve) => { this.server.listen(0, '127.0.0.1', resolve); });
    this.server.unref();
    this.issuer = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => { this.server.close(resolve); });
  }

  /** The code of an owner who has agreed. */
  code() {
    const code = `code-${++this.serial}`;
    this.codes.add(code);
    return code;
  }

  answer(request, response, form) {
    if (request.url.startsWith('/introspect')) return this.introspect(response, form.get('token'));
    this.requests.push({ authorization: request.headers.authorization, ...Object.fromEntries(form) });
    return this.wrong ? this.wrong(response, form) : this.grant(response, form);
  }

  introspect(response, token) {
    this.asked.push(token);
    return this.send(response, this.live.has(token) ? { active: true, username: this.user } : { active: false });
  }

  grant(response, form) {
    const good = form.get('grant_type') === 'authorization_code' ? this.codes.delete(form.get('code')) && form.get('code_verifier')?.length >= 43
      : !this.revoked && this.refresh.has(form.get('refresh_token'));
    if (!good) return this.send(response, { error: 'invalid_grant', error_description: 'secret words' }, 400);
    const access_token = `access-${++this.serial}`, refresh_token = `refresh-${this.serial}`;
    if (!this.late) this.live.clear();
    this.live.add(access_token);
    this.refresh = new Set([refresh_token]); // each is used once
    return this.send(response, { access_token, refresh_token, token_type: 'Bearer', expires_in: this.life });
  }

  send(response, body, status = 200) {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  renewals() { return this.requests.filter((r) => r.grant_type === 'refresh_token').length; }
}

const decoded = (text) => Buffer.from(text, 'base64').toString('latin1');

/** User and token of XOAUTH2 or OAUTHBEARER. */
function credentials(mechanism, text) {
  const plain = decoded(text), token = /auth=Bearer ([^\x01]*)\x01/.exec(plain)?.[1];
  return { token, user: (mechanism === 'XOAUTH2' ? /^user=([^\x01]*)\x01/ : /^n,a=([^,]*),\x01/).exec(plain)?.[1] };
}

/** Lines of a connection. `say(line, write)` returns the reply, or nothing. */
function lines(server, greeting, say) {
  return new Promise((resolve) => {
    const sockets = new Set();
    const made = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      const session = {}, write = (text) => text && socket.writable && socket.write(text);
      write(greeting);
      let rest = '';
      socket.setEncoding('latin1').on('data', (text) => {
        const all = (rest + text).split('\r\n');
        rest = all.pop();
        for (const line of all) write(say(line, session, socket));
      });
    });
    made.listen(0, '127.0.0.1', () => resolve(Object.assign(server, { port: made.address().port, sockets, close: () => { for (const s of sockets) s.destroy(); made.close(); } })));
  });
}

/** An IMAP server whose one folder has `mails` ({uid, raw}). `beforeBody` is called before a mail is sent. */
export class ImapServer {
  constructor(provider, mechanism) {
    Object.assign(this, { provider, mechanism, mails: [], logins: [], denied: 0, next: 1 });
  }

  start() { return lines(this, `* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=${this.mechanism}] ready\r\n`, (line, session, socket) => this.say(line, session, socket)); }

  put(raw) { this.mails.push({ uid: this.next++, raw }); }

  login(tag, text, session) {
    const { user, token } = credentials(this.mechanism, text);
    session.in = this.provider.live.has(token);
    if (!session.in) { this.denied++; session.refused = tag; return `+ ${Buffer.from('{"status":"invalid_token"}').toString('base64')}\r\n`; }
    this.logins.push(user);
    return `${tag} OK in\r\n`;
  }

  say(line, session, socket) {
    if (session.refused) { const tag = session.refused; session.refused = undefined; return `${tag} NO refused\r\n`; }
    if (session.awaits) { const tag = session.awaits; session.awaits = undefined; return this.login(tag, line, session); }
    const [tag, verb, ...args] = line.split(' '), word = `${verb} ${args[0] ?? ''}`.toUpperCase();
    if (/^CAPABILITY/.test(word)) return `* CAPABILITY IMAP4rev1 SASL-IR UIDPLUS AUTH=${this.mechanism}\r\n${tag} OK\r\n`;
    if (/^AUTHENTICATE/.test(word) && args[0] === this.mechanism) {
      if (args[1]) return this.login(tag, args[1], session);
      session.awaits = tag;
      return '+ \r\n';
    }
    if (!session.in) return `${tag} NO log in by ${this.mechanism}\r\n`;
    if (/^SELECT/.test(word)) return `* ${this.mails.length} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n${tag} OK [READ-WRITE] selected\r\n`;
    if (/^NOOP/.test(word)) return `* ${this.mails.length} EXISTS\r\n${tag} OK\r\n`;
    if (/^FETCH/.test(word)) return `${this.mails.map((m, i) => `* ${i + 1} FETCH (UID ${m.uid} FLAGS () RFC822.SIZE ${m.raw.length})\r\n`).join('')}${tag} OK\r\n`;
    if (/^UID FETCH/.test(word)) {
      if (this.beforeBody?.(socket)) return undefined;
      const at = this.mails.findIndex((m) => m.uid === Number(args[1])), mail = this.mails[at];
      return `${mail ? `* ${at + 1} FETCH (UID ${mail.uid} BODY[] {${mail.raw.length}}\r\n${mail.raw})\r\n` : ''}${tag} OK\r\n`;
    }
    if (/^UID STORE/.test(word)) { session.marked = args[1].split(',').map(Number); return `${tag} OK\r\n`; }
    if (/^UID EXPUNGE/.test(word)) { this.mails = this.mails.filter((m) => !session.marked?.includes(m.uid)); return `${tag} OK\r\n`; }
    return `${tag} OK\r\n`;
  }
}

/** A relay that keeps its mails: {to, text}. */
export class SmtpServer {
  constructor(provider, mechanism) {
    Object.assign(this, { provider, mechanism, mails: [], logins: [], denied: 0 });
  }

  start() { return lines(this, '220 relay.test\r\n', (line, session) => this.say(line, session)); }

  login(text, session) {
    const { user, token } = credentials(this.mechanism, text);
    session.in = this.provider.live.has(token);
    if (!session.in) { this.denied++; session.refused = true; return `334 ${Buffer.from('{"status":"401"}').toString('base64')}\r\n`; }
    this.logins.push(user);
    return '235 2.7.0 in\r\n';
  }

  say(line, session) {
    if (session.text !== undefined) {
      if (line !== '.') { session.text += `${line}\n`; return undefined; }
      this.mails.push({ to: session.to, text: session.text });
      session.text = undefined;
      return '250 taken\r\n';
    }
    if (session.refused) { session.refused = false; return '535 5.7.8 refused\r\n'; }
    if (session.awaits) { session.awaits = false; return this.login(line, session); }
    const [verb, kind, text] = line.split(' ');
    if (/^EHLO$/i.test(verb)) return `250-relay.test\r\n250 AUTH ${this.mechanism}\r\n`;
    if (/^AUTH$/i.test(verb) && kind === this.mechanism) {
      if (text) return this.login(text, session);
      session.awaits = true;
      return '334 \r\n';
    }
    if (/^(QUIT|RSET)$/i.test(verb)) return '221 bye\r\n';
    if (!session.in) return '530 5.7.0 log in first\r\n';
    if (/^RCPT$/i.test(verb)) session.to = /<([^>]*)>/.exec(line)[1];
    if (/^DATA$/i.test(verb)) { session.text = ''; return '354 go\r\n'; }
    return '250 ok\r\n';
  }
}

/** Starts a provider and both servers of a mailbox. */
export async function mailProvider(t, { imap = 'XOAUTH2', smtp = 'XOAUTH2' } = {}) {
  const provider = await new MailProvider().start();
  const servers = { provider, imap: await new ImapServer(provider, imap).start(), smtp: await new SmtpServer(provider, smtp).start() };
  defer(t, async () => { servers.imap.close(); servers.smtp.close(); await provider.stop(); });
  return servers;
}

/** A browser in which a person has logged in at the desk. */
export async function ownersBrowser(desk, person = desk.people.owner) {
  const visitor = new Visitor(desk);
  (await visitor.go('GET', '/api/v1/session', undefined, basic(person.email, person.password ?? PASSWORD))).must(200);
  return visitor;
}

/** The parameters of the address at which the desk asks a provider. */
export async function consentAsked(desk, id) {
  const { url } = (await desk.owner.post(`/mailboxes/${id}/oauth`)).must(200).data;
  return Object.assign(Object.fromEntries(new URL(url).searchParams), { url });
}

/** An owner agrees at the provider. Returns the reply to the callback. */
export async function consented(desk, id, provider, { visitor, query = {} } = {}) {
  const asked = await consentAsked(desk, id), at = new URL(asked.redirect_uri).pathname;
  return Object.assign(await (visitor ?? await ownersBrowser(desk)).get(`${at}?${new URLSearchParams({ code: provider.code(), state: asked.state, ...query })}`), { asked });
}
