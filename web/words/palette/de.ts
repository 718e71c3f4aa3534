// German.
import type { PaletteWord } from '../../app/palette/words';

export const de: Record<PaletteWord, string> = {
  hint: 'Aktion, Anfrage oder Person finden …',
  choose_hint: 'Einige Buchstaben eintippen …',
  search_for: 'Nach „{text}“ suchen',
  searching: 'Suche …',
  nothing_found: 'Nichts gefunden.',
};
