// Private Dovecot and Postfix servers for tests: configuration, spool and log in a temporary folder, free ports of 127.0.0.1. They do not use
// /etc, and no service of the system is started.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { connect as dial } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { certificate, defer, freePort, until } from '../api/lib/index.mjs';

export { freePort };

const NOBODY = 65534;
export const IS_ROOT = process.getuid() === 0;
const has = (path) => existsSync(path);
/** A reason to skip a test, or undefined. */
export const noDovecot = has('/usr/sbin/dovecot') ? undefined : 'Dovecot is not installed';
export const noPostfix = !has('/usr/sbin/postfix') ? 'Postfix is not installed' : IS_ROOT ? undefined : 'Postfix needs root';

/** A folder with a short path that every user may enter: the servers change users, and paths of sockets are short. */
function folder(t) {
  const dir = mkdtempSync('/tmp/dms-');
  chmodSync(dir, 0o755);
  defer(t, () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const listens = (port) => new Promise((resolve) => {
  const socket = dial(port, '127.0.0.1', () => resolve(socket.destroy() && true)).on('error', () => resolve(false));
});

/** A program that runs until the test ends. It gets SIGTERM, by its pid. */
class Server {
  constructor(t, command, args) {
    Object.assign(this, { t, command, args });
  }

  async start() {
    let said = '';
    const child = spawn(this.command, this.args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    this.gone = new Promise((resolve) => child.on('close', resolve));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { said += text; });
    await until(`${this.command} to listen`, async () => {
      assert.equal(child.exitCode, null, `${this.command} ended: ${said}${this.log}`);
      return listens(this.port);
    });
    return this;
  }

  async stop() {
    if (!this.child) return;
    this.child.kill('SIGTERM');
    await this.gone;
    this.child = undefined;
  }

  get log() { return has(this.logFile) ? readFileSync(this.logFile, 'utf8') : ''; }
}

/** A Dovecot with one password for all users. Folders are maildirs. */
class Dovecot extends Server {
  constructor(t, dir, ports, cert, settings) {
    super(t, '/usr/sbin/dovecot', ['-F', '-c', join(dir, 'dovecot.conf')]);
    Object.assign(this, { dir, ports, cert, settings, port: ports.imap, logFile: join(dir, 'log'), password: 'Im4p pass & "word"', made: 0 });
    mkdirSync(join(dir, 'mail'));
    if (IS_ROOT) chownSync(join(dir, 'mail'), NOBODY, NOBODY);
    this.configure();
  }

  configure(settings = this.settings) {
    const { dir, ports, cert } = this;
    const me = userInfo();
    const uid = IS_ROOT ? NOBODY : me.uid, gid = IS_ROOT ? NOBODY : me.gid;
    this.admit(this.password);
    writeFileSync(join(dir, 'dovecot.conf'), `
      base_dir = ${dir}/run
      state_dir = ${dir}/state
      log_path = ${dir}/log
      auth_verbose = yes
      ${IS_ROOT ? '' : `default_internal_user = ${me.username}\ndefault_login_user = ${me.username}\ndefault_internal_group = ${me.gid}`}
      protocols = imap
      listen = 127.0.0.1
      mail_location = maildir:${dir}/mail/%u
      mail_uid = ${uid}
      mail_gid = ${gid}
      first_valid_uid = 1
      first_valid_gid = 1
      ssl = yes
      ssl_cert = <${cert.certificate}
      ssl_key = <${cert.key}
      disable_plaintext_auth = no
      auth_mechanisms = plain login
      auth_failure_delay = 0
      passdb {
        driver = passwd-file
        args = ${dir}/users
      }
      userdb {
        driver = static
        args = uid=${uid} gid=${gid} home=${dir}/mail/%u
      }
      service imap-login {
        chroot =
        inet_listener imap {
          port = ${ports.imap}
        }
        inet_listener imaps {
          port = ${ports.imaps}
        }
      }
      service anvil {
        chroot =
      }
      service stats {
        chroot =
      }
      ${settings}
    `);
  }

  /** A passdb that asks an address of a provider (RFC 7662) whose access token it is, and a port where a Postfix asks for logins. */
  byTokens(introspection, port) {
    writeFileSync(join(this.dir, 'oauth2.conf'), `introspection_mode = post\nintrospection_url = ${introspection}\nusername_attribute = username\nactive_attribute = active\nactive_value = true\n`);
    return `auth_mechanisms = xoauth2 oauthbearer
      passdb {
        driver = oauth2
        mechanisms = xoauth2 oauthbearer
        args = ${this.dir}/oauth2.conf
      }
      service auth {
        inet_listener {
          address = 127.0.0.1
          port = ${port}
        }
      }`;
  }

  /** Sets the password of the user `desk`. */
  admit(password) { writeFileSync(join(this.dir, 'users'), `desk:{PLAIN}${password}::::::\n`); }

  /** The number of logins that the server has accepted, and refused. */
  get logins() { return [/imap-login: Info: Login: /g, /Password mismatch/g].map((line) => this.log.match(line)?.length ?? 0); }

  path(name) { return join(this.dir, 'mail/desk', name === 'INBOX' ? '' : `.${name}`); }

  folder(name) {
    const path = this.path(name);
    for (const part of ['', 'tmp', 'new', 'cur']) {
      mkdirSync(join(path, part), { recursive: true });
      if (IS_ROOT) chownSync(join(path, part), NOBODY, NOBODY);
    }
    return path;
  }

  /** Puts mails into a folder, as a mail server does. */
  put(mails, name = 'INBOX') {
    const path = this.folder(name);
    for (const mail of [mails].flat()) {
      const file = join(path, 'new', `${Date.now()}.M${String(++this.made).padStart(6, '0')}.test`);
      writeFileSync(`${file}.part`, mail);
      if (IS_ROOT) chownSync(`${file}.part`, NOBODY, NOBODY);
      spawnSync('mv', [`${file}.part`, file]);
    }
  }

  /** The mails of a folder that are not marked as deleted, as bytes. Dovecot renames a file when its flags change: then the folder is read again. */
  mails(name = 'INBOX') {
    for (;;) {
      try {
        return this.read(name);
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    }
  }

  read(name) {
    return ['new', 'cur'].flatMap((part) => {
      const path = join(this.path(name), part);
      return has(path) ? readdirSync(path).filter((file) => !file.endsWith('.part') && !/:2,.*T/.test(file)).map((file) => readFileSync(join(path, file))) : [];
    });
  }
}

/** settings: lines of the configuration, or a function of the server that returns them. */
export async function dovecot(t, settings = '') {
  const dir = folder(t);
  const ports = { imap: await freePort(), imaps: await freePort() };
  const server = new Dovecot(t, dir, ports, certificate(), typeof settings === 'string' ? settings : '');
  if (typeof settings !== 'string') server.configure(settings(server));
  defer(t, () => server.stop());
  return server.start();
}

/** A Postfix: each domain in `routes` has a transport (transport(5)); all other mails bounce. */
class Postfix extends Server {
  constructor(t, dir, port, routes, settings) {
    super(t, '/usr/lib/postfix/sbin/master', ['-c', join(dir, 'etc'), '-d']);
    Object.assign(this, { dir, port, logFile: join(dir, 'log') });
    for (const name of ['etc', 'queue', 'data']) mkdirSync(join(dir, name));
    chownSync(join(dir, 'data'), Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout), 0);
    this.routes(routes);
    writeFileSync(join(dir, 'etc/main.cf'), Object.entries({
      compatibility_level: '3.6', queue_directory: join(dir, 'queue'), data_directory: join(dir, 'data'),
      command_directory: '/usr/sbin', daemon_directory: '/usr/lib/postfix/sbin', maillog_file: this.logFile, maillog_file_prefixes: dir,
      myhostname: 'mx.test', mydestination: '', inet_interfaces: '127.0.0.1', inet_protocols: 'ipv4', mynetworks: '127.0.0.0/8', smtputf8_enable: 'no',
      transport_maps: `texthash:${dir}/etc/transport`, default_transport: 'error:no route', relay_domains: `texthash:${dir}/etc/transport`,
      alias_maps: '', local_recipient_maps: '', smtpd_recipient_restrictions: 'permit_mynetworks,reject', queue_run_delay: '1s', minimal_backoff_time: '1s', maximal_backoff_time: '2s',
      smtp_tls_security_level: 'none', lmtp_tls_security_level: 'none', smtpd_tls_security_level: 'none', smtp_host_lookup: 'native', smtp_dns_support_level: 'disabled',
      message_size_limit: '52428800', mailbox_size_limit: '0', destination_recipient_limit: '50', lmtp_destination_concurrency_limit: '20', smtpd_client_connection_count_limit: '0',
      ...settings,
    }).map(([name, value]) => `${name} = ${value}\n`).join(''));
    const service = (name, type, command, { limit = '-', wakeup = '-', unprivileged = '-' } = {}) => `${name} ${type} ${type !== 'unix' || /^(pickup|cleanup|qmgr|flush|showq)$/.test(name) ? 'n' : '-'} ${unprivileged} n ${wakeup} ${limit} ${command}\n`;
    writeFileSync(join(dir, 'etc/master.cf'), [
      service(`127.0.0.1:${port}`, 'inet', 'smtpd -o smtpd_peername_lookup=no'), service('pickup', 'unix', 'pickup', { limit: 1, wakeup: 60 }), service('cleanup', 'unix', 'cleanup', { limit: 0 }),
      service('qmgr', 'unix', 'qmgr', { limit: 1, wakeup: 1 }), service('rewrite', 'unix', 'trivial-rewrite'), service('bounce', 'unix', 'bounce', { limit: 0 }),
      service('defer', 'unix', 'bounce', { limit: 0 }), service('trace', 'unix', 'bounce', { limit: 0 }), service('verify', 'unix', 'verify', { limit: 1 }),
      service('flush', 'unix', 'flush', { limit: 0 }), service('proxymap', 'unix', 'proxymap'), service('smtp', 'unix', 'smtp'), service('relay', 'unix', 'smtp'),
      service('showq', 'unix', 'showq'), service('error', 'unix', 'error'), service('retry', 'unix', 'error'), service('discard', 'unix', 'discard'),
      service('lmtp', 'unix', 'lmtp'), service('anvil', 'unix', 'anvil', { limit: 1 }), service('scache', 'unix', 'scache', { limit: 1 }), service('postlog', 'unix-dgram', 'postlogd', { limit: 1 }),
      service('autoreply', 'unix', `pipe flags=R user=nobody argv=${dir}/autoreply \${sender} \${recipient}`, { unprivileged: 'n' }),
    ].join(''));
    const checked = spawnSync('/usr/sbin/postfix', ['-c', join(dir, 'etc'), 'check'], { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
  }

  /** Sets the transports: {'desk.example': 'lmtp:inet:127.0.0.1:24'}. */
  routes(routes) { writeFileSync(join(this.dir, 'etc/transport'), Object.entries(routes).map(([domain, to]) => `${domain} ${to}\n`).join('')); }

  reload() { this.child.kill('SIGHUP'); }

  /** Runs a program of Postfix with this configuration. */
  run(program, ...args) { return spawnSync(program, ['-c', join(this.dir, 'etc'), ...args], { encoding: 'utf8' }); }

  /** The number of mails in the queue. */
  queued() { return this.run('/usr/sbin/postqueue', '-j').stdout.split('\n').filter(Boolean).length; }

  flush() { this.run('/usr/sbin/postqueue', '-f'); }
}

export async function postfix(t, routes, settings = {}) {
  const server = new Postfix(t, folder(t), await freePort(), routes, settings);
  defer(t, () => server.stop());
  return server.start();
}

/** Sends one mail with swaks. */
export function swaks(port, from, to, data) {
  const done = spawnSync('/usr/bin/swaks', ['--server', '127.0.0.1', '--port', String(port), '--from', from, '--to', to, '--helo', 'client.test', '--data', '-', '--silent', '2', '--suppress-data'], { input: data, encoding: 'utf8', timeout: 60_000 });
  assert.equal(done.status, 0, done.stdout + done.stderr);
}

let mails = 0;
/** A short mail. `more` are headers. */
export const mailOf = ({ from = 'Ida <ida@customers.example>', to = 'desk@desk.example', subject = `Mail ${++mails}`, text = `Text of ${subject}`, id = `<m${++mails}.${process.pid}@customers.example>`, ...more } = {}) =>
  `${Object.entries({ From: from, To: to, Subject: subject, 'Message-ID': id, Date: 'Mon, 23 Nov 2026 09:00:00 +0000', ...more }).map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${text}\r\n`;

/** Gives the system mailbox of a desk an IMAP account of this server: {error, tried, change}. */
export async function imapMailbox(desk, server, { password = server.password, folder, after, security = 'STARTTLS', port = server.ports.imap, ca = server.cert.pem, privately = true, host = '127.0.0.1' } = {}) {
  await desk.owner.update('/settings', { values: { 'mail.imap_ca': ca, 'mail.imap_allow_private_addresses': privately, 'mail.from_address': 'desk@desk.example', 'mail.imap_seconds': 60 } });
  const path = '/mailboxes/1';
  const account = { host, port, security, user: 'desk', password, folder, after };
  const box = {
    // A change of the account deletes the password, so it is sent each time.
    change: async (more) => {
      Object.assign(account, more);
      const members = Object.entries(account).filter(([, value]) => value !== undefined);
      await desk.owner.update(path, Object.fromEntries(members.map(([name, value]) => [`imap_${name}`, value])));
    },
    error: async () => (await desk.owner.fetch(path)).imap_error,
    tried: async () => (await desk.owner.fetch(path)).imap_tried_at,
  };
  await box.change({});
  return box;
}

/** Sends mails [{from, to, data}] over one SMTP connection, one after another. Returns the replies to their ends of data, in order. */
export async function smtp(port, mails, { onSent = () => {} } = {}) {
  const socket = dial(port, '127.0.0.1');
  const lines = [];
  let rest = '', wake = () => {}, ended;
  socket.setEncoding('latin1').on('data', (text) => {
    const all = (rest + text).split('\r\n');
    rest = all.pop();
    lines.push(...all.filter((line) => line[3] !== '-'));
    wake();
  });
  for (const event of ['close', 'error']) socket.on(event, () => { ended = true; wake(); });
  const answer = async () => {
    while (!lines.length && !ended) await new Promise((resolve) => { wake = resolve; });
    return lines.shift() ?? '421 closed';
  };
  const say = (text) => {
    socket.write(`${text}\r\n`, 'latin1');
    return answer();
  };
  const replies = [];
  await answer();
  await say('EHLO client.test');
  for (const { from, to, data } of mails) {
    await say(`MAIL FROM:<${from}>`);
    const refused = await say(`RCPT TO:<${to}>`);
    const ready = refused[0] === '2' ? await say('DATA') : refused;
    replies.push(ready[0] === '3' ? await say(`${data.replace(/\r\n\./g, '\r\n..')}${data.endsWith('\r\n') ? '' : '\r\n'}.`) : ready);
    onSent(replies.length);
  }
  socket.end('QUIT\r\n');
  return replies;
}

/** A desk that takes mail for a domain by LMTP and sends by a Postfix: {desk, lmtp}. ownKey: it has a server key of its own, not that of the
 * template; otherwise two desks take each other's mails for their own. */
export async function mailDesk(t, open, domain, { args = [], ownKey = false, ...options } = {}) {
  const lmtp = await freePort();
  const desk = await open(t, { ...options, processes: 1, args: ['--lmtp', `127.0.0.1:${lmtp}`, ...(ownKey ? ['--new-key'] : []), ...args] });
  if (ownKey) {
    await desk.kill();
    writeFileSync(join(desk.dir, 'secret.key'), randomBytes(32));
    await desk.start();
  }
  return { desk, lmtp, address: `support@${domain}` };
}

/** Lets a desk send through a Postfix, and waits until it takes mail for its address. */
export async function sendThrough(desk, server, from, values = {}) {
  await desk.owner.update('/settings', {
    values: { 'mail.smtp_host': '127.0.0.1', 'mail.smtp_port': server.port, 'mail.smtp_security': 'NONE', 'mail.from_address': from, ...values },
  });
  const file = join(desk.dir, 'mail/recipients');
  await until('the file of recipients', () => has(file) && readFileSync(file, 'utf8').includes(from));
}
