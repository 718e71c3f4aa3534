// Words of the editor of articles.
import { dictionary } from '../../kit/words';
import { en, type ArticleWord } from '../../words/articles/en';

export type { ArticleWord };
export const { say, ready } = dictionary<ArticleWord>(en, { de: async () => (await import('../../words/articles/de')).de, ar: async () => (await import('../../words/articles/ar')).ar });
