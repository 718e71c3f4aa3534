// English.
const words = {
  until_reply: 'When the customer replies',
  until_other: 'Another time…',
  times: 'Time zone: {zone}',
  time: 'Snoozed until',
  snooze: 'Snooze',
  cancel: 'Cancel',
  snoozed_until: 'Snoozed until {time}',
  snoozed_reply: 'Snoozed until the customer replies',
  by: 'by {name}',
  wake: 'Wake up',
  woken: 'The conversation is in the inbox again',
};
export const en: Record<keyof typeof words, string> = words;
