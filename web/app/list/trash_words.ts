import { dictionary } from '../../kit/words';
import { en } from '../../words/trash/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/trash/de')).de, ar: async () => (await import('../../words/trash/ar')).ar });
