import type { en } from './en';

export const de: typeof en = {
  until_reply: 'Wenn der Kunde antwortet',
  until_other: 'Ein anderer Zeitpunkt …',
  times: 'Zeitzone: {zone}',
  time: 'Zurückgestellt bis',
  snooze: 'Zurückstellen',
  cancel: 'Abbrechen',
  snoozed_until: 'Zurückgestellt bis {time}',
  snoozed_reply: 'Zurückgestellt, bis der Kunde antwortet',
  by: 'von {name}',
  wake: 'Wieder vorlegen',
  woken: 'Die Anfrage ist wieder im Eingang',
  later: 'Später senden',
  later_label: 'Senden um',
  later_set: 'Wird gesendet: {time}',
  later_waits: '{name}: wird gesendet {time}',
  later_refused: '{name}: nicht gesendet. {reason}',
  later_edit: 'Bearbeiten',
  later_move: 'Anderer Zeitpunkt',
  later_cancel: 'Nicht senden',
  later_cancelled: 'Die Antwort wird nicht gesendet',
};
