import type { en } from './en';
export const de: typeof en = {
  split_title: 'Diese Anfrage teilen',
  split_what: 'Die gewählten Beiträge ziehen in eine neue Anfrage um. Die anderen bleiben hier. Antworten per E-Mail folgen der Nachricht, auf die sie antworten.',
  split_subject: 'Betreff der neuen Anfrage',
  split_posts: 'Welche Beiträge ziehen um?',
  split_older: 'Ältere Beiträge bleiben. Sie stehen nicht in der Liste.',
  split_who: 'Wer fragt in der neuen Anfrage?',
  split_differs: '{name} sieht dann alle Nachrichten, die umziehen.',
  split_do: '[n: one {n} Beitrag verschieben|other {n} Beiträge verschieben]',
  split_choose: 'Beiträge auswählen',
  split_done: 'Verschoben nach {to}, die jetzt offen ist',
};
