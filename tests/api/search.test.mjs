// Search (docs/SEARCH.md): one corpus and what each search finds in it. Both engines run this file.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';

/** [subject, first message, further posts: a text is a message of staff, {note} a note] */
const CORPUS = {
  stall: ['The engine stalls', 'It stops after ten turns. The card reads "Refunding is possible".', 'Have you tried turning it backwards?'],
  refund: ['Refund for order INV-2021/03', 'I would like my money back, please.', { note: 'Customer is upset: escalate to Änne Müller.' }],
  cafe: ['Opening hours', 'Is the café in the Straße open on Sundays? My naïve plan was Zürich.'],
  greek: ['Παράδοση', 'Η παραγγελία μου δεν έφτασε στην Αθήνα.'],
  russian: ['Возврат', 'Деньги не вернулись на карту, ёлка не пришла.'],
  japanese: ['配送について', '東京都に住んでいます。荷物が届きません。'],
  korean: ['배송 문의', '학교에서 주문한 책이 오지 않았습니다.'],
  mail: ['Address change', 'Please write to jane.doe+desk@mail.example.com, not to old@mail.example.com.'],
  html: ['<b>Angle</b> & brackets', 'Compare i < k && "x" > \'y\' with <script>alert(x)</script> gears.'],
  long: ['Long words', `${'x'.repeat(70)} ends here, ${'ü'.repeat(40)} too.`],
  machine: ['Washing machines', 'Machines wash. The university and the universe differ. Old machines wash, too.'],
};

describe('search', () => {
  const id = {}, nameOf = {};
  let desk, ben;

  shared(async (world) => {
    desk = world.desk;
    for (const [name, [subject, contents, ...posts]] of Object.entries(CORPUS)) {
      const made = await desk.staff.create('/cases', { subject, contents, requester_id: desk.people.customer.id });
      id[name] = made.id;
      nameOf[`case ${made.id}`] = name;
      for (const post of posts)
        (await desk.staff.post(`/cases/${made.id}/reply`, post.note ? { contents: post.note, channel: 'NOTE' } : { contents: post })).must(201);
    }
    ben = await desk.person('customer', { full_name: 'Benoît Quäck', email: 'benoit@quack.example' });
    nameOf[`user ${ben.id}`] = 'ben';
    const pond = await desk.owner.create('/organizations', { name: 'Duck Pond Ltd', domains: 'pond.example' });
    nameOf[`organization ${pond.id}`] = 'pond';
    id.pond = pond.id;
  });

  const search = async (query, more = {}, who = desk.staff) => (await who.get('/search', { query, limit: 100, ...more })).must(200);
  const found = async (query, more) => (await search(query, more)).data.map((r) => nameOf[`${r.resource} ${r.id}`] ?? `${r.resource} ${r.id}`).sort();
  const finds = async (query, ...names) => assert.deepEqual(await found(query), names.sort(), query);

  test('words are found in any letter case, with and without accents and endings', async () => {
    await finds('engine', 'stall');
    await finds('ENGINES stalled', 'stall');
    await finds('cafe strasse', 'cafe');
    await finds('CAFÉ Straße', 'cafe');
    await finds('naive zurich', 'cafe');
    await finds('muller', 'refund');
    await finds('Müller', 'refund');
    await finds('αθηνα', 'greek');
    await finds('ΠΑΡΑΓΓΕΛΊΑ', 'greek');
    await finds('ДЕНЬГИ', 'russian');
    await finds('елка', 'russian');
    await finds('machine', 'machine');
  });

  test('all words must be in one conversation, in any of its texts', async () => {
    await finds('engine backwards', 'stall');
    await finds('order money upset', 'refund');
    await finds('engine money');
    await finds('-engine stops');
    await finds('refund', 'refund', 'stall');
    await finds('refund -engine', 'refund');
    await finds('refund -"money back"', 'stall');
  });

  test('an operator with excluded words alone finds the other conversations', async () => {
    const all = await found('is:new'), without = (...names) => all.filter((name) => !names.includes(name));
    assert.ok(all.length > 5, all.join());
    assert.deepEqual(await found('is:new -engine'), without('stall'));
    assert.deepEqual(await found('is:new -engine -order'), without('stall', 'refund'));
  });

  test('a state that does not exist finds nothing, and its exclusion excludes nothing', async () => {
    for (const operator of ['is:nonsense', 'has:nonsense']) {
      assert.deepEqual(await found(`engine ${operator}`), [], operator);
      assert.deepEqual(await found(`engine -${operator}`), ['stall'], operator);
      (await search(`engine ${operator}`)).notes(`There is no \`${operator}\`.`);
    }
  });

  test('a phrase is these words in this order', async () => {
    await finds('"ten turns"', 'stall');
    await finds('"turns ten"');
    await finds('"after ten turns"', 'stall');
    await finds('“money back”', 'refund');
    await finds('"engine" "backwards"', 'stall');
    await finds('"engines"');
    await finds('"stalls it"');
  });

  test('word* finds words that begin so', async () => {
    await finds('eng*', 'stall');
    await finds('engine*', 'stall');
    await finds('refundi*', 'stall');
    await finds('mach* wash*', 'machine');
    await finds('univers*', 'machine');
    await finds('zür*', 'cafe');
  });

  test('the last word is also the beginning of a word, from three letters on', async () => {
    await finds('eng', 'stall');
    await finds('turning backw', 'stall');
    await finds('mach', 'machine');
    await finds('zür', 'cafe');
    await finds('παρα', 'greek');
    await finds('qua', 'ben');
    await finds('pon', 'pond');
    await finds('engine tur is:open', 'stall');
    await finds('en');
    for (const query of ['mach washing', '"mach"', '-wash -mach', '202', 'inv-20', 'jane.doe@mail']) await finds(query);
    assert.match((await search('refundi')).data[0].snippet, /<em>Refunding<\/em>/);
  });

  test('a text with the whole word comes before texts with words that begin so', async () => {
    await desk.staff.create('/cases', { subject: 'Univers typeface', contents: 'Which licence?', requester_id: desk.people.customer.id });
    const { data } = await search('univers');
    assert.deepEqual(data.map((r) => r.title), ['Univers typeface', 'Washing machines']);
  });

  test('codes, numbers and e-mail addresses are found whole and in parts', async () => {
    await finds('INV-2021/03', 'refund');
    await finds('inv-2021', 'refund');
    await finds('2021/03', 'refund');
    await finds('03/2021');
    await finds('jane.doe+desk@mail.example.com', 'mail');
    await finds('JANE.DOE+DESK@mail.example.com', 'mail');
    await finds('doe+desk@mail.example.com');
    await finds('jane.d*', 'mail');
    await finds('old@mail.example.com', 'mail');
    await finds(`#${id.stall}`, 'stall');
  });

  test('scripts without blanks are found by any part', async () => {
    await finds('東京', 'japanese');
    await finds('京都', 'japanese');
    await finds('東京都', 'japanese');
    await finds('都京');
    await finds('東', 'japanese');
    await finds('荷物が届き', 'japanese');
    await finds('학교', 'korean');
    await finds('주문한 책', 'korean');
  });

  test('words are compared by their first 64 bytes', async () => {
    await finds('x'.repeat(70), 'long');
    await finds('x'.repeat(64), 'long');
    await finds(`${'x'.repeat(63)} ends`);
    await finds('ü'.repeat(40), 'long');
  });

  test('people and organizations are found by names and addresses', async () => {
    await finds('benoit', 'ben');
    await finds('quack', 'ben');
    await finds('benoit@quack.example', 'ben');
    await finds('quack.ex*', 'ben');
    await finds('pond.example', 'pond');
    await finds('duck pond', 'pond');
    assert.deepEqual(await found('benoit', { resources: 'CASES' }), []);
    assert.deepEqual(await found('benoit', { resources: 'USERS,ORGANIZATIONS' }), ['ben']);
    assert.deepEqual(await found('engine', { resources: 'ARTICLES' }), []);
    await finds('in:users quack', 'ben');
    await finds('in:cases quack');
    await finds('in:organizations duck', 'pond');
  });

  test('in: names the texts', async () => {
    await finds('in:subject engine', 'stall');
    await finds('in:messages engine');
    await finds('in:notes escalate', 'refund');
    await finds('in:messages escalate');
    await finds('in:users,messages quack', 'ben');
    await finds('-in:notes escalate');
    await finds('-in:subject refund', 'stall');
    await finds('-in:users,organizations quack');
    await finds('-in:cases quack', 'ben');
  });

  test('a result has a title, a marked snippet, a relevance, a reference and an address', async () => {
    const { body, data: [result] } = await search('backwards');
    assert.equal(body.resource, 'result');
    assert.deepEqual(Object.keys(result), ['id', 'title', 'snippet', 'relevance', 'resource', 'data', 'resource_url', 'created_at']);
    assert.deepEqual([result.id, result.title, result.resource], [id.stall, 'The engine stalls', 'case']);
    assert.equal(result.snippet, 'Have you tried turning it <em>backwards</em>?');
    assert.deepEqual(result.data, { id: id.stall, resource_type: 'case' });
    assert.ok(result.relevance > 0 && result.relevance <= 1);
    (await desk.staff.exchange('GET', new URL(result.resource_url).pathname)).must(200);
    const full = (await search('backwards', { include: 'case' })).data[0].data;
    assert.deepEqual([full.subject, full.resource_type], ['The engine stalls', 'case']);
  });

  test('a snippet is of the text, not of the stems, and is escaped', async () => {
    const snippet = async (query) => (await search(query)).data[0].snippet;
    assert.match(await snippet('refund card'), /The <em>card<\/em> reads &quot;<em>Refunding<\/em> is possible&quot;/);
    assert.match(await snippet('script gears'), /with &lt;<em>script<\/em>&gt;alert\(x\)&lt;\/<em>script<\/em>&gt; <em>gears<\/em>/);
    assert.match(await snippet('"ten turns"'), /after <em>ten turns<\/em>\./);
    assert.equal(await snippet('"old machines"'), 'Machines wash. The university and the universe differ. <em>Old machines</em> wash, too.', 'the end of a phrase is no phrase');
    assert.match(await snippet('東京都'), /<em>東京都<\/em>に住/);
    assert.match(await snippet('jane.doe+desk@mail.example.com'), /to <em>jane.doe\+desk@mail.example.com<\/em>, not/);
    assert.equal(await snippet('angle'), `&lt;b&gt;<em>Angle</em>&lt;/b&gt; &amp; brackets #${id.html}`, 'of a subject, with the number of its conversation');
  });

  test('a word in the subject counts more than one in a message', async () => {
    assert.deepEqual((await search('refund')).data.map((r) => r.id), [id.refund, id.stall]);
  });

  test('pages have a total and addresses', async () => {
    const all = (await search('refund')).data.map((r) => r.id);
    const first = await search('refund', { limit: 1 }), second = await search('refund', { limit: 1, offset: 1 });
    assert.deepEqual([first.body.total_count, second.body.total_count], [2, 2]);
    assert.deepEqual([...first.ids, ...second.ids], all);
    assert.match(first.body.next_url, /offset=1/);
    assert.deepEqual((await search('refund', { limit: 1, offset: 7 })).data, []);
    assert.equal(first.body.logs, undefined);
  });
});
