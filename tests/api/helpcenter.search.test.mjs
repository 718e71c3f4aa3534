// Searches of the help center, suggestions, and articles in GET /search: who finds what, synonyms, misspelled words, and bad input.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

// A canary is a word of one article. Nobody but its readers may learn that it exists.
const ANIMALS = { flamingo: 1, pangolin: 2, chinchilla: 3, armadillo: 4, crocodile: 5, barracuda: 6, hummingbird: 7, salamander: 8, dragonfly: 1, woodpecker: 1, porcupine: 1, nightingale: 1 };
const DRAFTS = { dragonfly: 1, woodpecker: 2, nightingale: 1 };
const WRITERS = ['agent', 'crew', 'tagged', 'admin', 'owner'];
const READERS = {
  flamingo: ['anyone', 'customer', 'vip', 'collaborator', ...WRITERS],
  pangolin: ['customer', 'vip', 'collaborator', ...WRITERS],
  chinchilla: ['vip', 'tagged', 'admin', 'owner'],
  armadillo: ['collaborator', ...WRITERS],
  crocodile: ['crew', 'admin', 'owner'],
  barracuda: ['tagged', 'admin', 'owner'],
  hummingbird: [], salamander: [], porcupine: [],
  dragonfly: [], woodpecker: [], nightingale: [], // not published
};
/** GET /search also finds drafts, for writers and for their authors. */
const STAFF_READERS = { ...READERS, dragonfly: WRITERS, woodpecker: WRITERS, nightingale: ['collaborator', ...WRITERS] };
const misspelled = (word) => word.slice(0, 4) + word[5] + word[4] + word.slice(6);

/** Waits until the index has an article with the word. It must be new: the snapshot of a reader may be older than the rows and the job, because another program wrote them. */
async function indexed(desk, word = 'flamingo') {
  await until('the articles are indexed', async () => {
    desk.clock.write(desk.clock.now + 1000);
    const { data, body } = (await desk.anyone.get('/helpcenter/search', { query: word })).must(200);
    return body.logs === undefined && data.length > 0;
  });
}

const article = (id, section, status, title, contents, more = {}) => `INSERT INTO articles (id, uuid, section_id, status, author_id, keywords, is_featured, allow_comments, sort_order, rank, created_at, updated_at, deleted_at)
    VALUES (${id}, 'uuid-${id}', ${section}, ${status}, ${more.author ?? 'NULL'}, ${more.keywords ? `'${more.keywords}'` : 'NULL'}, 0, 1, ${id}, ${more.rank ?? 0}, 1000, 2000, ${more.deleted ? 3000 : 'NULL'});
  INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) VALUES (11, ${id}, '${more.locale ?? 'en-us'}', '${title}', 1, 1), (12, ${id}, '${more.locale ?? 'en-us'}', '${contents}', 1, 1);`;
const JOB = "INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_search', 1, '{}', 0, 0, 0, 0);";
const section = (id, visibility, more = {}) => `INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, created_at, updated_at, deleted_at)
  VALUES (${id}, ${more.category ?? 1}, ${visibility}, 1, ${id}, 1, 1, ${more.deleted ? 3000 : 'NULL'});`;

describe('a help center with an article for each kind of reader', () => {
  let desk, team;
  const callers = {}, ids = Object.fromEntries(Object.keys(ANIMALS).map((name, i) => [name, i + 1]));
  const search = async (who, query, more = {}) => (await who.get('/helpcenter/search', { query, limit: 100, ...more })).must(200);
  const suggest = async (who, query) => (await who.get('/helpcenter/search/suggestions', { query })).must(200);
  const found = (reply) => reply.data.map((hit) => hit.original.id).sort((a, b) => a - b);

  shared(async (world) => {
    desk = world.desk;
    team = await desk.owner.create('/teams', { title: 'Crew' });
    const vip = await desk.person('customer', { tags: ['vip'] }), crew = await desk.person('agent', { team_ids: [team.id] }), tagged = await desk.person('agent', { tags: ['vip'] });
    Object.assign(callers, { anyone: desk.anyone, customer: desk.customer, vip: vip.client, collaborator: desk.as('collaborator'), agent: desk.staff, crew: crew.client, tagged: tagged.client, admin: desk.admin, owner: desk.owner });
    const helper = (await callers.collaborator.get('/me')).must(200).data.id;
    sql(desk, [
      'INSERT INTO categories (id, display_order, created_at, updated_at, deleted_at) VALUES (50, 5, 1, 1, 3000);',
      section(1, 1), section(2, 2), section(3, 2), section(4, 3), section(5, 3), section(6, 3), section(7, 1, { deleted: true }), section(8, 1, { category: 50 }),
      `INSERT INTO section_tags (section_id, tag_id) SELECT s.id, t.id FROM sections s CROSS JOIN tags t WHERE s.id IN (3, 6) AND t.name_key = 'vip';`,
      `INSERT INTO section_teams (section_id, team_id) VALUES (5, ${team.id});`, `UPDATE sections SET is_limited_to_teams = 1 WHERE id = 5;`,
      ...Object.entries(ANIMALS).map(([name, where]) => article(ids[name], where, DRAFTS[name] ?? 3, `About the ${name}`, `<p>The <b>${name}</b> eats <em>plants</em> &amp; more.</p>`,
        { deleted: name === 'porcupine', keywords: `${name}food`, author: name === 'nightingale' ? helper : undefined })),
      JOB,
    ].join('\n'));
    await indexed(desk);
  });

  test('each caller finds exactly the published articles of visible sections', async () => {
    for (const [caller, client] of Object.entries(callers)) {
      const seen = Object.keys(READERS).filter((name) => READERS[name].includes(caller)).map((name) => ids[name]);
      assert.deepEqual(found(await search(client, 'plants')), seen, caller);
      assert.deepEqual(found(await suggest(client, 'about th')), seen, caller);
    }
  });

  test('POST /helpcenter/search/articles gives the same reply, with the words in the body', async () => {
    for (const [caller, client] of Object.entries(callers)) for (const query of ['plants', 'flamigno', 'zzzyzzyva']) for (const locale of [undefined, 'de']) {
      const posted = (await client.post('/helpcenter/search/articles', { query, locale }, { query: { limit: 100 } })).must(200).body;
      const { data, total_count, logs, resource } = (await search(client, query, locale ? { locale } : {})).body;
      assert.deepEqual([posted.data, posted.total_count, posted.logs, posted.resource], [data, total_count, logs, resource], `${caller} ${query}`);
    }
    const page = (await desk.owner.post('/helpcenter/search/articles', { query: 'plants' }, { query: { limit: 2, offset: 1 } })).must(200).body;
    assert.deepEqual([page.data.length, page.limit, page.offset], [2, 2, 1]);
    for (const [body, code] of [[{}, 'FIELD_REQUIRED'], [{ query: '' }, 'FIELD_EMPTY']]) (await desk.anyone.post('/helpcenter/search/articles', body)).refused(400, code, 'query');
    (await desk.anyone.post('/helpcenter/search/articles', { query: 'a', locale: 'xx' })).refused(400, 'FIELD_INVALID', 'locale');
    (await desk.anyone.post('/helpcenter/search/articles', { query: 'a', in: 'USERS' })).refused(400, 'FIELD_INVALID', 'in');
  });

  test('a whole word is also a prefix of itself', async () => {
    const whole = found(await search(desk.anyone, 'plants'));
    assert.ok(whole.length > 0);
    assert.deepEqual([found(await search(desk.anyone, 'plants*')), found(await search(desk.anyone, 'plant*'))], [whole, whole]);
  });

  test('a word of a hidden article is answered like a word of no article, also misspelled, as a prefix and in a sentence', async () => {
    const forms = (word) => [word, misspelled(word), `"${word} eats"`, `${word.slice(0, -1)}*`, `${word}food`, `does the ${word} eat plants`, `flamingo ${misspelled(word)}`];
    for (const [caller, client] of Object.entries(callers).filter(([name]) => ['anyone', 'vip', 'collaborator', 'crew', 'owner'].includes(name))) {
      const none = await Promise.all(forms('zzzyzzyva').map((query) => search(client, query)));
      for (const [word, readers] of Object.entries(READERS)) {
        for (const [i, query] of forms(word).entries()) {
          const reply = await search(client, query);
          if (readers.includes(caller)) assert.ok(found(reply).includes(ids[word]), `${caller} does not find ${query}: ${reply}`);
          else assert.deepEqual([reply.data, reply.body.total_count, reply.body.logs], [none[i].data, none[i].body.total_count, none[i].body.logs], `${caller} learns of ${query}`);
        }
        for (const query of [word, word.slice(0, 3), `about the ${word.slice(0, 5)}`]) {
          const reply = await suggest(client, query);
          assert.deepEqual(found(reply), readers.includes(caller) ? [ids[word]] : [], `${caller}, ${query}: ${reply}`);
        }
      }
    }
  });

  test('a misspelled word finds the right one, and the reply says so', async () => {
    const reply = await search(desk.anyone, 'flamigno');
    reply.notes('Showing results for `flamingo`.');
    assert.deepEqual(found(reply), [ids.flamingo]);
    for (const query of ['flaming', 'flamigo', 'falmingo', 'xlamingo', 'flamingoo', 'flamxngx', 'famngo']) assert.deepEqual(found(await search(desk.anyone, query)), query === 'famngo' ? [] : [ids.flamingo], query);
    for (const query of ['"flamigno"', 'flamigno*', 'fl']) assert.deepEqual(found(await search(desk.anyone, query)), [], query);
    assert.deepEqual(found(await search(desk.customer, 'flamigno pangolni')), [ids.flamingo, ids.pangolin], 'no article has both');
  });

  test('an item has the members of the specification, and its snippet is safe', async () => {
    const [hit] = (await search(desk.anyone, 'plants')).data;
    assert.deepEqual(Object.keys(hit), ['uuid', 'title', 'contents', 'link', 'original', 'created_at', 'updated_at']);
    assert.equal(hit.contents, 'The flamingo eats <em>plants</em> &amp; more.');
    assert.equal(hit.link, `${desk.base}/helpcenter/en-us/articles/1-about-the-flamingo`);
    assert.deepEqual(hit.original, { id: 1, resource_type: 'article' });
    assert.equal((await search(desk.anyone, 'plants')).body.resource, 'search');
    assert.deepEqual(Object.keys((await suggest(desk.anyone, 'fl')).data[0]), ['title', 'link', 'original']);
  });

  test('GET /search finds articles for staff, drafts only for writers and their authors', async () => {
    for (const caller of ['collaborator', ...WRITERS]) {
      for (const [word, readers] of Object.entries(STAFF_READERS)) {
        for (const more of [{}, { resources: 'ARTICLES' }, { query: `in:articles ${word}` }]) {
          const { data, body } = (await callers[caller].get('/search', { query: word, ...more })).must(200);
          assert.deepEqual([data.map((r) => `${r.resource} ${r.id}`), body.total_count], readers.includes(caller) ? [[`article ${ids[word]}`], 1] : [[], 0], `${caller} ${word}`);
        }
      }
    }
    const [hit] = (await desk.owner.get('/search', { query: 'flamingo' })).must(200).data;
    assert.deepEqual([hit.title, hit.snippet, hit.data], ['About the flamingo', 'The <em>flamingo</em> eats plants &amp; more.', { id: 1, resource_type: 'article' }]);
    assert.match(hit.resource_url, /\/api\/v1\/articles\/1$/);
    assert.deepEqual((await desk.owner.get('/search', { query: 'flamingo', resources: 'CASES,USERS,ORGANIZATIONS' })).must(200).data, []);
    for (const who of [desk.anyone, desk.customer]) assert.ok([401, 403].includes((await who.get('/search', { query: 'flamingo' })).status));
  });

  test('arguments are checked', async () => {
    for (const path of ['/helpcenter/search', '/helpcenter/search/suggestions']) {
      (await desk.anyone.get(path, { query: 'a'.repeat(1001) })).refused(400, 'FIELD_INVALID', 'query');
      (await desk.anyone.get(path, { query: 'a '.repeat(33) })).refused(400, 'FIELD_INVALID', 'query');
      (await desk.anyone.get(path, { query: 'a', locale: 'xx-yy' })).refused(400, 'FIELD_INVALID', 'locale');
      (await desk.anyone.get(path, { query: 'a', brand_id: -1 })).refused(400, 'FIELD_INVALID', 'brand_id');
      for (const query of ['""', '" "', '-', '*', '-*', '\u202e\u2066', '" OR 1=1 --', 'NEAR(a b)', '\u00bd', '\ud83d\ude00', 'a'.repeat(1000), 'status:open', '"\'"', '%', 'a/b', '-plants'])
        assert.deepEqual(found((await desk.anyone.get(path, { query })).must(200)), [], `${path} ${query}`);
    }
    (await desk.anyone.get('/helpcenter/search')).refused(400, 'FIELD_REQUIRED', 'query');
    (await desk.anyone.get('/helpcenter/search', { query: 'a', in: 'cases' })).refused(400, 'FIELD_INVALID', 'in');
    (await search(desk.anyone, '""')).notes('The search has no word.');
    assert.deepEqual(found(await search(desk.anyone, 'flamingo', { in: 'articles' })), [ids.flamingo]);
    assert.deepEqual(found(await search(desk.anyone, 'flamin\u202ego')), [], 'a bidi mark divides words');
    assert.deepEqual((await desk.anyone.get('/helpcenter/search/suggestions')).must(200).data, []);
  });

  test('a page has its items, and the total counts all', async () => {
    const all = (await search(desk.owner, 'plants')).data.map((hit) => hit.original.id);
    const { data, body } = await search(desk.owner, 'plants', { offset: 2, limit: 2 });
    assert.deepEqual([data.map((hit) => hit.original.id), body.total_count], [all.slice(2, 4), all.length]);
    assert.deepEqual([(await search(desk.owner, 'plants', { offset: 100 })).data, body.total_count], [[], 6]);
  });

  test('synonyms find each other, and bad synonyms are refused', async () => {
    const put = (value) => desk.owner.put('/settings', { values: { 'helpcenter.synonyms': value } });
    (await put('flamingo, pink bird, wader\nfood, plants')).must(200);
    for (let i = 0; i < 4; i++) await until('all processes have the synonyms', async () => found(await search(desk.anyone, 'wader')).length === 1);
    for (const query of ['wader', 'pink bird', 'Waders', '"flamingo"', 'wader food']) assert.deepEqual(found(await search(desk.anyone, query)), [ids.flamingo], query);
    for (const query of ['pink', 'bird pink', '"wader"']) assert.deepEqual(found(await search(desk.anyone, query)), [], query);
    for (const value of ['alone', 'a, b\nalone', 'a, b c d e f', Array.from({ length: 11 }, (_, i) => `w${i}`).join(','), 'a,a\n'.repeat(201)])
      (await put(value)).refused(400, 'FIELD_INVALID', 'values/helpcenter.synonyms');
    (await put('flamigno, heron\nwader, pangolni\nflamingo, crane')).must(200);
    for (let i = 0; i < 4; i++) await until('all processes have the other synonyms', async () => found(await search(desk.anyone, 'crane')).length === 1);
    for (const query of ['flamigno', 'heron', 'pangolni']) assert.deepEqual(found(await search(desk.anyone, query)), [], `${query} has a synonym, so it is no misspelled word`);
    assert.deepEqual(found(await search(desk.anyone, 'flamigo')), [ids.flamingo], 'another spelling is corrected');
    (await put('')).must(200);
    await until('all processes have the new synonyms', async () => found(await search(desk.anyone, 'wader')).length === 0);
  });
});

describe('a help center in several locales and brands', () => {
  let desk, brand;
  const titles = async (query, more) => (await desk.anyone.get('/helpcenter/search', { query, ...more })).must(200).data.map((hit) => hit.title);
  const suggested = async (query, more) => (await desk.anyone.get('/helpcenter/search/suggestions', { query, ...more })).must(200).data.map((hit) => hit.title);

  shared(async (world) => {
    desk = world.desk;
    brand = await desk.owner.create('/brands', { name: 'Second', sub_domain: 'second' });
    sql(desk, [
      `INSERT INTO categories (id, brand_id, display_order, created_at, updated_at) VALUES (60, ${brand.id}, 5, 1, 1), (61, NULL, 6, 1, 1);`,
      section(1, 1), section(2, 1, { category: 60 }), section(3, 1, { category: 61 }),
      article(1, 1, 3, 'The flamingo', '<p>It runs and flies.</p>'),
      "INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) VALUES (11, 1, 'de', 'Die Häuser des Flamingos', 1, 1), (12, 1, 'de', '<p>Er baut Nester.</p>', 1, 1);",
      article(2, 2, 3, 'Marken', '<p>Der Inhalt der zweiten Marke</p>', { locale: 'de' }),
      article(3, 3, 3, 'Nests of birds', '<p>Birds build nests.</p>', { rank: 5 }), article(4, 1, 3, 'Nestlings', '<p>They run.</p>', { rank: 50 }),
      JOB,
    ].join('\n'));
    await indexed(desk);
  });

  test('an article is searched and shown in the requested locale, with the stems of its language', async () => {
    assert.deepEqual(await titles('haus', { locale: 'de' }), ['Die Häuser des Flamingos']);
    assert.deepEqual(await titles('nest', { locale: 'de' }), ['Nests of birds', 'Nestlings', 'Die Häuser des Flamingos'], 'a title counts more');
    assert.deepEqual(await titles('running', { locale: 'en-us' }), ['Nestlings', 'The flamingo'], 'the newest of equal ones first');
    assert.deepEqual(await titles('hauser'), [], 'the German text is not shown to readers of English');
    assert.deepEqual(await titles('running', { locale: 'de' }), [], 'English words have no stem for a reader of German');
    assert.deepEqual(await titles('hauser', { locale: 'DE' }), ['Die Häuser des Flamingos']);
    assert.deepEqual(await suggested('hau', { locale: 'de' }), ['Die Häuser des Flamingos']);
    assert.deepEqual(await suggested('hau'), []);
  });

  test('an article without the requested locale is found in the one that is shown', async () => {
    assert.deepEqual(await titles('birds', { locale: 'fr' }), ['Nests of birds']);
    assert.deepEqual(await titles('inhalt', { locale: 'fr' }), ['Marken']);
  });

  test('a search in a brand finds its articles and those of all brands', async () => {
    assert.deepEqual(await titles('inhalt', { brand_id: brand.id }), ['Marken']);
    assert.deepEqual(await titles('birds', { brand_id: brand.id }), ['Nests of birds']);
    assert.deepEqual(await titles('inhalt', { brand_id: 1 }), []);
    assert.deepEqual(await suggested('mark', { brand_id: 1 }), []);
    assert.deepEqual(await suggested('mark', { brand_id: brand.id }), ['Marken']);
  });

  test('suggestions have whole words before the last one, and the popular ones come first', async () => {
    assert.deepEqual(await suggested('nest'), ['Nestlings', 'Nests of birds']);
    assert.deepEqual(await suggested('nests'), ['Nests of birds']);
    assert.deepEqual(await suggested('bird n'), ['Nests of birds']);
    assert.deepEqual(await suggested('nest birds'), ['Nests of birds']);
    assert.deepEqual(await suggested('nes'), ['Nestlings', 'Nests of birds']);
    assert.deepEqual(await suggested('run'), [], 'contents are not suggested');
  });

  test('a sentence suggests the articles whose titles have most of its rare words', async () => {
    assert.deepEqual(await suggested('How do I build nests for my birds'), ['Nests of birds']);
    assert.deepEqual(await suggested('nes birds'), ['Nests of birds'], 'only the last word may be a beginning');
    assert.deepEqual(await suggested('where did my nests go'), ['Nests of birds']);
    assert.deepEqual(await suggested('I have a question about my invoice'), []);
  });

  test('the last word of a search is also the beginning of a word', async () => {
    assert.deepEqual(await titles('bir'), ['Nests of birds']);
    assert.deepEqual(await titles('nests bir'), ['Nests of birds']);
    assert.deepEqual(await titles('bi'), [], 'from three letters on');
    for (const query of ['"bir"', 'bir nothingofthesort', '-bir']) assert.ok(!(await titles(query)).includes('Nests of birds'), query);
  });

  test('suggestions name an article once, leave out titles that lack a word, and take the rarest words of a long sentence', async () => {
    const many = Array.from({ length: 120 }, (_, i) => article(100 + i, 1, 1, 'Quagga', '<p>-</p>'));
    const pairs = ['Alpaca', 'Badger', 'Caiman', 'Dingo'].flatMap((name, i) => [0, 1].map((k) => article(310 + 2 * i + k, 1, 3, `${name} ${k}`, '<p>-</p>')));
    const zorillas = [article(301, 1, 3, 'Zorilla alone', '<p>-</p>'), article(302, 1, 3, 'Zorilla with quagga', '<p>-</p>')];
    sql(desk, [article(99, 1, 3, 'Quagga among quaggas', '<p>-</p>'), ...many, article(300, 1, 3, 'Quaggas beside a quagga', '<p>-</p>'), ...zorillas, ...pairs, article(330, 1, 3, 'Echidna', '<p>-</p>'), JOB].join('\n'));
    await indexed(desk, 'echidna');
    assert.deepEqual((await suggested('quag')).sort(), ['Quagga among quaggas', 'Quaggas beside a quagga', 'Zorilla with quagga'], 'the drafts come between the rows of one title');
    assert.deepEqual(await suggested('quagga zorilla'), ['Zorilla with quagga']);
    assert.equal((await suggested('alpaca badger caiman dingo echidna'))[0], 'Echidna');
  });
});

describe('articles that are written by the API', () => {
  let desk;
  shared((world) => { desk = world.desk; });
  const found = async (query, who = desk.anyone, more = {}) => (await who.get('/helpcenter/search', { query, ...more })).must(200).data.map((hit) => hit.title);
  const write = async (more = {}) => {
    const section = await desk.owner.create('/sections', { titles: [{ locale: 'en-us', translation: 'Birds' }], category_id: 1, visibility: 'PUBLIC' });
    const made = await desk.owner.create('/articles', { titles: [{ locale: 'en-us', translation: 'Herons' }], contents: [{ locale: 'en-us', translation: '<p>They <b>wade</b>.</p>' }], section_id: section.id, status: 'PUBLISHED', ...more });
    return { section, id: made.id, path: `/articles/${made.id}` };
  };

  test('the beginning of a word is not taken for a misspelled one', async () => {
    await write({ titles: 'Ospreys', contents: '<p>An osprey feeds its nestlings in the nest.</p>' });
    const reply = (await desk.anyone.get('/helpcenter/search', { query: 'opsrey nestl' })).must(200).notes('Showing results for `osprey nestl`.');
    assert.deepEqual(reply.data.map((hit) => hit.title), ['Ospreys']);
    (await desk.anyone.get('/helpcenter/search', { query: 'nestl opsrey' })).must(200).notes('Showing results for `');
    await write({ titles: 'Ospreys and people', contents: '<p>A plumber eats plums beside an osprey.</p>' });
    (await desk.anyone.get('/helpcenter/search', { query: 'opsrey plumb' })).must(200).notes('Showing results for `osprey plumb`.'); // "plumb" is no stem
  });

  test('suggestions for a sentence are ranked by their rare words, and leave out titles with few of them', async () => {
    const suggested = async (query) => (await desk.anyone.get('/helpcenter/search/suggestions', { query })).must(200).data.map((hit) => hit.title);
    const titles = ['Plumage of the ibis in winter', 'Plumage of the crane', 'Winter plumage', 'Feeding the ibis', 'Feeding the crane', 'The winter', 'The plumage of pelicans'];
    for (const title of titles) await write({ titles: title, contents: '<p>The text.</p>' });
    assert.deepEqual(await suggested('why does the plumage of my ibis change in winter now'), ['Plumage of the ibis in winter', 'Winter plumage']);
    assert.deepEqual(await suggested('where is the pelicans house'), ['The plumage of pelicans'], 'the word "the" alone suggests nothing');
    assert.deepEqual(await suggested('where is a pelican house'), ['The plumage of pelicans'], 'a word is found by its stem alone');
    assert.deepEqual((await suggested('my feeding of cranes failed yesterday'))[0], 'Feeding the crane', 'endings do not matter');
    assert.deepEqual(await suggested('the the the'), await suggested('the'));
    assert.deepEqual(await suggested('how do they know'), []);
  });

  test('a result that lacks words has half of the weight of the best one, and a word of many results weighs little', async () => {
    for (const titles of ['A warbler', ...[1, 2, 3, 4, 5].map((i) => `Tune ${i}`)]) await write({ titles, contents: '<p>The text.</p>' });
    assert.deepEqual(await found('warbler tunes'), ['A warbler'], 'log(1 + 7/5) is less than half of log(1 + 7/1)');
  });

  test('operators are words in a search of the help center, and a notice says so', async () => {
    const manual = await write({ titles: 'Filters', contents: '<p>Type status:open or is:new.</p>' });
    for (const query of ['status:open', 'is:new', 'status:open is:new']) {
      const reply = (await desk.anyone.get('/helpcenter/search', { query })).must(200).notes(`\`${query.split(':')[0]}:\` is searched as text`);
      assert.deepEqual(reply.data.map((hit) => hit.original.id), [manual.id], query);
    }
    for (const query of ['status:closed', 'in:users', 'created>2020-01-01', 'tag:vip', '-status:open type'])
      assert.ok(!(await desk.anyone.get('/helpcenter/search', { query })).must(200).data.some((hit) => hit.original.id === manual.id && !/type/.test(query)), query);
    assert.deepEqual((await desk.anyone.get('/helpcenter/search', { query: '-status:open type' })).must(200).data, [], 'the words are excluded');
  });

  test('each change of a text is found at once', async () => {
    const { path } = await write({ keywords: 'egret', tags: ['fisher'] });
    for (const query of ['heron', 'wading', 'egrets', 'fisher']) assert.deepEqual(await found(query), ['Herons'], query);
    assert.deepEqual((await desk.anyone.get('/helpcenter/search/suggestions', { query: 'her' })).must(200).data.map((hit) => hit.title), ['Herons']);
    await desk.owner.update(path, { titles: [{ locale: 'en-us', translation: 'Storks' }, { locale: 'de', translation: 'Störche' }], contents: [{ locale: 'en-us', translation: '<p>They fly.</p>' }, { locale: 'de', translation: '<p>Sie fliegen.</p>' }] });
    for (const query of ['heron', 'wading']) assert.deepEqual(await found(query), [], query);
    assert.deepEqual([await found('stork'), await found('storch', desk.anyone, { locale: 'de' })], [['Storks'], ['Störche']]);
    assert.deepEqual((await desk.anyone.get('/helpcenter/search/suggestions', { query: 'her' })).must(200).data, []);
    await desk.owner.update(path, { keywords: 'ciconia', tags: ['nester'] });
    for (const query of ['egret', 'fisher']) assert.deepEqual(await found(query), [], query);
    for (const query of ['ciconia', 'nester']) assert.deepEqual(await found(query), ['Storks'], query);
    await desk.owner.update(path, { titles: [{ locale: 'de', translation: 'Weißstörche' }], contents: [{ locale: 'de', translation: '<p>Sie klappern.</p>' }] });
    assert.deepEqual([await found('stork'), await found('storks'), await found('klappern', desk.anyone, { locale: 'de' })], [[], [], ['Weißstörche']]);
    (await desk.owner.delete(path)).must(200);
    assert.deepEqual([await found('klappern', desk.owner, { locale: 'de' }), (await desk.owner.get('/search', { query: 'klappern' })).must(200).data], [[], []]);
  });

  test('drafts, visibility and deleted sections count at once, without a change of the index', async () => {
    const { section, path } = await write({ status: 'DRAFT', contents: [{ locale: 'en-us', translation: '<p>Cormorants dive.</p>' }] });
    assert.deepEqual(await found('cormorant'), []);
    await desk.owner.update(path, { status: 'PUBLISHED' });
    assert.deepEqual(await found('cormorant'), ['Herons']);
    await desk.owner.update(`/sections/${section.id}`, { visibility: 'AUTHORIZED' });
    assert.deepEqual([await found('cormorant'), await found('cormorantt'), await found('cormorant', desk.customer)], [[], [], ['Herons']]);
    (await desk.owner.delete(`/sections/${section.id}`)).must(200);
    assert.deepEqual([await found('cormorant', desk.customer), await found('cormorant', desk.owner)], [[], []]);
  });

  test('a search is in the insights, with its results', async () => {
    await write({ contents: [{ locale: 'en-us', translation: '<p>Bitterns boom.</p>' }] });
    for (const query of [...Array(5).fill('bittern'), 'Bittern ', ...Array(6).fill('zzzz'), '']) await desk.anyone.get('/helpcenter/search', { query });
    await until('all processes have written their counts', async () => {
      desk.clock.write(desk.clock.now + 20_000);
      const { popular_searches, failed_searches } = (await desk.owner.get('/insights/helpcenter/search')).must(200).data;
      return popular_searches.some((s) => /^bittern$/i.test(s.name) && s.attempt_count === 6 && s.average_result_count === 1) && failed_searches.some((s) => s.name === 'zzzz' && s.attempt_count === 6);
    });
  });
});
