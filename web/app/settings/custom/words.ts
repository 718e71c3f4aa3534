// The words of custom fields and forms.
import { dictionary } from '../../../kit/words';
import { en, type FieldWord } from '../../../words/fields/en';
import { addWords } from '../words';

const { say, ready } = dictionary<FieldWord>(en, { de: async () => (await import('../../../words/fields/de')).de, ar: async () => (await import('../../../words/fields/ar')).ar });
addWords(en, say);
export { ready };
