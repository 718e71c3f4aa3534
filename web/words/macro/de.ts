// German.
import type { MacroWord } from '../../app/editor/macro_words';

export const de: Record<MacroWord, string> = {
  chosen: 'Beim Senden setzt „{title}“',
  only_text: 'Der Text von „{title}“ steht im Feld. Das Makro setzt sonst nichts.',
  lost_team: 'Das Team dieses Makros gibt es nicht mehr. Das Team bleibt, wie es ist.',
  lost_agent: 'Der Agent dieses Makros kann nicht mehr zugewiesen werden. Der Agent bleibt, wie er ist.',
  lost_status: 'Den Status dieses Makros gibt es nicht mehr. Der Status bleibt, wie er ist.',
  lost_type: 'Den Typ dieses Makros gibt es nicht mehr. Der Typ bleibt, wie er ist.',
  lost_priority: 'Die Priorität dieses Makros gibt es nicht mehr. Die Priorität bleibt, wie sie ist.',
  without: 'Ohne sie',
};
