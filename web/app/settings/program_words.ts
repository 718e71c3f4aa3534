// The words of the areas of programs and records.
import { dictionary } from '../../kit/words';
import { en, type ProgramWord } from '../../words/programs/en';
import { addWords } from './words';

const { say, ready } = dictionary<ProgramWord>(en, { de: async () => (await import('../../words/programs/de')).de, ar: async () => (await import('../../words/programs/ar')).ar });
addWords(en, say);
export { ready };
