import type { en } from './en';
export const de: typeof en = {
  merge_title: 'Mit einer anderen Anfrage zusammenführen',
  merge_find: 'Andere Anfrage',
  merge_find_hint: 'Nummer oder Wörter',
  merge_near: 'Anfragen von {name}',
  merge_stays: 'Welche bleibt?',
  merge_posts: 'Alle Beiträge von „{subject}“ ziehen dorthin um.',
  merge_closes: 'Die andere wird geschlossen, und Kunden sehen sie nicht mehr. Ihre Tags und Personen kommen hinzu.',
  merge_differs: 'Sie haben verschiedene Anfragende. {name} sieht dann alle Nachrichten der Anfrage, die bleibt.',
  merge_for_ever: 'Das kann nicht rückgängig gemacht werden.',
  merge_do: 'Zusammenführen',
  merged: 'Zusammengeführt',
  posts_number: '[n: one {n} Beitrag|other {n} Beiträge]',
  was_merged: 'Diese Anfrage wurde mit einer anderen zusammengeführt.',
  merged_led: '{from} wurde mit dieser Anfrage zusammengeführt.',
};
