import { dictionary } from '../../kit/words';
import { en, type SettingsWord } from '../../words/settings/en';

export type { SettingsWord };
export const { say, ready } = dictionary<SettingsWord>(en, { de: async () => (await import('../../words/settings/de')).de, ar: async () => (await import('../../words/settings/ar')).ar });
