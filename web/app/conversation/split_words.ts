import { dictionary } from '../../kit/words';
import { en } from '../../words/split/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/split/de')).de, ar: async () => (await import('../../words/split/ar')).ar });
