// Words of the settings. Those of the areas for admins, of fields, and of programs and records, are parts of their own, which are loaded with the first of these areas.
import { dictionary } from '../../kit/words';
import type { AdminWord } from '../../words/admin/en';
import type { CardWord } from '../../words/cards/en';
import type { CsvWord } from '../../words/csv/en';
import type { FieldWord } from '../../words/fields/en';
import type { ListWord } from '../../words/lists/en';
import type { MailWord } from '../../words/mails/en';
import type { ProgramWord } from '../../words/programs/en';
import type { SigninWord } from '../../words/signin/en';
import type { TemplateWord } from '../../words/templates/en';
import type { WidgetWord } from '../../words/widget/en';
import { en, type BasicWord } from '../../words/settings/en';

export type SettingsWord = BasicWord | AdminWord | CardWord | CsvWord | FieldWord | ListWord | MailWord | ProgramWord | SigninWord | TemplateWord | WidgetWord;
type Say<W> = (word: W, values?: Record<string, string | number>) => string;

const basic = dictionary<BasicWord>(en, { de: async () => (await import('../../words/settings/de')).de, ar: async () => (await import('../../words/settings/ar')).ar });
const parts: { english: object; say: Say<never> }[] = [{ english: en, say: basic.say }];

export const { ready } = basic;
/** Called once by each part, with its English words. */
export const addWords = <W extends SettingsWord>(english: Record<W, string>, said: Say<W>) => { parts.push({ english, say: said }); };
export const say: Say<SettingsWord> = (word, values) => parts.find(({ english }) => word in english)?.say(word as never, values) ?? word;
