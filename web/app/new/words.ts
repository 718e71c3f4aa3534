import { dictionary } from '../../kit/words';
import { en } from '../../words/new/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/new/de')).de, ar: async () => (await import('../../words/new/ar')).ar });
