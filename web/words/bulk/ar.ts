// Arabic.
import type { BulkWord } from '../../app/list/bulk_words';

export const ar: Record<BulkWord, string> = {
  selected: 'تم اختيار {n}',
  changed: 'تم تغيير {n}',
  left: '{which} لم تتغير: {reason}',
  more: '[n: one و{n} أخرى|other و{n} أخرى]',
  tag_hint: 'اكتب وسما لإضافته، أو اختر وسما لإزالته',
};
