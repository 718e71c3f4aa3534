// English.
const words = {
  empty: 'Empty the trash',
  question: '[n: one Delete {n} conversation for ever?|other Delete {n} conversations for ever?]',
  why: 'All that are in the trash now are deleted, with their messages, notes and files. This can’t be undone.',
  begun: '[n: one {n} conversation is being deleted|other {n} conversations are being deleted]',
};
export const en: Record<keyof typeof words, string> = words;
