// German.
import type { BulkWord } from '../../app/list/bulk_words';

export const de: Record<BulkWord, string> = {
  selected: '{n} ausgewählt',
  changed: '{n} geändert',
  left: '{which} nicht geändert: {reason}',
  more: '[n: one und {n} weitere|other und {n} weitere]',
  tag_hint: 'Schlagwort zum Hinzufügen eintippen oder eines zum Entfernen wählen',
};
