// The words of the areas for admins.
import { dictionary } from '../../kit/words';
import { en, type AdminWord } from '../../words/admin/en';
import { addWords } from './words';

const { say, ready } = dictionary<AdminWord>(en, { de: async () => (await import('../../words/admin/de')).de, ar: async () => (await import('../../words/admin/ar')).ar });
addWords(en, say);
export { ready };
