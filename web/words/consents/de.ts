import type { en } from './en';

export const de: typeof en = {
  consent_lost: '{address} muss neu verbunden werden',
  consents_lost: '[n: one {n} Postfach muss|other {n} Postfächer müssen] neu verbunden werden',
};
