import { randomUUID } from 'node:crypto';
import { raw } from './bodies.mjs';
import { until } from './until.mjs';

const texts = (translation) => [{ locale: 'en-us', translation }];

/** Creates an article in a section of its own. Returns its id. For tests that are not about articles themselves. */
export async function newArticle(desk, { visibility = 'PUBLIC', status = 'PUBLISHED', comments = true, title = 'An article' } = {}) {
  const section = await desk.owner.create('/sections', { titles: texts('A section'), category_id: 1, visibility });
  const article = await desk.owner.create('/articles', { titles: texts(title), contents: texts('<p>Contents</p>'), section_id: section.id, status, allow_comments: comments });
  return article.id;
}

/** Tables of the help center. filledHelpCenter gives each of them rows. */
export const OF_HELP_CENTER = ['brands', 'categories', 'sections', 'section_tags', 'section_teams', 'articles', 'article_tags', 'article_versions', 'article_attachments', 'article_votes',
  'article_comments', 'comment_likes', 'help_center_searches', 'locale_fields', 'files'];

/** Ids of the articles that everyone finds by the words of filledHelpCenter, in both locales. */
export async function foundArticles(desk) {
  const find = async (query, locale) => (await desk.anyone.get('/helpcenter/search', { query, locale })).must(200);
  await until('the articles are indexed', async () => {
    desk.clock.write(desk.clock.now + 1000);
    const { data, body } = await find('flamingo', 'en-us');
    return body.logs === undefined && data.length > 0;
  });
  const [english, german] = [await find('flamingo', 'en-us'), await find('ameisen', 'de')].map(({ data }) => data.map((hit) => hit.original.id));
  return [...new Set([...english, ...german])];
}

/** Fills each table of the help center. Returns {article, section}. */
export async function filledHelpCenter(desk) {
  const both = (english, german) => [{ locale: 'en-us', translation: english }, { locale: 'de', translation: german }];
  const { owner, staff, customer, anyone } = desk;
  await owner.update('/settings', { values: { 'helpcenter.comments_a_minute': '0' } });
  const team = await owner.create('/teams', { title: 'Crew' });
  const category = await owner.create('/categories', { titles: both('Birds', 'Vögel') });
  const plain = { category_id: category.id, titles: both('All', 'Alle'), descriptions: both('Of all', 'Von allen') };
  const section = await owner.create('/sections', plain);
  await owner.create('/sections', { ...plain, visibility: 'AGENTS', team_ids: [team.id], tags: 'vip' });
  const file = (await staff.post('/files', raw('text/plain', 'wings'), { query: { _filename: 'wings.txt' } })).must(201).data.id;
  const article = await staff.create('/articles', { section_id: section.id, status: 'PUBLISHED', titles: both('The flamingo', 'Der Flamingo'), contents: both('<p>Eats ants</p>', '<p>Frisst Käfer</p>'), tags: 'pink', keywords: 'bird', attachment_file_ids: [file] });
  await staff.update(`/articles/${article.id}`, { contents: both('<p>Eats plants</p>', '<p>Frisst Ameisen</p>') });
  const comments = `/articles/${article.id}/comments`;
  const comment = await customer.create(comments, { contents: '<p>A <b>pink</b> one</p>', is_html: true });
  await customer.create(comments, { contents: 'As I said', parent_id: comment.id });
  const spam = await customer.create(comments, { contents: 'Cheap pills' });
  (await staff.put(`${comments}/${spam.id}/spam`)).must(200);
  (await staff.post(`${comments}/${comment.id}/likes`)).must(201);
  (await customer.post(`/articles/${article.id}/upvote`)).must(200);
  (await anyone.post(`/articles/${article.id}/downvote`, undefined, { headers: { 'X-Fingerprint-ID': randomUUID() } })).must(200);
  (await anyone.get(`/articles/${article.id}`)).must(200);
  (await anyone.get('/helpcenter/search', { query: 'nothing of that' })).must(200);
  await foundArticles(desk);
  return { article: article.id, section: section.id };
}
