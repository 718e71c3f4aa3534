import type { en } from './en';

export const ar: typeof en = {
  new_person: 'شخص جديد',
  new_person_made: 'يصبح {address} شخصا جديدا.',
  choose_person: 'اختر شخصا من القائمة، أو اكتب عنوان البريد الإلكتروني لشخص جديد.',
  write_subject: 'اكتب موضوعا.',
  write_text: 'اكتب نصًا.',
  discard: 'تجاهل',
  discarded: 'تم تجاهل المسودة',
  opened_before: 'فُتحت صيغة سابقة من هذه المحادثة. ابحث عنها في القائمة قبل أن تفتح أخرى.',
  open_another: 'افتح محادثة أخرى',
  not_opened_yet: 'لم تُفتح بعد: الخادم لا يستجيب. النص محفوظ، ولن تُفتح المحادثة إلا مرة واحدة، حتى لو حاولت مجددا.',
};
