// The runner's own report (spec on a terminal, TAP elsewhere), in which every byte can be read: a failure may quote what was
// sent and received, and that may be anything. Colours of the report itself stay.
import { compose } from 'node:stream';
import { spec, tap } from 'node:test/reporters';
import { printable } from './api/lib/printable.mjs';

const COLOUR = /(\x1b\[[0-9;]*m)/;

export default async function* report(source) {
  const plain = process.stdout.isTTY ? compose(source, new spec()) : tap(source);
  for await (const text of plain) yield String(text).split(COLOUR).map((part, i) => (i % 2 ? part : printable(part))).join('');
}
