import type { en } from './en';

export const ar: typeof en = {
  visitor_signed: 'عرّف به خادم الموقع',
  visitor_anonymous: 'زائر بلا تسجيل دخول: لم يتحقق أحد من الاسم والعنوان',
};
