// The report of a run: one line for each test file, each failure in full where it happened and again by name at the end.
// On a terminal it is the report of the runner. Bytes in a failure are made printable.
import { compose } from 'node:stream';
import { spec } from 'node:test/reporters';
import { inspect } from 'node:util';
import { relative } from 'node:path';
import { printable } from './api/lib/printable.mjs';

const COLOUR = /(\x1b\[[0-9;]*m)/;

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** A failure: name, place and cause. */
function explained({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  const cause = error instanceof Error ? error.stack : inspect(error);
  return `FAILED: ${name}\n  at ${file}:${line ?? '?'}\n${String(cause).replace(/^/gm, '    ')}\n`;
}

/** Failures of a suite or file that only repeat those of its tests. */
const repeated = (data) => data.details.error?.failureType === 'subtestsFailed';

async function* brief(source) {
  let file, tests = 0, failed = 0, took = 0;
  const names = [];
  const line = () => `${failed ? 'FAILED' : 'ok'}  ${file}: ${tests} tests, ${seconds(took)}\n`;
  for await (const { type, data } of source) {
    if (type === 'test:diagnostic' && data.nesting === 0) {
      if (file) yield line();
      file = undefined;
      if (names.length) yield `\nFailed:\n${names.splice(0).join('')}\n`;
      yield `# ${data.message}\n`;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const place = relative(process.cwd(), data.file ?? '');
    if (place !== file) {
      if (file) yield line();
      [file, tests, failed, took] = [place, 0, 0, 0];
    }
    if (data.nesting === 0) took += data.details.duration_ms;
    if (data.details.type !== 'suite') tests += 1;
    if (type === 'test:pass' || repeated(data) || data.todo) continue;
    failed += 1;
    names.push(`  ${place}:${data.line ?? '?'}: ${data.name}\n`);
    yield explained({ ...data, file: place });
  }
}

export default async function* report(source) {
  const plain = process.stdout.isTTY ? compose(source, new spec()) : brief(source);
  for await (const text of plain) yield String(text).split(COLOUR).map((part, i) => (i % 2 ? part : printable(part))).join('');
}
