import type { en } from './en';

export const ar: typeof en = {
  until_reply: 'عندما يرد العميل',
  until_other: 'وقت آخر…',
  times: 'المنطقة الزمنية: {zone}',
  time: 'مؤجلة حتى',
  snooze: 'تأجيل',
  cancel: 'إلغاء',
  snoozed_until: 'مؤجلة حتى {time}',
  snoozed_reply: 'مؤجلة حتى يرد العميل',
  by: 'بواسطة {name}',
  wake: 'إعادة الآن',
  woken: 'عادت المحادثة إلى الوارد',
};
