// German words of the widget of a brand.
import type { WidgetWord } from './en';

export const de: Record<WidgetWord, string> = {
  widget: 'Widget',
  widget_why: 'Ein Teil dieses Helpdesks in Seiten Ihrer Website: Besucher suchen dort Artikel, schreiben Ihnen und lesen Ihre Antworten.',
  widget_origins: 'Ursprünge Ihrer Website',
  widget_origins_why: 'Seiten dieser Ursprünge dürfen das Widget zeigen. Jedes Skript einer solchen Seite kann lesen, was der Besucher im Widget sieht. Tragen Sie nur Websites ein, denen Sie vertrauen.',
  widget_origins_none: 'Kein Ursprung. Das Widget wird nirgends gezeigt.',
  widget_origin: 'Weiterer Ursprung',
  widget_origin_help: 'Schema und Host, ohne Pfad: https://shop.example',
  widget_origin_add: 'Ursprung hinzufügen',
  widget_origin_remove: '{origin} entfernen',
  widget_greeting: 'Erste Worte',
  widget_greeting_help: 'Leer: Das Widget hat eigene Worte, in der Sprache des Besuchers.',
  widget_anonymous: 'Jeder Besucher darf schreiben',
  widget_anonymous_help: 'Aus: nur Besucher, die Ihre Website anmeldet.',
  widget_snippet: 'Zeile für Ihre Seiten',
  widget_secret: 'Angemeldete Besucher',
  widget_secret_why: 'Mit diesem Geheimnis sagt der Server Ihrer Website dem Widget, wer ein Besucher ist. Wer es hat, kann die Anfragen angemeldeter Besucher lesen: Es gehört nur auf den Server.',
  widget_secret_none: 'Es gibt kein Geheimnis. Alle Besucher sind anonym.',
  widget_secret_since: 'Es gibt ein Geheimnis, erstellt {time}.',
  widget_secret_text: 'Geheimnis des Widgets',
  widget_secret_new: 'Geheimnis erstellen',
  widget_secret_question: 'Neues Geheimnis erstellen?',
  widget_secret_question_why: 'Ein früheres Geheimnis endet sofort, und Besucher, die damit angemeldet waren, sind wieder anonym.',
  widget_secret_drop: 'Geheimnis löschen',
  widget_secret_drop_question: 'Geheimnis des Widgets löschen?',
};
