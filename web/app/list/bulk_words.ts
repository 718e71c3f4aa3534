import { dictionary } from '../../kit/words';
import { en } from '../../words/bulk/en';

export type BulkWord = keyof typeof en;
export const { say, ready } = dictionary<BulkWord>(en, { de: async () => (await import('../../words/bulk/de')).de, ar: async () => (await import('../../words/bulk/ar')).ar });
