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
  later: 'Send later',
  later_label: 'Send at',
  later_set: 'Will be sent {time}',
  later_waits: '{name}: will be sent {time}',
  later_refused: '{name}: was not sent. {reason}',
  later_edit: 'Edit',
  later_move: 'Another time',
  later_cancel: 'Don’t send',
  later_cancelled: 'The reply will not be sent',
};
export const en: Record<keyof typeof words, string> = words;
