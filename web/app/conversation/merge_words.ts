import { dictionary } from '../../kit/words';
import { en } from '../../words/merge/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/merge/de')).de, ar: async () => (await import('../../words/merge/ar')).ar });
