// English.
const words = {
  shares_reply: '{name} shares a draft of a reply',
  shares_note: '{name} shares a draft of a note',
  take: 'Go on with it',
  in_the_way: 'To go on with it, send or delete your own text first.',
  own: 'Your colleagues read this draft and can go on with it.',
  stop: 'Stop sharing',
};
export const en: Record<keyof typeof words, string> = words;
