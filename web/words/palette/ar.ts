// Arabic.
import type { PaletteWord } from '../../app/palette/words';

export const ar: Record<PaletteWord, string> = {
  hint: 'ابحث عن إجراء أو محادثة أو شخص …',
  choose_hint: 'اكتب بعض الحروف …',
  search_for: 'ابحث عن «{text}»',
  searching: 'جار البحث …',
  nothing_found: 'لم يوجد شيء.',
};
