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
};
