// English words of the notifications. See ../en.ts.
const words = {
  read_all: 'Mark all as read',
  no_notifications: 'You have no notifications.',
  no_notifications_next: 'You are told here when a conversation becomes yours, a customer answers, or a colleague mentions you.',
  told_agent: '{name} assigned a conversation to you',
  told_team: '{name} assigned a conversation to your team',
  told_reply: '{name} replied',
  told_mention: '{name} mentioned you',
  told_breach: 'A service target was missed',
  told_warning: 'A service target is about to be missed',
  told_refused: 'A scheduled reply of yours was not sent',
  told_others: 'and {n} more',
};
export const en: Record<keyof typeof words, string> = words;
