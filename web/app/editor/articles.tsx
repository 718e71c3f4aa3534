// Articles of the help center: found by their words, and put into the text as a link.
import { get, rowsOf } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { say } from '../../kit/words';

const findArticles = async (text: string): Promise<Option[]> => {
  const found = rowsOf(await get('/search', { query: text, resources: 'ARTICLES', limit: 8 })) as unknown as { id: number; title?: string }[];
  return found.map(({ id, title }) => ({ id, label: title ?? '' }));
};

export const ArticleField = (props: { onChoose: (title: string, address: string) => void; onWrong: (error: Error) => void }) => {
  let input!: HTMLInputElement;
  const choose = async ({ id, label }: Option) => {
    input.value = '';
    try {
      const article = rowsOf(await get(`/articles/${id}`, { fields: 'helpcenter_url,status' }))[0];
      if (article?.['status'] !== 'PUBLISHED') props.onWrong(new Error(say('article_unpublished', { title: label })));
      else props.onChoose(label, String(article['helpcenter_url']));
    } catch (error) { props.onWrong(error as Error); }
  };
  return <Combobox label={say('article')} placeholder={say('article')} find={findArticles} onChoose={(option) => void choose(option)} ref={(element) => { input = element; }} />;
};
