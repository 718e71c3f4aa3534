// Mutations of one line of C: [{what, line}]. Texts in quotes are left alone, but for SQL.

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

const blank = (text) => '~'.repeat(text.length);
/** The line with each character of its texts, its comments, its empty values ({0}) and the sizes of arrays (more room than needed
 * changes nothing) blanked, so that patterns find code alone. */
const code = (line) => line.replace(STRING, blank).replace(/\/\*.*?(\*\/|$)|\/\/.*$|\{0\}|(?<=\b(?:arena_(?:array|bytes|alloc)|calloc)\().*?(?=\)[,;])/g, blank);

const cut = (line, at, length, by) => line.slice(0, at) + by + line.slice(at + length);

/** The end of the bracket that opens at `at`, or -1 if it ends on another line. */
function closing(line, at) {
  for (let depth = 0, i = at; i < line.length; i++) {
    if (line[i] === '(') depth += 1;
    if (line[i] === ')' && --depth === 0) return i;
  }
  return -1;
}

// `< 0` finds an error: `<= 0` and `< 1` are mostly the same there. TRY(n) hands on an error of a call that returned n: the store
// failed. `return -1` means none: callers test the sign. A line of the log is for people. Memory that is not freed is found by LeakSanitizer, not by these tests; on Linux a mutex holds
// none. A mutex that is not locked is found by ThreadSanitizer, a row or a name by writes of several processes at a time.
const SWAPS = [
  ['swap && and ||', / && /g, ' || '], ['swap && and ||', / \|\| /g, ' && '],
  ['swap == and !=', / == /g, ' != '], ['swap == and !=', / != /g, ' == '],
  ['move a bound', /(?<!\brc) < (?!0\b)/g, ' <= '], ['move a bound', / <= /g, ' < '], ['move a bound', / > /g, ' >= '], ['move a bound', / >= /g, ' > '],
  ['off by one', / \+ 1\b/g, ''], ['off by one', / - 1\b/g, ''],
  ['swap true and false', /\btrue\b/g, 'false'], ['swap true and false', /\bfalse\b/g, 'true'],
  ['swap + and -', / \+= /g, ' -= '], ['swap + and -', / -= /g, ' += '],
  ['drop a flag', / \| [A-Z][A-Z_]{2,}\b/g, ''],
];
const SQL = [
  ['change a condition of SQL', / = :/g, ' <> :'], ['change a condition of SQL', / IS NULL\b/g, ' IS NOT NULL'], ['change a condition of SQL', / IS NOT NULL\b/g, ' IS NULL'],
  ['change a condition of SQL', / <= :/g, ' < :'], ['change a condition of SQL', / >= :/g, ' > :'], ['change an order of SQL', / DESC\b/g, ''],
];
/** The rows that a step of a cascade picks (LIMIT :most) are locked only in an order that avoids deadlocks, and these are tried again. */
const LOCK = ['drop a lock', /(?<! :most) @(?:LOCK|HOLD|SKIP)@/g, ''];

/** The smaller or larger one of two values: equal ones are either. */
const EXTREME = /(?<![\w.>-])([\w.>-]+) [<>]=? ([^()]+)\) (?:\1 = \2|\2 = \1);|(?:= |\()([^=?:;,]+?) [<>]=? ([^=?:;,]+?) \? (?:\3 : \4|\4 : \3)(?=[;,)])/;

/** Tables of weights: {rows, {statements}, weight} of a cascade's steps, and {phrase, points} of guesses. Each is one of many that would do. */
const WEIGHED = /^\s*\{(NULL|&\w+), \{&[^}]*\}, \d+\},$|^\s*(\{"[^"]*", \d+\},? ?)+(\{0\}\};)?$/;

/** On PostgreSQL, a statement also loses its locks of rows. SQLite has none. `after`: the next lines. A variable keeps its first value if
 * one of them gives its address away: a call sets it there, mostly. */
export function mutations(line, { postgres = false, after = '' } = {}) {
  const plain = code(line), found = [];
  const add = (what, changed) => { if (changed !== line) found.push({ what, line: changed }); };
  if (!plain.trim() || /^\s*(#|\*|\/\*|~+$|case .*:$|default:|static const|_Static_assert|assert\()/.test(plain)) return found;
  if (WEIGHED.test(line)) return found;
  if (/^(static |extern )?(inline )?[a-z].*\)( \{)?$/.test(plain) && !/^\s/.test(line)) return found; // the head of a function
  for (const [, at] of [...plain.matchAll(/\b(?:if|while) \(/g)].map((m) => [m, m.index + m[0].length - 1])) {
    const end = closing(plain, at);
    if (end > 0) add('negate a condition', cut(line, at, end - at + 1, `(!${line.slice(at, end + 1)})`));
  }
  const ternary = /(\(?[\w.>-]+(?: [<=>!]+ [\w.>-]+)?\)?) \? /.exec(plain);
  if (ternary && !/\w$/.test(plain.slice(0, ternary.index))) add('negate a condition', cut(line, ternary.index, ternary[1].length, `!(${line.slice(ternary.index, ternary.index + ternary[1].length)})`));
  for (const [what, pattern, by] of SWAPS) if (what !== 'move a bound' || !EXTREME.test(line)) for (const { index, 0: text } of plain.matchAll(pattern)) add(what, cut(line, index, text.length, by));
  const isSet = (index) => {
    const name = /\b(\w+) = $/.exec(plain.slice(0, index))?.[1];
    return name && new RegExp(`&${name}\\b`).test(plain.slice(index) + after);
  };
  for (const { index, 0: text } of plain.matchAll(/(?<![\w.\[~"]| < (?=0\b)|\breturn -)\d+(?![\w.\]])/g)) if (!isSet(index)) add('replace a constant', cut(line, index, text.length, text === '0' ? '1' : String(Number(text) + 1)));
  const statement = /^(\s+)(?:if \([^;{}]*\) )?((?:[a-z_]\w*|TRY|TRY_\w+)\([^{}]*\);|[\w.>[\]*-]+ (?:[|&+*-]?=) [^{}]*;|[\w.>-]+(?:\+\+|--);)$/.exec(plain);
  if (statement && !/^\s*((return|goto|break|continue|log_\w+|buf_reserve|(\w*_)?free(_\w+)?|arena_return|pthread_\w+_destroy|(TRY\()?\w+_lock(_row)?)\b|TRY\(\w+\);)/.test(statement[2])) add('drop a statement', `${statement[1]};`);
  for (const { index, 0: text } of line.matchAll(STRING)) {
    if (!/\b(SELECT|UPDATE|WHERE|AND|FROM|ORDER BY)\b|@[A-Z]+@/.test(text)) continue;
    for (const [what, pattern, by] of postgres ? [...SQL, LOCK] : SQL) for (const m of text.matchAll(pattern)) add(what, cut(line, index + m.index, m[0].length, by));
  }
  return found;
}
