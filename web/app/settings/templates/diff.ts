// Differences between two texts: by lines, and by words within a line that was changed.
export type Kind = 'same' | 'gone' | 'new';
export interface Part { kind: Kind; text: string }
/** A line with its parts; a line that has no counterpart is one part. */
export interface Line { kind: Kind; parts: Part[] }

/** Edits that are tried: the memory of a comparison grows with their square. Above, the rest is removed and added whole. */
const EDITS = 1000;

/** The shortest list of removals and additions (Myers, An O(ND) Difference Algorithm and Its Variations, 1986). */
export const compare = (from: readonly string[], to: readonly string[]): Part[] => {
  let begin = 0, end = 0;
  while (begin < from.length && begin < to.length && from[begin] === to[begin]) begin++;
  while (end < from.length - begin && end < to.length - begin && from.at(-1 - end) === to.at(-1 - end)) end++;
  const parts = (kind: Kind, all: readonly string[]) => all.map((text): Part => ({ kind, text }));
  const a = from.slice(begin, from.length - end), b = to.slice(begin, to.length - end);
  return [...parts('same', from.slice(0, begin)), ...edits(a, b) ?? [...parts('gone', a), ...parts('new', b)], ...parts('same', from.slice(from.length - end))];
};

const edits = (a: readonly string[], b: readonly string[]): Part[] | undefined => {
  // reached[k]: how many of a are behind us on the diagonal k, where k is that number less the number of b. trace[d] is the state before the edit d.
  let reached = new Map([[1, 0]]);
  const trace: Map<number, number>[] = [], down = (k: number, d: number, of: Map<number, number>) => k === -d || (k !== d && of.get(k - 1)! < of.get(k + 1)!);
  for (let d = 0; d <= Math.min(a.length + b.length, EDITS); d++) {
    trace.push(new Map(reached));
    for (let k = -d; k <= d; k += 2) {
      let x = down(k, d, reached) ? reached.get(k + 1)! : reached.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached.set(k, x);
      if (x >= a.length && x - k >= b.length) return walk(a, b, trace, down);
    }
    reached = new Map([...reached].filter(([k]) => Math.abs(k) <= d + 1));
  }
  return undefined;
};

const walk = (a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[], down: (k: number, d: number, of: Map<number, number>) => boolean): Part[] => {
  const parts: Part[] = [];
  let x = a.length, y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const k = x - y, before = trace[d]!, former = down(k, d, before) ? k + 1 : k - 1, fromX = d ? before.get(former)! : 0, fromY = d ? fromX - former : 0;
    for (; x > fromX && y > fromY; x--, y--) parts.push({ kind: 'same', text: a[x - 1]! });
    if (!d) break;
    parts.push(x === fromX ? { kind: 'new', text: b[fromY]! } : { kind: 'gone', text: a[fromX]! });
    x = fromX, y = fromY;
  }
  return parts.reverse();
};

const words = (line: string) => line.match(/\{\{[^}]*\}\}|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
const joined = (all: readonly Part[]) => all.reduce<Part[]>((list, { kind, text }) => {
  const last = list.at(-1);
  if (last?.kind === kind) last.text += text; else list.push({ kind, text });
  return list;
}, []);

/** Lines that share less than this part of their characters have nothing to do with each other. */
const ALIKE = 0.4;

/** The n-th removed line of a change is compared with its n-th added one. */
const pair = (gone: readonly string[], added: readonly string[]): Line[] => {
  const both = gone.map((text, i) => {
    const other = added[i], parts = other === undefined ? [] : compare(words(text), words(other));
    const shared = parts.filter(({ kind }) => kind === 'same').reduce((n, part) => n + part.text.length, 0);
    return other !== undefined && shared >= ALIKE * Math.max(text.length, other.length) ? parts : undefined;
  });
  const line = (kind: Kind, other: Kind) => (text: string, i: number): Line => ({ kind, parts: both[i] ? joined(both[i]!.filter((part) => part.kind !== other).map((part) => ({ ...part }))) : [{ kind, text }] });
  return [...gone.map(line('gone', 'new')), ...added.map(line('new', 'gone'))];
};

export const compareLines = (from: string, to: string): Line[] => {
  const lines: Line[] = [];
  let gone: string[] = [], added: string[] = [];
  const close = () => { lines.push(...pair(gone, added)); gone = [], added = []; };
  for (const { kind, text } of compare(from.split('\n'), to.split('\n'))) {
    if (kind === 'gone') gone.push(text);
    else if (kind === 'new') added.push(text);
    else { close(); lines.push({ kind, parts: [{ kind, text }] }); }
  }
  close();
  return lines;
};
