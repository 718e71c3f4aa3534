import type { en } from './en';
export const ar: typeof en = {
  notes_none: 'لا توجد ملاحظة بعد. تبقى الملاحظات مع الشخص أو المؤسسة، ويراها الموظفون فقط.',
  note_pinned: 'مثبتة',
  note_unpinned: 'ألغي تثبيت الملاحظة',
  note_deleted: 'حذفت الملاحظة',
  note_delete: 'حذف',
  note_delete_of: 'حذف ملاحظة {name}',
  note_edit_of: 'تعديل ملاحظة {name}',
  note_pin_of: 'تثبيت ملاحظة {name}',
  note_unpin_of: 'إلغاء تثبيت ملاحظة {name}',
  note_delete_title: 'حذف هذه الملاحظة؟',
  note_delete_final: 'تزول نهائيًا مع ملفاتها، ولا يمكن استرجاع كاتبها ووقتها.',
  note_unsaved: 'لم تحفظ',
  notes_failed: 'تعذرت قراءة الملاحظات.',
};
