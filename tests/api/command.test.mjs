import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deskd, directory, open } from './lib/index.mjs';

/** This exit code, and one line that says so. */
function refused(done, status, pattern) {
  assert.equal(done.status, status, done.stdout + done.stderr);
  assert.match(done.stderr, /^deskd: [^\n]+\n$/);
  assert.match(done.stderr, pattern);
}

test('an option of the wrong form is wrong usage: status 2 and one line that shows the form', () => {
  for (const [name, value, form] of [
    ['base-url', 'foo', /--base-url takes a URL as https:\/\/desk\.example\.com, not "foo"/],
    ['listen', 'localhost:80', /--listen takes a numeric address and a port/],
    ['proxies', 'proxy.example', /--proxies takes numeric addresses/],
    ['owner-email', 'nobody', /--owner-email takes an e-mail address, not "nobody"/],
    ['database', 'desk', /--database takes a URL as postgres:/],
    ['threads', '0', /--threads takes a whole number from 1 to 64/],
    ['log-level', 'loud', /--log-level takes one of /],
    ['no-such-thing', 'x', /there is no option --no-such-thing/],
  ]) refused(deskd('serve', '--data', directory(), `--${name}`, value), 2, form);
  refused(deskd('serve', '--data', directory(), '--listen', '0.0.0.0:0', '--clock', '/dev/null'), 2, /--clock is for tests, on loopback alone/);
  refused(deskd('openapi', '--base-url', 'desk.example.com'), 2, /--base-url takes/);
});

test('--version prints the version of the program and of its schema', () => {
  const { status, stdout } = deskd('--version');
  assert.equal(status, 0);
  const version = /^VERSION := (\S+)$/m.exec(readFileSync(new URL('../../Makefile', import.meta.url), 'utf8'))[1];
  assert.match(stdout, new RegExp(`^deskd ${version.replaceAll('.', '\\.')}, schema \\d+\\n$`));
});

test('deskd password in a folder wants a stopped desk and somebody who is there', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return; // beside a database it may run: tests/postgres/move.test.mjs
  refused(deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), 1, /is in use by another deskd \(pid \d+\): stop that one/);
  await desk.stop();
  refused(deskd('password', ...desk.store, 'nobody@example.com', '--password-file', '/dev/null'), 1, /nobody in .* has the address nobody@example\.com/);
  refused(deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), 1, /\/dev\/null holds no password/);
});
