import { dictionary } from '../../kit/words';
import { en } from '../../words/login/en';

export type LoginWord = keyof typeof en;
export const { say, ready } = dictionary<LoginWord>(en, { de: async () => (await import('../../words/login/de')).de, ar: async () => (await import('../../words/login/ar')).ar });
