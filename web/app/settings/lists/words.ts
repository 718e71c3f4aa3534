// The words of priorities, types and languages.
import { dictionary } from '../../../kit/words';
import { en, type ListWord } from '../../../words/lists/en';
import { addWords } from '../words';

const { say, ready } = dictionary<ListWord>(en, { de: async () => (await import('../../../words/lists/de')).de, ar: async () => (await import('../../../words/lists/ar')).ar });
addWords(en, say);
export { ready };
