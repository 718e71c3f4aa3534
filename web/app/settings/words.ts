// Words of the settings. Those of the areas for admins are a part of their own, which is loaded with the first of these areas.
import { dictionary } from '../../kit/words';
import type { AdminWord } from '../../words/admin/en';
import { en, type BasicWord } from '../../words/settings/en';

export type SettingsWord = BasicWord | AdminWord;
type Say<W> = (word: W, values?: Record<string, string | number>) => string;

const basic = dictionary<BasicWord>(en, { de: async () => (await import('../../words/settings/de')).de, ar: async () => (await import('../../words/settings/ar')).ar });
let admin: Say<AdminWord> = (word) => word;

export const { ready } = basic;
/** Called once, by the part. */
export const addWords = (say: Say<AdminWord>) => { admin = say; };
export const say: Say<SettingsWord> = (word, values) => word in en ? basic.say(word as BasicWord, values) : admin(word as AdminWord, values);
