import { dictionary } from '../../kit/words';
import { en } from '../../words/palette/en';

export type PaletteWord = keyof typeof en;
export const { say, ready } = dictionary<PaletteWord>(en, { de: async () => (await import('../../words/palette/de')).de, ar: async () => (await import('../../words/palette/ar')).ar });
