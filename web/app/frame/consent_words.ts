import { dictionary } from '../../kit/words';
import { en } from '../../words/consents/en';

export const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/consents/de')).de, ar: async () => (await import('../../words/consents/ar')).ar });
