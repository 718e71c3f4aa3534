import type { en } from './en';

export const ar: typeof en = {
  consent_lost: 'يجب إعادة توصيل {address}',
  consents_lost: 'يجب إعادة توصيل [n: one صندوق بريد واحد|two صندوقي بريد|few {n} صناديق بريد|many {n} صندوق بريد|other {n} صندوق بريد]',
};
