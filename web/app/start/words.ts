import { dictionary } from '../../kit/words';
import { en } from '../../words/start/en';

export type StartWord = keyof typeof en;
export const { say, ready } = dictionary<StartWord>(en, { de: async () => (await import('../../words/start/de')).de, ar: async () => (await import('../../words/start/ar')).ar });
