// Finds names by the beginnings of their words: "asme" and "me" find "Assign to me".
const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const LETTERS_MOST = 24, WORD = '(?<![\\p{L}\\p{N}])';

/** Those that have the letters, in their order: each begins a word or follows its neighbour. Names that contain the text as it is come first. */
export const fuzzy = <T>(wanted: string, all: T[], nameOf: (one: T) => string): T[] => {
  const text = fold(wanted.trim()), letters = [...text.replace(/\s/g, '')].slice(0, LETTERS_MOST);
  if (!text) return all;
  const found = new RegExp(WORD + letters.map((letter) => letter.replace(/[^\p{L}\p{N}]/u, '\\$&')).join(`(?:|.*?${WORD})`), 'su');
  const rank = (name: string) => name.startsWith(text) ? 0 : name.includes(` ${text}`) ? 1 : name.includes(text) ? 2 : found.test(name) ? 3 : 4;
  return all.map((one) => ({ one, at: rank(fold(nameOf(one))) })).filter(({ at }) => at < 4).sort((a, b) => a.at - b.at).map(({ one }) => one);
};
