// Public test data through the whole server. tests/unit tests the parsers alone with it. Skipped without CORPORA.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { form, json, multipart, open, raw } from '../api/lib/index.mjs';

const CORPORA = resolve(process.env.CORPORA ?? new URL('../../../shared/corpora', import.meta.url).pathname);
const skip = !existsSync(CORPORA) && `no ${CORPORA}`;

test('JSONTestSuite: valid JSON is read, invalid JSON is 400, and nothing is a 5xx', { skip }, async (t) => {
  const { owner } = await open(t);
  const folder = join(CORPORA, 'json/test_parsing');
  for (const name of readdirSync(folder).sort()) {
    const document = readFileSync(join(folder, name));
    const wrapped = Buffer.concat([Buffer.from('{"metadata": {"x": '), document, Buffer.from('}}')]);
    for (const body of [document, wrapped]) {
      const reply = await owner.post('/conversations', raw('application/json', body));
      const codes = (reply.body.errors ?? []).map((e) => e.code);
      assert.ok(reply.status < 500, `${name}: ${reply}`);
      if (name[0] === 'n') assert.ok(reply.status === 400, `${name}: ${reply}`);
      // The JSON is valid, but no conversation: fields are missing, or the document is no object.
      if (name[0] === 'y' && body === wrapped) assert.ok(codes.includes('FIELD_REQUIRED') && !codes.includes('BODY_INVALID'), `${name}: ${reply}`);
    }
  }
});

const writes = (owner, conversation) => [
  ['team title', async (s, as) => (await owner.post('/teams', as({ title: s }))), (r) => r.data.title],
  ['team legacy_id', async (s, as) => (await owner.post('/teams', as({ title: 'x', legacy_id: `${s}#${Math.random()}` }))), (r) => r.data.legacy_id.replace(/#[^#]*$/s, '')],
  ['role title', async (s, as) => (await owner.post('/roles', as({ title: s, type: 'AGENT' }))), (r) => r.data.title],
  ['full_name', async (s, as) => (await owner.put('/users/1', as({ full_name: s }))), (r) => r.data.full_name],
  ['designation', async (s, as) => (await owner.put('/users/1', as({ designation: s }))), (r) => r.data.designation ?? ''],
  ['signature', async (s, as) => (await owner.put('/users/1', as({ signature: s }))), (r) => r.data.signature ?? ''],
  ['subject', async (s, as) => (await owner.put(`/conversations/${conversation}`, as({ subject: s }))), (r) => r.data.subject],
  ['contents', async (s, as) => (await owner.post(`/conversations/${conversation}/messages`, as({ contents: s }))), (r) => r.data.content_text],
];

test('each text field returns the big list of naughty strings byte for byte, or answers 400', { skip }, async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/conversations', { subject: 's', contents: 'c' });
  const strings = JSON.parse(readFileSync(join(CORPORA, 'strings/blns.json'), 'utf8'));
  const formats = [json, form, multipart];
  for (const [name, write, read] of writes(owner, id)) {
    for (const [i, text] of strings.entries()) {
      const reply = await write(text, formats[i % 3]).catch((e) => assert.fail(`${name} ${i} ${JSON.stringify(text)}: ${e}`));
      if (reply.status === 400) continue;
      assert.ok(reply.status < 300, `${name}: ${reply}`);
      if (text.trim()) assert.equal(read(reply), text, name);
    }
  }
});
