// English.
const words = {
  draft_elsewhere: 'You have written another text in another place:',
  draft_take: 'Take that text',
  draft_keep: 'Keep this text',
};
export const en: Record<keyof typeof words, string> = words;
