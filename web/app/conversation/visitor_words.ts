import { dictionary } from '../../kit/words';
import { en } from '../../words/visitor/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/visitor/de')).de, ar: async () => (await import('../../words/visitor/ar')).ar });
