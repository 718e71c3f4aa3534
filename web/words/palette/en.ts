// English.
const words = {
  hint: 'Find an action, a conversation, a person …',
  choose_hint: 'Type some letters …',
  search_for: 'Search for “{text}”',
  searching: 'Searching …',
  nothing_found: 'Nothing found.',
};
export const en: Record<keyof typeof words, string> = words;
