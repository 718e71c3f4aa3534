// Articles of the help center (docs/HELPCENTER.md).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { File, multipart, open, raw, shared } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';
import { sql } from './lib/sql.mjs';

const text = (locale, translation) => ({ locale, translation });
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

async function prepare(world) {
  const { desk } = world;
  world.section = await desk.owner.create('/sections', { titles: 'Plain', category_id: 1 });
  world.hidden = await desk.owner.create('/sections', { titles: 'Staff', category_id: 1, visibility: 'AGENTS' });
  const { client, id } = await desk.person('agent');
  world.author = { client, id };
  // An agent who writes, and may not publish.
  const role = await desk.owner.create('/roles', { title: 'Writers', type: 'AGENT' });
  await desk.owner.put('/roles/' + role.id + '/permissions', { 'help_center_articles.publish': false });
  world.writer = (await desk.person('agent', { role_id: role.id })).client;
}

describe('articles:', () => {
  const world = shared(prepare);
  const draft = (more) => world.desk.staff.create('/articles', { titles: 'Reset', contents: '<p>Open the settings.</p>', section_id: world.section.id, ...more });
  const published = (more) => draft({ status: 'PUBLISHED', ...more });
  const contents = async (id, client = world.desk.owner) => (await client.fetch(`/articles/${id}`, { include: 'locale_field' })).contents.map(({ locale, translation }) => [locale, translation]);
  const counts = async (id = world.section.id) => {
    const { total_articles: total } = await world.desk.owner.fetch(`/sections/${id}`);
    return [total, (await world.desk.anyone.fetch(`/sections/${id}`)).total_articles];
  };
  const counted = async (change, by, id) => {
    const before = await counts(id);
    await change();
    assert.deepEqual((await counts(id)).map((n, i) => n - before[i]), by);
  };

  test('a writer creates, changes and deletes an article, and the counters of its section follow', async () => {
    const { desk, section } = world;
    const other = await desk.owner.create('/sections', { titles: 'Other', category_id: 1 });
    let article;
    await counted(async () => { article = await draft({ titles: [text('en-us', 'Reset, or not'), text('de', 'Zurücksetzen')], contents: [text('en-us', 'Open'), text('de', 'Öffnen')], tags: 'login,password', keywords: 'sign in', legacy_id: 'A-1' }); }, [1, 0]);
    assert.deepEqual([article.status, article.published_at, article.author.id, article.creator.id, article.is_featured, article.allow_comments, article.legacy_id, article.keywords],
      ['DRAFT', null, desk.people.agent.id, desk.people.agent.id, false, true, 'A-1', 'sign in']);
    assert.deepEqual(article.slugs.map(({ locale, translation }) => [locale, translation]), [['en-us', `${article.id}-reset-or-not`], ['de', `${article.id}-zurucksetzen`]]);
    assert.ok(article.helpcenter_url.endsWith(`/helpcenter/en-us/articles/${article.id}-reset-or-not`));
    for (const query of [{}, { fields: '+tags' }]) assert.deepEqual((await desk.owner.fetch(`/articles/${article.id}`, query)).tags.map(({ name }) => name).sort(), ['login', 'password']);
    await counted(async () => { article = await desk.staff.update(`/articles/${article.id}`, { status: 'PUBLISHED', author_id: world.author.id, is_featured: true }); }, [0, 1]);
    assert.deepEqual([article.status, article.author.id, article.published_at !== null], ['PUBLISHED', world.author.id, true]);
    assert.deepEqual((await desk.anyone.fetch('/articles', { filter: 'PINNED' })).map(({ id }) => id), [article.id]);
    assert.deepEqual((await desk.anyone.fetch('/articles', { tags: 'LOGIN', legacy_ids: 'A-1' })).map(({ id }) => id), [article.id]);
    await counted(() => desk.staff.update(`/articles/${article.id}`, { section_id: other.id }), [-1, -1]);
    await counted(() => desk.staff.update(`/articles/${article.id}`, { section_id: section.id, status: 'PENDINGAPPROVAL' }), [-1, -1], other.id);
    const again = await desk.staff.update(`/articles/${article.id}`, { status: 'PUBLISHED' });
    assert.equal(again.published_at, article.published_at);
    await counted(async () => { (await desk.staff.delete(`/articles/${article.id}`)).must(200); }, [-1, -1]);
    (await desk.owner.get(`/articles/${article.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    const more = [await draft({ legacy_id: 'A-1' }), await published()];
    await counted(async () => { assert.equal((await desk.staff.delete('/articles', { ids: more.map(({ id }) => id) })).must(200).body.total_count, 2); }, [-2, -1]);
  });

  test('titles and contents are needed in each locale, and wrong values are refused by name', async () => {
    const { desk, section } = world;
    const refused = async (body, code, ...names) => (await desk.staff.post('/articles', body)).refused(400, code, ...names);
    const valid = { titles: 'a', contents: 'b', section_id: section.id };
    await refused({}, 'FIELD_REQUIRED', 'titles', 'contents', 'section_id');
    await refused({ ...valid, contents: [text('de', 'b')] }, 'FIELD_REQUIRED', 'contents', 'titles');
    await refused({ ...valid, titles: [text('en-us', 'a'), text('en-us', 'b')] }, 'FIELD_DUPLICATE', 'titles[1].locale');
    await refused({ ...valid, titles: [text('xx', 'a')], contents: [text('xx', 'a')] }, 'FIELD_INVALID', 'titles[0].locale', 'contents[0].locale');
    await refused({ ...valid, titles: 'x'.repeat(256), section_id: 999999, status: 'GONE', author_id: desk.people.customer.id, attachment_file_ids: [999999] },
      'FIELD_INVALID', 'titles', 'section_id', 'status', 'author_id', 'attachment_file_ids');
    await refused({ ...valid, contents: '<script>alert(1)</script>' }, 'FIELD_EMPTY', 'contents');
    await draft({ legacy_id: 'twin' });
    await refused({ ...valid, legacy_id: 'twin' }, 'FIELD_DUPLICATE', 'legacy_id');
    const article = await draft();
    const change = async (body) => desk.staff.put(`/articles/${article.id}`, body);
    (await change({ titles: [text('de', 'a')] })).refused(400, 'FIELD_REQUIRED', 'contents', 'titles');
    (await change({ titles: '' })).refused(400, 'FIELD_EMPTY', 'titles');
    (await desk.staff.delete('/articles', { ids: [article.id, 999999] })).refused(404, 'RESOURCE_NOT_FOUND', 'ids');
    // A plain text changes the default locale alone.
    await desk.staff.update(`/articles/${article.id}`, { titles: [text('en-us', 'a'), text('de', 'b')], contents: [text('en-us', 'one, two'), text('de', 'zwei')] });
    await desk.staff.update(`/articles/${article.id}`, { contents: 'three, four' });
    assert.deepEqual(await contents(article.id), [['en-us', 'three, four'], ['de', 'zwei']]);
    // One {locale, translation} changes its locale alone, and is cleaned, too.
    await desk.staff.update(`/articles/${article.id}`, { contents: text('de', 'drei<script>x</script>') });
    assert.deepEqual(await contents(article.id), [['en-us', 'three, four'], ['de', 'drei']]);
    (await change({ contents: text('xx', 'a') })).refused(400, 'FIELD_INVALID', 'contents.locale');
  });

  test('two changes of texts within one millisecond have different ETags, so the second writer is refused', async () => {
    const { desk } = world, { owner } = desk;
    const field = await owner.create('/cases/fields', { type: 'TEXT', key: 'twice', titles: [text('en-us', 'One')] });
    const category = await owner.create('/categories', { titles: 'One', descriptions: 'One' });
    const section = await owner.create('/sections', { titles: 'One', category_id: category.id });
    const { id } = await draft();
    const objects = [
      [`/articles/${id}`, (words) => ({ contents: words })], [`/articles/${id}`, (words) => ({ titles: words })],
      [`/categories/${category.id}`, (words) => ({ titles: words })], [`/categories/${category.id}`, (words) => ({ descriptions: words })],
      [`/sections/${section.id}`, (words) => ({ titles: words })], [`/cases/fields/${field.id}`, (words) => ({ titles: [text('en-us', words)] })],
    ];
    for (const [path, body] of objects) {
      const { etag } = (await owner.get(path)).must(200), seen = new Set([etag]);
      (await owner.put(path, body('Two'), { headers: { 'If-Match': etag } })).must(200);
      (await owner.put(path, body('Three'), { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
      // A former text does not bring back its tag.
      for (const words of ['Three', 'Two', 'Three']) {
        seen.add((await owner.get(path)).must(200).etag);
        (await owner.put(path, body(words))).must(200);
      }
      seen.add((await owner.get(path)).must(200).etag);
      assert.equal(seen.size, 5, path);
      const { etag: last } = await owner.get(path);
      (await owner.put(path, body('Three'))).must(200);
      assert.equal((await owner.get(path)).etag, last, `${path}: an equal text changes nothing`);
    }
  });

  test('roles and permissions decide who writes and who publishes', async () => {
    const { desk, writer, section } = world;
    const body = { titles: 'a', contents: 'b', section_id: section.id };
    const own = await draft(), live = await published();
    for (const client of [desk.as('collaborator'), desk.as('customer')]) {
      (await client.post('/articles', body)).refused(403, 'PERMISSIONS_DENIED');
      (await client.put(`/articles/${live.id}`, { keywords: 'a' })).refused(403, 'PERMISSIONS_DENIED');
      (await client.delete(`/articles/${live.id}`)).refused(403, 'PERMISSIONS_DENIED');
      (await client.get(`/articles/${live.id}/versions`)).refused(403, 'PERMISSIONS_DENIED');
      (await client.put('/articles/reorder', { article_ids: [live.id] })).refused(403, 'PERMISSIONS_DENIED');
      (await client.get(`/articles/${own.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    }
    (await desk.anyone.post('/articles', body)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await writer.post('/articles', { ...body, status: 'PUBLISHED' })).refused(403, 'PERMISSIONS_DENIED');
    const mine = await writer.create('/articles', { ...body, status: 'PENDINGAPPROVAL' });
    await writer.update(`/articles/${mine.id}`, { contents: 'c' });
    (await writer.put(`/articles/${mine.id}`, { status: 'PUBLISHED' })).refused(403, 'PERMISSIONS_DENIED');
    for (const change of [{ status: 'DRAFT' }, { contents: 'c' }, { section_id: section.id }]) (await writer.put(`/articles/${live.id}`, change)).refused(403, 'PERMISSIONS_DENIED');
    (await writer.delete(`/articles/${live.id}`)).refused(403, 'PERMISSIONS_DENIED');
    (await writer.delete('/articles', { ids: [mine.id, live.id] })).refused(403, 'PERMISSIONS_DENIED');
    (await writer.put(`/articles/${live.id}/restore`, { version_id: 1 })).refused(403, 'PERMISSIONS_DENIED');
    assert.deepEqual((await writer.fetch('/articles', { ids: [mine.id] })).map(({ status }) => status), ['PENDINGAPPROVAL']);
  });

  test('nobody but writers and authors meets a draft', async () => {
    const { desk, author } = world;
    const file = async () => (await desk.staff.post('/files', raw('text/plain', 'secret'), { query: { _filename: 'secret.txt' } })).must(201).data.id;
    const article = await draft({ titles: 'secret', contents: 'secret', legacy_id: 'secret', attachment_file_ids: [await file()] });
    const inside = await published({ section_id: world.hidden.id, titles: 'secret', contents: 'secret' });
    const attachment = `/articles/${article.id}/attachments/${article.attachments[0].id}`;
    for (const [staff, client] of [[false, desk.anyone], [false, desk.as('customer')], [true, desk.as('collaborator')]]) {
      const hidden = staff ? [article] : [article, inside];
      for (const { id, titles: [title], contents: [long] } of hidden) {
        for (const path of [`/articles/${id}`, `/articles/${id}/attachments`, `/articles/${id}/related`, `/locale/fields/${title.id}`, `/locale/fields/${long.id}`]) (await client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
      }
      for (const path of [attachment, `${attachment}/url`, `${attachment}/download`]) (await client.exchange('GET', `/api/v1${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
      assert.deepEqual(await client.fetch('/articles', { ids: hidden.map(({ id }) => id) }), []);
      assert.deepEqual(await client.fetch('/articles', { legacy_ids: 'secret' }), []);
      assert.equal((await client.get('/articles', { section_id: world.section.id, include: '*', _flat: true, limit: 1000 })).must(200).text.includes('secret'), false);
    }
    const own = await draft({ author_id: desk.people.collaborator.id });
    assert.equal((await desk.as('collaborator').fetch(`/articles/${own.id}`)).id, own.id);
    assert.ok(author.id);
  });

  test('contents are cleaned: scripts go, remote pictures over https stay, bombs are bounded', async () => {
    const { desk, section } = world;
    const cleaned = async (html) => (await contents((await draft({ contents: html })).id))[0][1];
    assert.equal(await cleaned('<p onclick="x()">Hi <script>x()</script><b>there</b></p>'), '<p>Hi <b>there</b></p>');
    assert.equal(await cleaned('<img src="https://pictures.example/a.png" onerror="x()" alt="A">'), '<img src="https://pictures.example/a.png" alt="A">');
    assert.equal(await cleaned('<img src="http://pictures.example/a.png">'), '<img data-src="http://pictures.example/a.png">');
    assert.equal((await cleaned('<a href="javascript:x()">a</a>')).includes('javascript'), false);
    assert.equal((await cleaned('<title><img src="https://a.example/" onerror=x()></title><p title="<img src=&quot;https://a.example/&quot;">a</p>')).includes('onerror'), false);
    const deep = await cleaned('<b>'.repeat(5000) + 'deep');
    assert.ok(deep.includes('deep') && deep.split('<b>').length <= 101);
    const entities = await cleaned(`${'&amp;'.repeat(20000)}<i>`);
    assert.ok(entities.startsWith('&amp;&amp;'));
    const refused = async (html) => (await desk.staff.post('/articles', { titles: 'a', contents: html, section_id: section.id })).refused(400, 'FIELD_INVALID', 'contents');
    // The cleaner has two seconds. A fast machine, or a sanitizer with a longer limit, finishes: then the elements are bounded.
    const bomb = await desk.staff.post('/articles', { titles: 'a', contents: '<i></i><u>'.repeat(50000), section_id: section.id });
    if (bomb.status === 201) assert.ok((await contents(bomb.data.id))[0][1].length < 1_000_000);
    else bomb.refused(400, 'FIELD_INVALID', 'contents');
    await refused('x'.repeat(600 * 1024));
  });

  test('files are attached, shown in the contents, downloaded and removed', async () => {
    const { desk } = world;
    const upload = async (name, bytes) => (await desk.staff.post('/files', raw('image/gif', bytes), { query: { _filename: name } })).must(201).data.id;
    const picture = await upload('a.gif', PICTURE);
    let article = await published({ contents: `<p>See <img src="cid:${picture}" alt="One &amp; two"></p>`, attachment_file_ids: [picture] });
    const [shown] = article.attachments;
    assert.deepEqual([shown.content_id, shown.alt, shown.width, article.download_all], [`attachment.${shown.id}`, 'One & two', 1, null]);
    const [[, html]] = await contents(article.id, desk.anyone);
    assert.equal(html, `<p>See <img src="${shown.url}" alt="One &amp; two"></p>`);
    const path = shown.url.slice(shown.url.indexOf('/articles'));
    const got = (await desk.anyone.exchange('GET', `/api/v1${path}`)).must(200);
    assert.deepEqual([got.headers['content-type'], got.headers['content-disposition']], ['image/gif', 'inline; filename="a.gif"']);
    // Contents are sent back as they were read. The picture stays an attachment.
    await desk.staff.update(`/articles/${article.id}`, { contents: `${html}<p>More</p>` });
    assert.equal((await contents(article.id))[0][1], `${html}<p>More</p>`);
    article = await desk.staff.fetch(`/articles/${article.id}`);
    assert.equal(article.attachments[0].content_id, shown.content_id);
    // Parts of a multipart body are added.
    article = (await desk.staff.put(`/articles/${article.id}`, multipart({ keywords: 'a', 'files[]': new File('b.txt', 'text/plain', Buffer.from('b')) }))).must(200).data;
    assert.deepEqual(article.attachments.map(({ name }) => name), ['a.gif', 'b.txt']);
    assert.ok(article.download_all.endsWith(`/articles/${article.id}/attachments/download/all`));
    (await desk.anyone.exchange('GET', article.download_all.slice(article.download_all.indexOf('/api/v1')))).must(200);
    assert.equal((await desk.anyone.fetch(`/articles/${article.id}/attachments`)).length, 2);
    (await desk.as('collaborator').delete(`/articles/${article.id}/attachments/${shown.id}`)).refused(403, 'PERMISSIONS_DENIED');
    (await world.writer.delete(`/articles/${article.id}/attachments/${shown.id}`)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.staff.delete(`/articles/${article.id}/attachments/${shown.id}`)).must(200);
    (await desk.anyone.exchange('GET', `/api/v1${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal((await desk.anyone.fetch(`/articles/${article.id}/attachments`)).length, 1);
    // Nobody attaches a file of another person.
    (await world.author.client.put(`/articles/${article.id}`, { attachment_file_ids: [await upload('c.gif', PICTURE)] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  });

  test('a changed text makes a version, which is compared and restored', async () => {
    const { desk, author } = world;
    const article = await draft({ titles: 'Open the door', contents: '<p>Use the old key.</p>' });
    const path = `/articles/${article.id}`;
    await author.client.update(path, { contents: '<p>Use the new key.</p>' });
    await author.client.update(path, { titles: 'Close the door', keywords: 'door' });
    await author.client.update(path, { titles: 'Close the door', status: 'PENDINGAPPROVAL' });
    const versions = await desk.staff.fetch(`${path}/versions`);
    assert.deepEqual(versions.map(({ user, titles, contents: [{ translation }] }) => [user.id, titles[0].translation, translation]),
      [[author.id, 'Open the door', '<p>Use the new key.</p>'], [desk.people.agent.id, 'Open the door', '<p>Use the old key.</p>']]);
    assert.deepEqual((await desk.staff.fetch(`${path}/versions`, { fields: 'titles' })).map(({ titles }) => titles), versions.map(({ titles }) => titles));
    const [second, first] = versions;
    assert.deepEqual(await desk.staff.fetch(`${path}/versions/${first.id}`), first);
    const parts = (list) => list.map(({ operation, text: words }) => [operation, words]);
    const present = (await desk.staff.fetch(`${path}/versions/${first.id}/comparison`)).locales[0];
    assert.deepEqual(parts(present.title), [['DELETED', 'Open'], ['INSERTED', 'Close'], ['EQUAL', ' the door']]);
    assert.deepEqual(parts(present.contents), [['EQUAL', '<p>Use the '], ['DELETED', 'old'], ['INSERTED', 'new'], ['EQUAL', ' key.</p>']]);
    const other = await desk.staff.fetch(`${path}/versions/${first.id}/comparison`, { with: second.id });
    assert.deepEqual([other.with.id, parts(other.locales[0].title)], [second.id, [['EQUAL', 'Open the door']]]);
    (await desk.staff.get(`${path}/versions/${first.id}/comparison`, { with: 999999 })).refused(400, 'FIELD_INVALID', 'with');
    (await desk.staff.get(`${path}/versions/999999/comparison`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.put(`${path}/restore`, {})).refused(400, 'FIELD_REQUIRED', 'version_id');
    (await desk.staff.put(`${path}/restore`, { version_id: 999999 })).refused(400, 'FIELD_INVALID', 'version_id');
    await desk.staff.update(`${path}/restore`, { version_id: first.id });
    assert.deepEqual(await contents(article.id), [['en-us', '<p>Use the old key.</p>']]);
    assert.equal((await desk.staff.fetch(`${path}/versions`)).length, 3);
    const foreign = await draft();
    (await desk.staff.put(`/articles/${foreign.id}/restore`, { version_id: first.id })).refused(400, 'FIELD_INVALID', 'version_id');
    (await desk.staff.get(`/articles/${foreign.id}/versions/${first.id}/comparison`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('a section lists its articles as LATEST, POPULAR or MANUAL', async () => {
    const { desk } = world;
    const section = await desk.owner.create('/sections', { titles: 'Ordered', category_id: 1 });
    const ids = [];
    for (const title of ['a', 'b', 'c']) ids.push((await published({ titles: title, section_id: section.id })).id);
    const [a, b, c] = ids;
    const listed = async () => (await desk.anyone.fetch('/articles', { section_id: section.id })).map(({ id }) => id);
    assert.deepEqual(await listed(), [c, b, a]);
    await desk.owner.update(`/sections/${section.id}`, { article_order_by: 'MANUAL' });
    assert.deepEqual(await listed(), [a, b, c]);
    (await desk.staff.put('/articles/reorder', { article_ids: [c, a] })).must(200);
    assert.deepEqual(await listed(), [c, a, b]);
    (await desk.staff.put('/articles/reorder', { article_ids: [b], section_id: section.id })).must(200);
    assert.deepEqual(await listed(), [b, c, a]);
    const foreign = await draft();
    (await desk.staff.put('/articles/reorder', { article_ids: [a, foreign.id] })).refused(400, 'FIELD_INVALID', 'article_ids');
    (await desk.staff.put('/articles/reorder', { article_ids: [999999] })).refused(400, 'FIELD_INVALID', 'article_ids');
    (await desk.staff.put('/articles/reorder', { article_ids: Array.from({ length: 10000 }, (_, i) => i + 1) })).refused(400, 'FIELD_INVALID', 'article_ids');
    await desk.owner.update(`/sections/${section.id}`, { article_order_by: 'POPULAR' });
    sql(desk, `UPDATE articles SET rank = 10 WHERE id = ${b}`);
    assert.deepEqual(await listed(), [b, c, a]);
  });

  test('the total of a list is the number of articles that the caller sees, whatever narrows it', async () => {
    const { desk, writer } = world;
    const section = await desk.owner.create('/sections', { titles: 'Counted', category_id: 1 });
    for (const more of [{ tags: 'counted', legacy_id: 'counted' }, { is_featured: true }, { status: 'DRAFT' }, { status: 'DRAFT', author_id: desk.people.collaborator.id }]) await published({ section_id: section.id, ...more });
    await published({ section_id: world.hidden.id });
    for (const client of [desk.anyone, desk.as('customer'), desk.as('collaborator'), writer, desk.owner]) {
      for (const query of [{}, { section_id: section.id }, { section_id: world.hidden.id }, { section_id: section.id, filter: 'PUBLISHED' }, { filter: 'PINNED' }, { tags: 'counted' }, { legacy_ids: 'counted' }, { section_id: 999999 }]) {
        const { data, body } = (await client.get('/articles', { ...query, limit: 1000 })).must(200);
        assert.equal(body.total_count, data.length, JSON.stringify(query));
      }
    }
  });

  test('related articles share tags, keywords or the section', async () => {
    const { desk } = world;
    const [one, two] = [await desk.owner.create('/sections', { titles: 'One', category_id: 1 }), await desk.owner.create('/sections', { titles: 'Two', category_id: 1 })];
    const base = await published({ section_id: one.id, tags: 'related-tag', keywords: 'wheel, axle' });
    const near = await published({ section_id: one.id });
    const worded = await published({ section_id: one.id, keywords: 'Axle' });
    const tagged = await published({ section_id: two.id, tags: 'related-tag' });
    await draft({ section_id: one.id, tags: 'related-tag' });
    const inside = await published({ section_id: world.hidden.id, tags: 'related-tag' });
    const related = async (client) => (await client.fetch(`/articles/${base.id}/related`)).map(({ id }) => id);
    assert.deepEqual(await related(desk.anyone), [tagged.id, worded.id, near.id]);
    assert.ok((await related(desk.as('collaborator'))).includes(inside.id));
    const listed = async () => {
      const { text } = await desk.anyone.exchange('GET', `/helpcenter/en-us/articles/${base.id}`, {}).then((r) => (r.status === 301 ? desk.anyone.exchange('GET', r.headers.location, {}) : r)).then((r) => ({ text: r.bytes.toString() }));
      return [...(text.split('<h2>Related')[1] ?? '').matchAll(/<li[^>]*><a href="[^"]*\/articles\/(\d+)/g)].map(([, id]) => Number(id));
    };
    assert.deepEqual(await listed(), [tagged.id, worded.id, near.id], 'the page lists the same articles in the same order');
    for (let i = 0; i < 5; i++) await published({ section_id: one.id });
    assert.equal((await related(desk.anyone)).length, 5);
    assert.deepEqual(await listed(), await related(desk.anyone));
    const plain = await published({ section_id: one.id });
    const neighbours = (await desk.anyone.fetch(`/articles/${plain.id}/related`)).map(({ id }) => id);
    assert.equal(neighbours.length, 5, 'an article without tags and keywords has its neighbours');
    assert.ok(!neighbours.includes(plain.id) && !neighbours.includes(tagged.id));
  });

  test('an import creates articles, cleans them, and returns refused records', async () => {
    const { desk, section, writer } = world;
    const finished = async (client, reply) => {
      const { id } = reply.must(202).data;
      await desk.jobs?.();
      for (let i = 0; i < 200; i++) {
        const job = await client.fetch(`/jobs/${id}`);
        if (['COMPLETED', 'FAILED'].includes(job.status)) return job;
      }
      throw new Error('the job does not end');
    };
    const record = (more) => ({ titles: 'Imported', contents: '<p onclick="x()">In, <b>and</b></p>', section_id: section.id, status: 'PUBLISHED', ...more });
    let job;
    await counted(async () => { job = await finished(desk.staff, await desk.staff.post('/bulk/articles', { articles: [record({ legacy_id: 'I-1', tags: 'in' }), record({ legacy_id: 'I-2', creator_id: world.author.id })] })); }, [2, 2]);
    assert.equal(job.status, 'COMPLETED');
    const [one, two] = await desk.anyone.fetch('/articles', { legacy_ids: 'I-1,I-2' });
    assert.deepEqual(await contents(one.id), [['en-us', '<p>In, <b>and</b></p>']]);
    assert.deepEqual([one.creator.id, two.creator.id], [desk.people.agent.id, world.author.id]);
    const wrong = [record({ legacy_id: 'I-3', titles: 'Zylinderkopf' }), record({ legacy_id: 'I-1' }), { titles: 'a' }, record({ contents: [text('de', 'b')] }), record({ section_id: 999999 })];
    await counted(async () => { job = await finished(desk.staff, await desk.staff.post('/bulk/articles', { articles: wrong })); }, [0, 0]);
    assert.deepEqual([job.status, job.errors.map(({ code, pointer }) => `${code} ${pointer}`).sort()], ['FAILED', [
      'FIELD_DUPLICATE articles/1/legacy_id', 'FIELD_INVALID articles/4/section_id', 'FIELD_REQUIRED articles/2/contents', 'FIELD_REQUIRED articles/2/section_id', 'FIELD_REQUIRED articles/3/contents', 'FIELD_REQUIRED articles/3/titles']]);
    await counted(async () => { job = await finished(desk.staff, await desk.staff.post('/bulk/articles', { articles: wrong }, { query: { partial_import: true } })); }, [1, 1]);
    assert.equal((await desk.anyone.fetch('/helpcenter/search', { query: 'zylinderkopf' })).length, 1, 'a record before refused ones is found by the search');
    job = await finished(writer, await writer.post('/bulk/articles', { articles: [record()] }));
    assert.deepEqual([job.status, job.errors.map(({ code }) => code)], ['FAILED', ['PERMISSIONS_DENIED']]);
    (await desk.staff.post('/bulk/articles', { articles: Array.from({ length: 201 }, () => record()) })).refused(400, 'FIELD_INVALID', 'articles');
    (await desk.as('collaborator').post('/bulk/articles', { articles: [record()] })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('a reply links articles that the requester sees', async () => {
    const { desk } = world;
    const live = await published({ titles: [text('en-us', 'Reset it'), text('de', 'Neu')], contents: [text('en-us', 'a'), text('de', 'b')] });
    const inside = await published({ section_id: world.hidden.id }), unfinished = await draft();
    const conversation = await desk.staff.create('/cases', { subject: 'Stalls', contents: 'Stops', requester_id: desk.people.customer.id });
    const url = live.helpcenter_url;
    const { posts: [post] } = await desk.staff.create(`/cases/${conversation.id}/reply`, { contents: 'Look:', article_ids: [live.id] });
    assert.equal((await desk.as('customer').fetch(`/conversations/${conversation.id}/messages/${post.id}`)).content_text, `Look:\n\nReset it\n${url}`);
    const { posts: [rich] } = await desk.staff.create(`/cases/${conversation.id}/reply`, { contents: '<b>Look</b>', channel_options: { html: true }, article_ids: [live.id] });
    const { content_html: html } = await desk.as('customer').fetch(`/conversations/${conversation.id}/messages/${rich.id}`);
    assert.ok(html.startsWith('<b>Look</b>') && html.includes(`href="${url}"`), html);
    for (const { id } of [inside, unfinished, { id: 999999 }]) {
      (await desk.staff.post(`/cases/${conversation.id}/reply`, { contents: 'Look', article_ids: [live.id, id] })).refused(400, 'FIELD_INVALID', 'article_ids');
      (await desk.staff.post(`/conversations/${conversation.id}/messages`, { contents: 'Look', article_ids: [id] })).refused(400, 'FIELD_INVALID', 'article_ids');
    }
    const message = await desk.staff.create(`/conversations/${conversation.id}/messages`, { contents: 'Look', article_ids: [live.id] });
    assert.equal(message.content_text, `Look\n\nReset it\n${url}`);
    // The readers of a note are staff.
    const { post: note } = await desk.staff.create(`/cases/${conversation.id}/notes`, { contents: 'Look', article_ids: [inside.id] });
    assert.ok((await desk.staff.fetch(`/cases/${conversation.id}/notes/${note.id}`)).body_text.includes(inside.helpcenter_url));
  });

  test('parallel writes keep the counters of sections exact', async () => {
    const { desk } = world;
    const [from, to] = [await desk.owner.create('/sections', { titles: 'From', category_id: 1 }), await desk.owner.create('/sections', { titles: 'To', category_id: 1 })];
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => draft({ section_id: (i % 2 ? from : to).id, status: i % 3 ? 'DRAFT' : 'PUBLISHED' })));
    await Promise.all(made.flatMap(({ id }, i) => [
      desk.staff.put(`/articles/${id}`, { section_id: (i % 2 ? to : from).id }), desk.owner.put(`/articles/${id}`, { status: i % 2 ? 'PUBLISHED' : 'DRAFT' }),
    ]));
    await Promise.all(made.slice(0, 4).map(({ id }) => desk.staff.delete(`/articles/${id}`)));
    for (const { id } of [from, to]) {
      const [total, live] = await counts(id);
      const listed = await desk.owner.fetch('/articles', { section_id: id, limit: 100 });
      assert.deepEqual([total, live], [listed.length, listed.filter(({ status }) => status === 'PUBLISHED').length]);
    }
  });

  test('the change log names what changed, without long texts', async () => {
    const { desk } = world;
    const article = await draft({ titles: 'Logged', contents: 'Logged' });
    await desk.staff.update(`/articles/${article.id}`, { titles: 'Other', keywords: 'k', status: 'PUBLISHED', tags: 'logged' });
    const file = (await desk.staff.post('/files', raw('text/plain', 'x'), { query: { _filename: 'a.txt' } })).must(201).data.id;
    await desk.staff.update(`/articles/${article.id}`, { attachment_file_ids: [file] });
    (await desk.staff.delete(`/articles/${article.id}`)).must(200);
    const entries = [], { client } = await desk.person('admin', { agent_case_access: 'SELF' });
    for (let cursor; ;) {
      const { data, body } = (await client.get('/changes', { limit: 1000, ...(cursor && { cursor }) })).must(200);
      entries.push(...data);
      if (data.length < 1000) break;
      cursor = data.at(-1).cursor;
      assert.ok(body);
    }
    const own = entries.filter(({ resource_type: type, resource_id: id }) => type === 'article' && id === article.id);
    assert.deepEqual(own.map(({ action, property, to }) => `${action} ${property} ${property === 'published_at' ? '' : to}`).sort(),
      ['CREATED null null', 'DELETED null null', 'UPDATED attachments null', 'UPDATED keywords k', 'UPDATED published_at ', 'UPDATED status PUBLISHED', 'UPDATED tags logged', 'UPDATED titles null']);
  });
});

test('an article has at most 100 attachments, counted over all requests', async (t) => {
  const desk = await open(t);
  const id = await newArticle(desk);
  const upload = async () => (await desk.owner.post('/files', raw('text/plain', 'x'), { query: { _filename: 'a.txt' } })).must(201).data.id;
  const files = [];
  while (files.length < 100) files.push(await upload());
  (await desk.owner.put(`/articles/${id}`, { attachment_file_ids: files })).must(200);
  (await desk.owner.put(`/articles/${id}`, { attachment_file_ids: [await upload()] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  assert.equal((await desk.owner.fetch(`/articles/${id}/attachments`, { limit: 1000 })).length, 100);
});
