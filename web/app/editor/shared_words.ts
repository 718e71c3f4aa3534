import { dictionary } from '../../kit/words';
import { en } from '../../words/drafts/en';

export type SharedWord = keyof typeof en;
export const { say, ready } = dictionary<SharedWord>(en, { de: async () => (await import('../../words/drafts/de')).de, ar: async () => (await import('../../words/drafts/ar')).ar });
