import { dictionary } from '../../kit/words';
import { en } from '../../words/macro/en';

export type MacroWord = keyof typeof en;
export const { say, ready } = dictionary<MacroWord>(en, { de: async () => (await import('../../words/macro/de')).de, ar: async () => (await import('../../words/macro/ar')).ar });
