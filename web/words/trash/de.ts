import type { en } from './en';

export const de: typeof en = {
  empty: 'Papierkorb leeren',
  question: '[n: one {n} Anfrage endgültig löschen?|other {n} Anfragen endgültig löschen?]',
  why: 'Alle, die jetzt im Papierkorb sind, werden mit ihren Nachrichten, Notizen und Dateien gelöscht. Das lässt sich nicht rückgängig machen.',
  begun: '[n: one {n} Anfrage wird gelöscht|other {n} Anfragen werden gelöscht]',
};
