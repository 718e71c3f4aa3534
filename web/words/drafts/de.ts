// German.
import type { SharedWord } from '../../app/editor/shared_words';

export const de: Record<SharedWord, string> = {
  shares_reply: '{name} teilt den Entwurf einer Antwort',
  shares_note: '{name} teilt den Entwurf einer Notiz',
  take: 'Weiterschreiben',
  in_the_way: 'Zum Weiterschreiben zuerst den eigenen Text senden oder löschen.',
  own: 'Andere lesen diesen Entwurf und können ihn weiterschreiben.',
  stop: 'Nicht mehr teilen',
};
