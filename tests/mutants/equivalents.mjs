// Mutants that change nothing that a caller can notice: {file, was, becomes, why}. `was` is the trimmed line of the source, `becomes` the mutant's;
// without it, all mutants of the line are meant. A condition that decides nothing is better removed than listed here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const equivalents = [
  { file: 'src/core/cases/view_count.c', was: 'while (c->groups + n > GROUPS) {', becomes: 'while (c->groups + n >= GROUPS) {', why: 'a bound of memory may be one less' },
  { file: 'src/core/change/outbox.c', was: 'if (rc >= 0) rc = db_text(w->conn, &outbox_place, NULL, w->arena, place);', why: 'a process that has no place in the outbox reads all settings anew at each look, which costs, and is right' },
  { file: 'src/core/programs/event.c', was: 'if (i == 0 || !str_eq(keys[i], keys[i - 1])) TRY(customer_lock(c->work, keys[i]));', becomes: 'if (i != 0 || !str_eq(keys[i], keys[i - 1])) TRY(customer_lock(c->work, keys[i]));', why: 'an address that is locked twice is locked' },
];

for (const { file, was } of equivalents) {
  const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n').map((line) => line.trim());
  assert.ok(lines.includes(was), `${file} has no line ${was}`);
}

export const isEquivalent = (file, was, line) => equivalents.some((e) => e.file === file && e.was === was.trim() && (!e.becomes || e.becomes === line.trim()));
