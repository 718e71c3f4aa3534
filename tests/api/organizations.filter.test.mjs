import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, form, multipart, open, proposition as p, shared, until } from './lib/index.mjs';

const FIELDS = ['organizations.name', 'tags.name', 'organizations.conversationaccess', 'organizations.createdat_relative_past', 'organizations.createdat_absolute',
  'organizations.updatedat_relative_past', 'organizations.updatedat_absolute'];
const named = (operator, value) => p('organizations.name', operator, value);
const all = (...propositions) => ({ collections: [{ propositions }] });
const any = (...propositions) => ({ collections: [{ proposition_operator: 'OR', propositions }] });
const filter = (who, predicates, query) => who.post('/organizations/filter', { predicates }, { query });
const found = async (who, predicates) => (await filter(who, predicates)).must(200).data.map((o) => o.name);

test('definitions match the specification and its order', async (t) => {
  const { staff } = await open(t);
  const { body } = (await staff.get('/organizations/definitions')).must(200);
  assert.deepEqual(body.data.map((d) => d.field), FIELDS);
  assert.deepEqual(Object.keys(body), ['status', 'data', 'resource', 'total_count', 'session_id']);
  assert.equal(body.resource, 'definition');
  const of = Object.fromEntries(body.data.map((d) => [d.field, d]));
  assert.deepEqual(Object.keys(of['tags.name']), ['label', 'field', 'type', 'sub_type', 'group', 'rarity', 'description', 'input_type', 'operators', 'values', 'resource_type']);
  assert.deepEqual(of['organizations.name'].operators.sort(), ['comparison_equalto', 'comparison_not_equalto', 'string_contains_insensitive']);
  assert.deepEqual(of['tags.name'].operators.sort(), ['collection_contains_any_insensitive', 'collection_contains_insensitive', 'collection_does_not_contain_insensitive']);
  assert.deepEqual(Object.keys(of['organizations.conversationaccess'].values), ['0', '1']);
  assert.deepEqual(of['organizations.createdat_absolute'].operators.sort(), ['date_after_or_on', 'date_before_or_on', 'date_is', 'date_is_not']);
  assert.deepEqual(of['organizations.updatedat_relative_past'].operators.sort(), ['date_after_or_on', 'date_before_or_on']);
  assert.equal(Object.keys(of['organizations.updatedat_relative_past'].values).length, 13);
  assert.deepEqual(body.data.map((d) => d.group), ['', '', '', 'DATE', 'DATE', 'DATE', 'DATE']);
});

describe('a filter', () => {
  const NAMES = ['Acme', 'ACME Union', 'Müller', 'Muller & Sons', '100%', '100 sure', 'a_b', 'axb', "'; --", 'éclair'];
  const world = shared(async (w) => {
    for (const name of NAMES) await w.desk.owner.create('/organizations', { name, is_shared: name.length % 2 === 0 });
  });

  const cases = {
    'names contain, without case and accents': [all(named('string_contains_insensitive', 'MULLER')), ['Müller', 'Muller & Sons']],
    'the value has accents': [all(named('string_contains_insensitive', 'ècl')), ['éclair']],
    'names are equal if their folded forms are': [all(named('comparison_equalto', 'acme')), ['Acme']],
    '% and _ are literal': [any(named('string_contains_insensitive', '0%'), named('string_contains_insensitive', 'A_B')), ['100%', 'a_b']],
    'quotes are literal': [all(named('string_contains_insensitive', "'; --")), ["'; --"]],
    'AND of propositions': [all(named('string_contains_insensitive', 'mu'), named('comparison_not_equalto', 'Müller')), ['Muller & Sons']],
    'OR of propositions': [any(named('comparison_equalto', 'acme'), named('comparison_equalto', 'axb')), ['Acme', 'axb']],
    'OR of collections unless said': [{ collections: [...all(named('comparison_equalto', 'acme')).collections, ...all(named('comparison_equalto', 'axb')).collections] }, ['Acme', 'axb']],
    'AND of collections': [{ collection_operator: 'AND', collections: [...all(named('string_contains_insensitive', 'acme')).collections, ...all(named('string_contains_insensitive', 'union')).collections] }, ['ACME Union']],
    'a number is compared as text': [all(named('string_contains_insensitive', 100)), ['100%', '100 sure']],
    options: [all(p('organizations.conversationaccess', 'comparison_equalto', '1'), named('string_contains_insensitive', 'acme')), ['Acme', 'ACME Union']],
    'options that differ': [all(p('organizations.conversationaccess', 'comparison_not_equalto', 1), named('string_contains_insensitive', 'a')), ['a_b', 'axb']],
    'made today': [all(p('organizations.createdat_relative_past', 'date_after_or_on', 'today'), named('comparison_equalto', 'acme')), ['Acme']],
    'made before today': [all(p('organizations.createdat_relative_past', 'date_before_or_on', 'yesterday')), []],
    'nothing': [all(named('comparison_equalto', 'none')), []],
  };
  for (const [what, [predicates, names]] of Object.entries(cases)) {
    test(`finds: ${what}`, async () => assert.deepEqual(await found(world.desk.staff, predicates), names));
  }

  test('accepts an object, JSON text, forms and multipart, with names in any case', async () => {
    const { staff } = world.desk;
    const predicates = all(named('comparison_equalto', 'acme'));
    const camel = { collectionOperator: 'OR', collections: [{ propositionOperator: 'AND', propositions: predicates.collections[0].propositions }] };
    for (const body of [{ predicates }, { predicates: JSON.stringify(predicates) }, { predicates: camel }, form({ predicates }), form({ predicates: JSON.stringify(predicates) }),
      multipart({ predicates: JSON.stringify(predicates) }), multipart({ predicates })]) {
      assert.deepEqual((await staff.post('/organizations/filter', body)).must(200).data.map((o) => o.name), ['Acme']);
    }
  });

  test('has pages like other lists', async () => {
    const { staff } = world.desk;
    const every = all(named('comparison_not_equalto', 'none'));
    const page = (await filter(staff, every, { limit: 3, offset: 3 })).must(200).body;
    assert.deepEqual(page.data.map((o) => o.name), NAMES.slice(3, 6));
    assert.deepEqual([page.offset, page.limit, page.total_count, page.resource], [3, 3, NAMES.length, 'organization']);
    assert.match(page.next_url, /\/api\/v1\/organizations\/filter\.json\?limit=3&offset=6$/);
    assert.deepEqual((await filter(staff, every, { fields: 'name', limit: 1 })).must(200).data, [{ id: 1, name: 'Acme', resource_type: 'organization', resource_url: `${world.desk.base}/api/v1/organizations/1` }]);
    (await filter(staff, every, { limit: -1 })).refused(400, 'FIELD_INVALID', 'limit');
  });

  test('requires a member of staff, and on a session the CSRF token', async () => {
    const { desk } = world;
    const predicates = all(named('comparison_equalto', 'acme'));
    for (const who of [desk.as('collaborator'), desk.staff, desk.admin, desk.owner]) (await filter(who, predicates)).must(200);
    (await filter(desk.customer, predicates)).refused(403, 'PERMISSIONS_DENIED');
    (await filter(desk.anyone, predicates)).refused(401, 'AUTHORIZATION_REQUIRED');
    const { bare, client } = await desk.session(desk.staff);
    (await filter(bare, predicates)).refused(403, 'CSRF_FAILED');
    (await filter(client, predicates)).must(200);
  });

  test('repeats its reply for a repeated Idempotency-Key', async () => {
    const { staff } = world.desk;
    const body = { predicates: all(named('comparison_equalto', 'acme')) }, headers = { 'Idempotency-Key': 'filter-1' };
    const first = (await staff.post('/organizations/filter', body, { headers })).must(200);
    const second = (await staff.post('/organizations/filter', body, { headers })).must(200);
    assert.deepEqual(second.data, first.data);
    assert.equal(second.headers['idempotent-replayed'], 'true');
  });

  /* ---- refusals ---- */

  const at = (place) => `predicates/collections/0/propositions/0/${place}`;
  const name = 'organizations.name', access = 'organizations.conversationaccess', created = 'organizations.createdat_absolute', since = 'organizations.createdat_relative_past';
  const refusals = {
    'an unknown field': [p('organizations.secret', 'comparison_equalto', 'x'), at('field')],
    'a column': [p('t.name_key', 'comparison_equalto', 'x'), at('field')],
    'a field name that is no text': [p(['x'], 'comparison_equalto', 'x'), at('field')],
    'an unknown operator': [p(name, 'like', 'x'), at('operator')],
    'an operator of another input type': [p(name, 'date_is', '2026-11-21'), at('operator')],
    'an operator of triggers': [p(name, 'string_does_not_contain_insensitive', 'x'), at('operator')],
    'an operator that filters do not support': [p(since, 'date_after', 'today'), at('operator')],
    'an object as value': [p(name, 'comparison_equalto', { a: 1 }), at('value')],
    'a list as value': [p(name, 'comparison_equalto', ['x']), at('value')],
    'a boolean where a text is expected': [p(name, 'comparison_equalto', true), at('value')],
    'a text that is too long': [p(name, 'comparison_equalto', 'x'.repeat(256)), at('value')],
    'control characters': [p(name, 'comparison_equalto', 'a\u0007b'), at('value')],
    'a NUL': [p(name, 'comparison_equalto', 'a\u0000b'), at('value')],
    'a text of accents alone': [p(name, 'string_contains_insensitive', '\u0301'), at('value')],
    'an absent option': [p(access, 'comparison_equalto', '2'), at('value')],
    'a boolean option': [p(access, 'comparison_equalto', true), at('value')],
    'no date': [p(created, 'date_is', 'soon'), at('value')],
    'a date that does not exist': [p(created, 'date_is', '2026-02-29'), at('value')],
    'a date as number': [p(created, 'date_is', 1795255800), at('value')],
    'an impossible year': [p(created, 'date_is', '0000-01-01'), at('value')],
    'an unknown span of time': [p(since, 'date_after_or_on', 'last8days'), at('value')],
    'tomorrow, of the past': [p(since, 'date_before_or_on', 'tomorrow'), at('value')],
    'an invalid tag': [p('tags.name', 'collection_contains_insensitive', ['vip', {}]), `${at('value')}/1`],
    'a tag that is too long': [p('tags.name', 'collection_contains_insensitive', ['vip', 'x'.repeat(256)]), `${at('value')}/1`],
    'too many tags': [p('tags.name', 'collection_contains_any_insensitive', Array.from({ length: 101 }, (_, i) => `t${i}`)), `${at('value')}/100`],
  };
  for (const [what, [proposition, pointer]] of Object.entries(refusals)) {
    test(`refuses ${what}`, async () => { (await filter(world.desk.staff, all(proposition))).refused(400, 'FIELD_INVALID', pointer); });
  }

  test('refuses missing and empty members', async () => {
    const { staff } = world.desk;
    (await staff.post('/organizations/filter', {})).refused(400, 'FIELD_REQUIRED', 'predicates');
    (await staff.post('/organizations/filter', { predicates: '' })).refused(400, 'FIELD_EMPTY', 'predicates');
    (await filter(staff, {})).refused(400, 'FIELD_REQUIRED', 'predicates/collections');
    (await filter(staff, { collections: [] })).refused(400, 'FIELD_EMPTY', 'predicates/collections');
    (await filter(staff, { collections: [{}] })).refused(400, 'FIELD_REQUIRED', 'predicates/collections/0/propositions');
    (await filter(staff, { collections: [{ propositions: [] }] })).refused(400, 'FIELD_EMPTY', 'predicates/collections/0/propositions');
    (await filter(staff, all({}))).refused(400, 'FIELD_REQUIRED', at('field'), at('operator'), at('value'));
    (await filter(staff, all(p('', '', '')))).refused(400, 'FIELD_EMPTY', at('field'), at('operator'), at('value'));
    (await filter(staff, all(p('tags.name', 'collection_contains_insensitive', ' , ')))).refused(400, 'FIELD_EMPTY', at('value'));
    (await filter(staff, all(p('tags.name', 'collection_contains_insensitive', [])))).refused(400, 'FIELD_EMPTY', at('value'));
  });

  test('refuses members of another shape', async () => {
    const { staff } = world.desk;
    for (const predicates of ['x', '[', '1', 'null', 5, true, ['x']]) (await filter(staff, predicates)).refused(400, 'FIELD_INVALID', 'predicates');
    for (const collections of ['x', 1, { a: 1 }]) (await filter(staff, { collections })).refused(400, 'FIELD_INVALID', 'predicates/collections');
    (await filter(staff, { collections: ['x', 1] })).refused(400, 'FIELD_INVALID', 'predicates/collections/0', 'predicates/collections/1');
    (await filter(staff, { collections: [{ propositions: 'x' }] })).refused(400, 'FIELD_INVALID', 'predicates/collections/0/propositions');
    (await filter(staff, all('x'))).refused(400, 'FIELD_INVALID', 'predicates/collections/0/propositions/0');
    for (const operator of ['XOR', 1, [], 'AND 1=1']) {
      (await filter(staff, { collection_operator: operator, ...all(named('comparison_equalto', 'x')) })).refused(400, 'FIELD_INVALID', 'predicates/collection_operator');
      (await filter(staff, { collections: [{ proposition_operator: operator, propositions: [named('comparison_equalto', 'x')] }] })).refused(400, 'FIELD_INVALID', 'predicates/collections/0/proposition_operator');
    }
  });

  test('reports all errors at once', async () => {
    (await filter(world.desk.staff, { collection_operator: 'x', collections: [{ propositions: [p('x', 'y', 'z'), p(name, 'y', 'z')] }, { propositions: [p(access, 'comparison_equalto', 'z'), p(name, 'comparison_equalto', 'ok')] }] }))
      .refused(400, 'FIELD_INVALID', 'predicates/collection_operator', 'predicates/collections/0/propositions/0/field', 'predicates/collections/0/propositions/1/operator',
        'predicates/collections/1/propositions/0/value');
  });

  test('names its limits in the errors', async () => {
    const { staff } = world.desk;
    const many = (n) => all(...Array.from({ length: n }, (_, i) => named('comparison_equalto', `n${i}`)));
    (await filter(staff, many(100))).must(200);
    (await filter(staff, many(101))).refused(400, 'FIELD_INVALID', 'predicates/collections/0/propositions');
    (await filter(staff, many(10_000))).refused(400, 'FIELD_INVALID', 'predicates/collections/0/propositions');
    const apart = (n) => ({ collections: Array.from({ length: n }, () => all(named('comparison_equalto', 'x')).collections[0]) });
    (await filter(staff, apart(50))).must(200);
    (await filter(staff, apart(51))).refused(400, 'FIELD_INVALID', 'predicates/collections');
    let deep = 'x';
    for (let i = 0; i < 200; i++) deep = [deep];
    assert.equal((await filter(staff, all(named('comparison_equalto', deep)))).status, 400);
    (await filter(staff, JSON.stringify(all(named('comparison_equalto', deep))))).refused(400, 'FIELD_INVALID', 'predicates');
  });
});

test('days are those of the desk\'s time zone and clock', async (t) => {
  const desk = await open(t);
  (await desk.owner.put('/settings', { values: { 'desk.time_zone': 'Nowhere/Land' } })).refused(400, 'FIELD_INVALID', 'values/desk.time_zone');
  await desk.clock.set(Date.parse('2026-11-22T22:30:00Z')); // a Sunday; in Berlin 23:30, in Tokyo Monday morning
  await desk.owner.create('/organizations', { name: 'Late' });
  const zone = async (name) => {
    (await desk.owner.put('/settings', { values: { 'desk.time_zone': name } })).must(200);
    await until('every process uses the new time zone', async () => {
      const seen = [];
      for (let i = 0; i < 4 * desk.processes; i++) seen.push((await desk.owner.fetch('/settings')).find((x) => `${x.category}.${x.name}` === 'desk.time_zone').value);
      return seen.every((x) => x === name) || undefined;
    });
  };
  const on = (value) => found(desk.owner, all(p('organizations.createdat_absolute', 'date_is', value)));
  const since = (value, operator = 'date_after_or_on') => found(desk.owner, all(p('organizations.createdat_relative_past', operator, value)));
  assert.deepEqual([await on('2026-11-22'), await on('2026-11-23')], [['Late'], []]);
  assert.deepEqual(await on('2026-11-23T05:00:00+09:00'), ['Late'], 'a date with time stands for its day');
  await zone('Asia/Tokyo');
  assert.deepEqual([await on('2026-11-22'), await on('2026-11-23')], [[], ['Late']]);
  assert.deepEqual(await since('currentweek'), ['Late'], 'the week begins on Monday');
  assert.deepEqual(await since('lastweek', 'date_before_or_on'), []);
  await zone('Europe/Berlin');
  await desk.clock.set(Date.parse('2026-11-22T23:30:00Z')); // Monday in Berlin
  assert.deepEqual([await since('today'), await since('yesterday'), await since('currentweek'), await since('lastweek')], [[], ['Late'], [], ['Late']]);
  assert.deepEqual(await since('lastweek', 'date_before_or_on'), ['Late']);
  await desk.clock.forward(6 * DAY);
  assert.deepEqual([await since('last7days'), await since('last30days')], [[], ['Late']]);
});

test('a deleted organization is not found', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/organizations', { name: 'Gone' });
  (await owner.delete(`/organizations/${id}`)).must(200);
  assert.deepEqual(await found(owner, all(named('comparison_not_equalto', 'x'))), []);
});

describe('filters by tags and custom fields', () => {
  const world = shared(async (w) => {
    const { owner } = w.desk;
    const field = (key, type, more) => owner.create('/organizations/fields', { key, type, title: key, ...more });
    for (const [key, type] of [['note', 'TEXTAREA'], ['size', 'NUMERIC'], ['rate', 'DECIMAL'], ['until', 'DATE'], ['paying', 'YESNO']]) await field(key, type);
    w.options = (await field('plan', 'SELECT', { options: ['Gold', 'Silver'] })).options.map((o) => String(o.id));
    w.boxes = (await field('uses', 'CHECKBOX', { options: ['Mail', 'Chat', 'Phone'] })).options.map((o) => String(o.id));
    w.off = await field('off', 'TEXT', { is_enabled: false });
    const make = (name, tags, field_values) => owner.create('/organizations', { name, tags, field_values });
    await make('Ada', 'VIP,new', { note: 'Große Kundin', size: '9', rate: '-1.50', until: '2026-11-21', paying: 'yes', plan: w.options[0], uses: w.boxes.slice(0, 2).join() });
    await make('Bob', 'vip', { note: 'x'.repeat(500), size: '10', rate: '2', until: '2026-11-22', paying: 'no', plan: w.options[1], uses: w.boxes[2] });
    await make('Cid', '', {});
  });
  const field = (key, operator, value) => all(p(`organizationfields.${key}`, operator, value));
  const tagged = (operator, value) => all(p('tags.name', `collection_${operator}_insensitive`, value));
  const cases = {
    'all of the tags': [tagged('contains', 'Vip,NEW'), ['Ada']],
    'one tag': [tagged('contains', ['víp']), ['Ada', 'Bob']],
    'one of the tags': [tagged('contains_any', 'new,other'), ['Ada']],
    'none of the tags': [tagged('does_not_contain', 'new,other'), ['Bob', 'Cid']],
    'a text': [field('note', 'string_contains_insensitive', 'GROSSE'), ['Ada']],
    'a text that differs': [field('note', 'comparison_not_equalto', 'große kundin'), ['Bob', 'Cid']],
    'a long text, by its first characters': [field('note', 'comparison_equalto', 'X'.repeat(255)), ['Bob']],
    'a number, compared as number': [field('size', 'comparison_greaterthan', 9), ['Bob']],
    'a number below': [field('size', 'comparison_lessthan', '10'), ['Ada']],
    'a decimal': [field('rate', 'comparison_equalto', '-1.5'), ['Ada']],
    'a decimal above': [field('rate', 'comparison_greaterthan', -1.5), ['Bob']],
    'a date': [field('until', 'date_is', '2026-11-21'), ['Ada']],
    'a date on': [field('until', 'date_after_or_on', '2026-11-22'), ['Bob']],
    'yes': [field('paying', 'comparison_equalto', true), ['Ada']],
    'not yes, also without a value': [field('paying', 'comparison_not_equalto', 'true'), ['Bob', 'Cid']],
    'an option': [(w) => field('plan', 'comparison_equalto', w.options[1]), ['Bob']],
    'one of several boxes': [(w) => field('uses', 'comparison_equalto', w.boxes[1]), ['Ada']],
    'a box that is not ticked': [(w) => field('uses', 'comparison_not_equalto', Number(w.boxes[1])), ['Bob', 'Cid']],
  };
  for (const [what, [predicates, names]] of Object.entries(cases)) {
    test(`finds: ${what}`, async () => assert.deepEqual(await found(world.desk.staff, typeof predicates === 'function' ? predicates(world) : predicates), names));
  }

  test('the definitions include them with their options', async () => {
    const of = Object.fromEntries((await world.desk.staff.fetch('/organizations/definitions')).map((d) => [d.field, d]));
    assert.deepEqual(Object.keys(of), [...FIELDS, ...['note', 'size', 'rate', 'until', 'paying', 'plan', 'uses'].map((key) => `organizationfields.${key}`)]);
    assert.deepEqual(of['organizationfields.plan'].values, { [world.options[0]]: 'Gold', [world.options[1]]: 'Silver' });
    assert.deepEqual([of['organizationfields.size'].input_type, of['organizationfields.rate'].sub_type, of['organizationfields.until'].input_type], ['INTEGER', 'FLOAT', 'DATE_ABSOLUTE']);
  });

  test('a disabled field, a field of another area and values of another form are refused', async () => {
    const { staff } = world.desk, at = (place) => `predicates/collections/0/propositions/0/${place}`;
    for (const key of ['off', 'none']) (await filter(staff, field(key, 'comparison_equalto', 'x'))).refused(400, 'FIELD_INVALID', at('field'));
    (await filter(staff, all(p('userfields.note', 'comparison_equalto', 'x')))).refused(400, 'FIELD_INVALID', at('field'));
    for (const [key, value] of [['size', '1.5'], ['size', 'x'], ['rate', '1e3'], ['rate', '.5'], ['until', '21/11/2026'], ['paying', 'perhaps'], ['plan', '0'], ['plan', 'Gold']]) {
      const operator = key === 'until' ? 'date_is' : 'comparison_equalto';
      (await filter(staff, field(key, operator, value))).refused(400, 'FIELD_INVALID', at('value'));
    }
    (await filter(staff, field('plan', 'comparison_equalto', world.boxes[0]))).refused(400, 'FIELD_INVALID', at('value'));
  });
});
