const texts = (translation) => [{ locale: 'en-us', translation }];

/** Creates an article in a section of its own. Returns its id. For tests that are not about articles themselves. */
export async function newArticle(desk, { visibility = 'PUBLIC', status = 'PUBLISHED', comments = true, title = 'An article' } = {}) {
  const section = await desk.owner.create('/sections', { titles: texts('A section'), category_id: 1, visibility });
  const article = await desk.owner.create('/articles', { titles: texts(title), contents: texts('<p>Contents</p>'), section_id: section.id, status, allow_comments: comments });
  return article.id;
}
