import type { en } from './en';

export const ar: typeof en = {
  draft_elsewhere: 'كتبت نصا آخر في مكان آخر:',
  draft_take: 'خذ ذلك النص',
  draft_keep: 'أبق هذا النص',
};
