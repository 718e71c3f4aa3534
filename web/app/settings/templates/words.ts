// The words of templates.
import { dictionary } from '../../../kit/words';
import { en, type TemplateWord } from '../../../words/templates/en';
import { addWords } from '../words';

const { say, ready } = dictionary<TemplateWord>(en, { de: async () => (await import('../../../words/templates/de')).de, ar: async () => (await import('../../../words/templates/ar')).ar });
addWords(en, say);
export { ready };

/** The title of a template, or the meaning of a value. A newer server may have others: these show their names. */
export const titleOf = (name: string, kind: 'is' | 'value' = 'is') => { const word = `${kind}_${name}`; return word in en ? say(word as TemplateWord) : name; };
