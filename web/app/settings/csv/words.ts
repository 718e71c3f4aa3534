// The words of import and export by CSV files.
import { dictionary } from '../../../kit/words';
import { en, type CsvWord } from '../../../words/csv/en';
import { addWords } from '../words';

const { say, ready } = dictionary<CsvWord>(en, { de: async () => (await import('../../../words/csv/de')).de, ar: async () => (await import('../../../words/csv/ar')).ar });
addWords(en, say);
export { ready };
