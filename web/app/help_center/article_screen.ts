// The editor of an article, as soon as its words are there.
import { ArticleForm } from './article';
import { ready } from './article_words';

await ready();
export default ArticleForm;
