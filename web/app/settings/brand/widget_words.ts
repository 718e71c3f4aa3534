// The words of the widget of a brand.
import { dictionary } from '../../../kit/words';
import { en, type WidgetWord } from '../../../words/widget/en';
import { addWords } from '../words';

const { say, ready } = dictionary<WidgetWord>(en, { de: async () => (await import('../../../words/widget/de')).de, ar: async () => (await import('../../../words/widget/ar')).ar });
addWords(en, say);
export { ready };
