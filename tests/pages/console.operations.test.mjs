// Each operation that changes something can be done in the console, or has a reason why not: docs/console/operations.tsv says which file of
// the console does it, and by which words.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BINARY } from '../api/lib/desk.mjs';

const root = new URL('../../', import.meta.url);
const text = (path) => readFileSync(new URL(path, root), 'utf8');
const TABLE = 'docs/console/operations.tsv';
const rows = text(TABLE).trimEnd().split('\n').slice(1).map((line) => line.split('\t'));
const { paths } = JSON.parse(execFileSync(BINARY, ['openapi'], { maxBuffer: 1 << 27, encoding: 'utf8' }));
const changing = Object.entries(paths).flatMap(([path, operations]) => ['post', 'put', 'patch', 'delete'].filter((method) => operations[method]).map((method) => `${method.toUpperCase()} ${path}`));

test('the table has each operation that changes something, once', () => {
  const listed = rows.map(([operation]) => operation);
  assert.deepEqual(changing.filter((one) => !listed.includes(one)), [], `${TABLE} needs a line for these: the file of the console that does it, or - and a reason`);
  assert.deepEqual(listed.filter((one) => !changing.includes(one)), [], `${TABLE} has operations that are gone`);
  assert.equal(new Set(listed).size, listed.length);
});

test('what the table names is in the console, and each exception has a reason', (t) => {
  const lost = rows.filter(([, file, words]) => file !== '-' && !text(file).includes(words)).map((row) => row.join(' | '));
  assert.deepEqual(lost, []);
  assert.deepEqual(rows.filter(([, file, reason]) => file === '-' && !/\w{3}/.test(reason ?? '')), []);
  t.diagnostic(`${rows.filter(([, file]) => file !== '-').length} of ${rows.length} operations are in the console, ${rows.filter(([, , reason]) => reason.startsWith('not built')).length} are not built yet`);
});
