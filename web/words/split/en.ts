// English words of the split. See ../en.ts.
const words = {
  split_title: 'Split this conversation',
  split_what: 'The posts that you choose move to a new conversation. The others stay here. Answers by e-mail follow the message that they answer.',
  split_subject: 'Subject of the new conversation',
  split_posts: 'Which posts move?',
  split_older: 'Older posts stay. They are not listed.',
  split_who: 'Who asks in the new conversation?',
  split_differs: '{name} will see all messages that move.',
  split_do: '[n: one Move {n} post|other Move {n} posts]',
  split_choose: 'Choose posts',
  split_done: 'Moved to {to}, which is open now',
};
export const en: Record<keyof typeof words, string> = words;
