// Words of the editor of the help center.
import { dictionary } from '../../kit/words';
import { en, type HelpWord } from '../../words/help_center/en';

export type { HelpWord };
export const { say, ready } = dictionary<HelpWord>(en, { de: async () => (await import('../../words/help_center/de')).de, ar: async () => (await import('../../words/help_center/ar')).ar });
