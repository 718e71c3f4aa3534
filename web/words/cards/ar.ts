import type { en } from './en';

export const ar: typeof en = {
  card_done: 'تم',
  card_may_not: 'دورك لا يسمح بتغيير هذا.',
  card_organization: 'المؤسسة',
  card_organization_find: 'ابحث عن مؤسسة',
  card_access: 'يرى',
  card_access_help: 'في مركز المساعدة، كعميل.',
  card_access_own: 'محادثاته فقط',
  card_access_all: 'كل محادثات المؤسسة',
  card_enabled: 'يسمح له بتسجيل الدخول',
  card_enabled_help: 'تبقى المحادثات في كل الأحوال.',
  card_emails: 'عناوين البريد الإلكتروني',
  card_phones: 'أرقام الهاتف',
  card_phone_new: 'رقم هاتف آخر',
  card_claimed: 'مذكور وغير مؤكد',
  card_removed: 'أزيل {name}',
  card_fields: 'الحقول',
  card_domains: 'النطاقات',
  card_domains_help: 'من له عنوان في أحد النطاقات ينضم إلى المؤسسة تلقائيًا.',
  card_shared: 'يرى الأشخاص محادثات بعضهم',
};
