import type { en } from './en';
export const ar: typeof en = {
  read_all: 'علّم الكل كمقروء',
  no_notifications: 'لا توجد إشعارات.',
  no_notifications_next: 'يظهر هنا متى تصبح محادثة لك، أو يجيب عميل، أو يذكرك زميل.',
  told_agent: 'أسند {name} محادثة إليك',
  told_team: 'أسند {name} محادثة إلى فريقك',
  told_reply: 'رد {name}',
  told_mention: 'ذكرك {name}',
  told_breach: 'فات هدف خدمة',
  told_warning: 'هدف خدمة على وشك الفوات',
  told_refused: 'لم يُرسل رد مجدول لك',
  told_others: 'و{n} أخرى',
};
