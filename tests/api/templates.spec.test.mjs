import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, PASSWORD, ROLES, form, json, multipart, open, raw, relayFor, shared, until } from './lib/index.mjs';

// Brands and their templates for mails and pages, as specified: access, contents, versions, mails sent.

const BRANDS = '/brands';
const TEMPLATES = '/brands/1/templates';
const INVITATION = `${TEMPLATES}/invitation`;
const RESET = `${TEMPLATES}/password_reset`;
const BRAND_MEMBERS = ['id', 'name', 'sub_domain', 'domain', 'alias', 'locale', 'is_ssl_enabled', 'is_default', 'is_enabled', 'resource_type', 'resource_url'];
const TEMPLATE_MEMBERS = ['name', 'app', 'category', 'contents', 'is_custom', 'resource_type', 'resource_url'];
const FORMATS = [json, form, multipart];

/** Other valid contents for the template of a mail: the original with other words. */
const words = (contents, hello) => contents.replaceAll('Hello', hello);
const versions = async (who, path = INVITATION) => (await who.get(`${path}/versions`)).must(200);

describe('brands', () => {
  const world = shared();

  test('brand 1 exists and is the default', async () => {
    const { desk } = world;
    const brand = await desk.owner.fetch(`${BRANDS}/1`);
    for (const name of BRAND_MEMBERS) assert.ok(name in brand, name);
    assert.deepEqual([brand.resource_type, brand.is_default, brand.is_enabled, brand.resource_url], ['brand', true, true, `${desk.base}/api/v1/brands/1`]);
    assert.deepEqual((await desk.owner.get(BRANDS)).must(200).data[0], brand);
  });

  test('are created, read, changed and deleted by admins and owners', async () => {
    for (const [i, role] of ['admin', 'owner'].entries()) {
      const who = world.desk.as(role);
      for (const [n, as] of FORMATS.entries()) {
        const made = (await who.post(BRANDS, as({ name: `Brand ${i}${n}`, domain: `b${i}${n}.example.com` }))).must(201);
        assert.deepEqual([made.body.resource, made.data.name, made.data.domain, made.data.is_default, made.data.is_enabled], ['brand', `Brand ${i}${n}`, `b${i}${n}.example.com`, false, true]);
        const path = `${BRANDS}/${made.data.id}`;
        assert.deepEqual(await who.fetch(path), made.data);
        const changed = (await who.put(path, as({ name: 'Renamed', is_enabled: false }))).must(200).data;
        assert.deepEqual([changed.name, changed.is_enabled, changed.domain], ['Renamed', false, made.data.domain]);
        assert.equal((await who.put(path, as({ domain: '' }))).must(200).data.domain, null);
        (await who.delete(path)).must(200);
        (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
        (await who.get(`${path}/templates`)).refused(404, 'RESOURCE_NOT_FOUND');
      }
    }
  });

  test('are read by staff only', async () => {
    const { desk } = world;
    for (const role of ROLES) {
      for (const path of [BRANDS, `${BRANDS}/1`]) {
        const reply = await desk.as(role).get(path);
        if (role === 'customer') reply.refused(403, 'PERMISSIONS_DENIED');
        else reply.must(200);
      }
    }
    for (const path of [BRANDS, `${BRANDS}/1`]) (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
    const { id } = await desk.owner.create(BRANDS, { name: 'Mine' });
    for (const role of ['agent', 'collaborator', 'customer']) {
      const who = desk.as(role);
      for (const reply of [await who.post(BRANDS, { name: 'No' }), await who.put(`${BRANDS}/${id}`, { name: 'No' }), await who.delete(`${BRANDS}/${id}`), await who.delete(BRANDS, { ids: id })]) reply.refused(403, 'PERMISSIONS_DENIED');
    }
    assert.equal((await desk.owner.fetch(`${BRANDS}/${id}`)).name, 'Mine');
    (await desk.owner.delete(`${BRANDS}/${id}`)).must(200);
  });

  test('there is always exactly one default', async () => {
    const { owner } = world.desk;
    const { id } = await owner.create(BRANDS, { name: 'Other' });
    const defaults = async () => (await owner.fetch(BRANDS, { limit: 1000 })).filter((b) => b.is_default).map((b) => b.id);
    await owner.update(`${BRANDS}/${id}`, { is_default: true });
    assert.deepEqual(await defaults(), [id]);
    await owner.update(`${BRANDS}/1`, { is_default: true });
    assert.deepEqual(await defaults(), [1]);
    for (const reply of [await owner.put(`${BRANDS}/1`, { is_default: false }), await owner.delete(`${BRANDS}/1`), await owner.delete(BRANDS, { ids: `${id},1` })]) assert.ok(reply.status < 500);
    assert.deepEqual((await defaults()).length, 1);
  });

  test('bulk deletion deletes all or none', async () => {
    const { owner } = world.desk;
    const ids = [];
    for (const name of ['A', 'B', 'C']) ids.push((await owner.create(BRANDS, { name })).id);
    (await owner.delete(BRANDS, { ids: `${ids[0]},987654` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    (await owner.delete(BRANDS, { ids: `${ids[0]},${ids[0]}` })).refused(400, 'PARAMETERS_INCONSISTENT');
    (await owner.delete(BRANDS)).refused(400, 'FIELD_REQUIRED', 'ids');
    (await owner.get(`${BRANDS}/${ids[0]}`)).must(200);
    assert.equal((await owner.delete(BRANDS, { ids: ids.join() })).must(200).body.total_count, 3);
  });

  test('a domain is unique, and bad values are all named at once', async () => {
    const { owner } = world.desk;
    await owner.create(BRANDS, { name: 'First', domain: 'taken.example.com' });
    (await owner.post(BRANDS, { name: 'Second', domain: 'taken.example.com' })).refused(400, 'FIELD_DUPLICATE', 'domain');
    (await owner.post(BRANDS, { name: 'Second', domain: 'TAKEN.example.com' })).refused(400, 'FIELD_DUPLICATE', 'domain');
    (await owner.post(BRANDS, { name: 'x'.repeat(5000), domain: 'not a domain', locale_id: 987654, is_enabled: 'maybe' }))
      .refused(400, 'FIELD_INVALID', 'name').refused(400, 'FIELD_INVALID', 'domain').refused(400, 'FIELD_INVALID', 'locale_id').refused(400, 'FIELD_INVALID', 'is_enabled');
    for (const domain of ['http://x.example', 'a..b', '-x.example', 'x.example/path', 'x.example\r\nX: y', '<script>', '../..', 'x'.repeat(300)]) (await owner.post(BRANDS, { name: 'Bad', domain })).refused(400, 'FIELD_INVALID', 'domain');
  });

  test('a list has offset, limit, an ETag and page links', async () => {
    const { owner } = world.desk;
    for (let n = 0; n < 4; n++) await owner.create(BRANDS, { name: `Page ${n}` });
    const all = (await owner.get(BRANDS, { limit: 1000 })).must(200);
    assert.deepEqual(all.ids, [...all.ids].sort((a, b) => a - b));
    const page = (await owner.get(BRANDS, { limit: 2, offset: 1 })).must(200);
    assert.deepEqual([page.ids, page.body.total_count, page.body.offset, page.body.limit], [all.ids.slice(1, 3), all.ids.length, 1, 2]);
    assert.ok(page.body.next_url.endsWith('/api/v1/brands.json?limit=2&offset=3'), page.body.next_url);
    (await owner.get(BRANDS, { limit: 2, offset: 1 }, { 'If-None-Match': page.etag })).must(304);
    (await owner.get(BRANDS, { limit: -1 })).refused(400, 'FIELD_INVALID', 'limit');
  });
});

describe('templates', () => {
  const world = shared();

  test('there is one for each mail and each page, all unchanged', async () => {
    const { desk } = world;
    const reply = (await desk.owner.get(TEMPLATES, { limit: 1000 })).must(200);
    assert.equal(reply.body.resource, 'template');
    assert.equal(reply.body.total_count, reply.data.length);
    assert.ok(reply.data.length >= 4);
    const names = reply.data.map((x) => x.name);
    assert.equal(new Set(names).size, names.length);
    for (const template of reply.data) {
      assert.deepEqual(Object.keys(template).sort(), [...TEMPLATE_MEMBERS].sort(), 'a template has no id');
      assert.deepEqual([template.is_custom, template.resource_type, template.resource_url], [false, 'template', `${desk.base}/api/v1/brands/1/templates/${template.name}`]);
      assert.ok(template.contents.length && typeof template.app === 'string' && typeof template.category === 'string');
      for (const path of [`${TEMPLATES}/${template.name}`, `${TEMPLATES}/${template.name}.json`]) assert.deepEqual(await desk.owner.fetch(path), template);
    }
  });

  test('the list has offset and limit', async () => {
    const { owner } = world.desk;
    const all = await owner.fetch(TEMPLATES, { limit: 1000 });
    const page = (await owner.get(TEMPLATES, { offset: 1, limit: 2 })).must(200);
    assert.deepEqual([page.data, page.body.offset, page.body.limit, page.body.total_count], [all.slice(1, 3), 1, 2, all.length]);
    assert.ok(page.body.previous_url && page.body.next_url);
    assert.deepEqual((await owner.get(TEMPLATES, { offset: 1000 })).must(200).data, []);
    for (const query of [{ limit: 'x' }, { offset: -1 }]) (await owner.get(TEMPLATES, query)).refused(400, 'FIELD_INVALID');
  });

  test('are read and written by admins and owners', async () => {
    const { desk } = world;
    const before = await desk.owner.fetch(INVITATION);
    const contents = words(before.contents, 'Hi');
    const tries = (who) => Promise.all([who.get(TEMPLATES), who.get(INVITATION), who.get(`${INVITATION}/versions`), who.put(INVITATION, { contents }), who.put(`${INVITATION}/restore`, {}), who.get(`${TEMPLATES}/nothing`)]);
    for (const role of ['agent', 'collaborator', 'customer']) for (const reply of await tries(desk.as(role))) reply.refused(403, 'PERMISSIONS_DENIED');
    for (const reply of await tries(desk.anyone)) reply.refused(401, 'AUTHORIZATION_REQUIRED');
    assert.deepEqual(await desk.owner.fetch(INVITATION), before);
    for (const role of ['admin', 'owner']) {
      const who = desk.as(role);
      assert.equal((await who.put(INVITATION, { contents })).must(200).data.contents, contents);
      for (const path of [TEMPLATES, INVITATION, `${INVITATION}/versions`]) (await who.get(path)).must(200);
      assert.deepEqual((await who.put(`${INVITATION}/restore`, {})).must(200).data, before);
    }
  });

  test('the permission brands.manage limits who writes', async () => {
    const { desk } = world;
    const role = await desk.owner.create('/roles', { title: 'No brands', type: 'ADMIN' });
    (await desk.owner.put(`/roles/${role.id}/permissions`, { 'brands.manage': 0 })).must(200);
    const { client } = await desk.person('admin', { role_id: role.id });
    const { contents } = await client.fetch(INVITATION);
    for (const reply of [await client.put(INVITATION, { contents: words(contents, 'No') }), await client.put(`${INVITATION}/restore`), await client.post(BRANDS, { name: 'No' })]) reply.refused(403, 'PERMISSIONS_DENIED');
  });

  test('a session needs its CSRF token to write', async () => {
    const { desk } = world;
    const { bare, client } = await desk.session(desk.admin);
    const { contents } = await bare.fetch(INVITATION);
    (await bare.put(INVITATION, { contents: words(contents, 'No') })).refused(403, 'CSRF_FAILED');
    (await bare.put(`${INVITATION}/restore`)).refused(403, 'CSRF_FAILED');
    (await client.put(`${INVITATION}/restore`)).must(200);
  });

  test('contents are accepted as JSON, form and multipart, and kept byte for byte', async () => {
    const { owner } = world.desk;
    const original = await owner.fetch(INVITATION);
    for (const [n, as] of FORMATS.entries()) {
      const contents = words(original.contents, `Grüße №${n} 🦆 & <b>"100%"</b> '+' \\n \\u0041 a=b;c`);
      const reply = (await owner.put(INVITATION, as({ contents }))).must(200);
      assert.deepEqual([reply.data.contents, reply.data.is_custom, reply.body.resource], [contents, true, 'template']);
      assert.deepEqual(await owner.fetch(INVITATION), reply.data);
      assert.deepEqual((await owner.fetch(TEMPLATES, { limit: 1000 })).find((x) => x.name === 'invitation'), reply.data);
    }
    assert.deepEqual((await owner.put(`${INVITATION}/restore`)).must(200).data, original);
  });

  test('contents are required and must be a text', async () => {
    const { owner } = world.desk;
    const before = await owner.fetch(INVITATION);
    for (const body of [{}, json([]), undefined, { name: 'invitation' }]) (await owner.put(INVITATION, body)).refused(400, 'FIELD_REQUIRED', 'contents');
    for (const contents of ['', null, [], {}, ['a', 'b'], { a: 1 }]) {
      const reply = (await owner.put(INVITATION, { contents })).must(400);
      assert.ok(reply.body.errors.every((e) => e.parameter === 'contents'), `${reply}`);
    }
    (await owner.put(INVITATION, raw('application/json', '{"contents":"\\ud800"}'))).refused(400, 'BODY_INVALID');
    (await owner.put(INVITATION, raw('text/plain', before.contents))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
    assert.deepEqual(await owner.fetch(INVITATION), before);
  });

  test('read-only members are ignored with a notice', async () => {
    const { owner } = world.desk;
    const before = await owner.fetch(INVITATION);
    const contents = words(before.contents, 'Hey');
    const reply = (await owner.put(INVITATION, { contents, name: 'other', app: 'x', category: 'x', is_custom: false, wobble: 1 })).must(200);
    assert.deepEqual([reply.data.name, reply.data.app, reply.data.category, reply.data.is_custom, reply.data.contents], ['invitation', before.app, before.category, true, contents]);
    reply.notes('wobble');
    (await owner.get(INVITATION, { wobble: 1 })).must(200).notes('wobble');
    (await owner.put(`${INVITATION}/restore`, { wobble: 1 })).must(200).notes('wobble');
  });

  test('an unknown template or brand is 404 on every route', async () => {
    const { owner } = world.desk;
    const { contents } = await owner.fetch(INVITATION);
    for (const name of ['nothing', '%00', '..', '..%2f..%2fetc%2fpasswd', 'invitation%00', 'invitation%20', 'x'.repeat(2000), "invitation'--", '%25s', '%ff', '1', '-1']) {
      const path = `${TEMPLATES}/${name}`;
      for (const reply of [await owner.get(path), await owner.get(`${path}/versions`), await owner.put(path, { contents }), await owner.put(`${path}/restore`, {})]) assert.ok([404, ...(name === '..' ? [405] : [])].includes(reply.status), `${name}: ${reply}`);
    }
    for (const brand of ['0', '-1', '987654', 'x', '99999999999999999999']) {
      for (const reply of [await owner.get(`/brands/${brand}/templates`), await owner.get(`/brands/${brand}/templates/invitation`), await owner.put(`/brands/${brand}/templates/invitation`, { contents }), await owner.put(`/brands/${brand}/templates/invitation/restore`), await owner.get(`/brands/${brand}/templates/invitation/versions`)]) reply.refused(404, 'RESOURCE_NOT_FOUND');
    }
  });

  test('other methods are refused', async () => {
    const { owner } = world.desk;
    for (const [method, path] of [['POST', TEMPLATES], ['DELETE', TEMPLATES], ['PUT', TEMPLATES], ['POST', INVITATION], ['DELETE', INVITATION], ['GET', `${INVITATION}/restore`], ['POST', `${INVITATION}/restore`], ['PUT', `${INVITATION}/versions`], ['DELETE', `${INVITATION}/versions`]]) (await owner.request(method, path)).refused(405, 'METHOD_NOT_SUPPORTED');
  });

  test('HEAD answers like GET, and an Accept without JSON is refused', async () => {
    const { owner } = world.desk;
    for (const path of [TEMPLATES, INVITATION, `${INVITATION}/versions`]) {
      const [got, head] = [(await owner.get(path)).must(200), (await owner.head(path)).must(200)];
      assert.equal(head.etag, got.etag);
      (await owner.get(path, {}, { Accept: 'text/html' })).refused(406, 'NOT_ACCEPTABLE');
    }
  });

  test('_case, fields, _empty and _flat', async () => {
    const { owner } = world.desk;
    const camel = (await owner.get(INVITATION, { _case: 'camel' })).must(200).data;
    assert.equal(camel.isCustom, false);
    assert.equal(camel.contents, (await owner.fetch(INVITATION)).contents);
    assert.deepEqual(Object.keys(await owner.fetch(INVITATION, { fields: 'contents' })).sort(), ['contents', 'resource_type', 'resource_url']);
    assert.equal((await owner.put(INVITATION, { Contents: words(camel.contents, 'Yo') })).must(200).data.contents, words(camel.contents, 'Yo'));
    (await owner.put(`${INVITATION}/restore`)).must(200);
    assert.ok((await owner.get(`${INVITATION}/versions`, { _flat: true })).must(200).body.logs.some((l) => l.level === 'WARNING'));
    (await owner.get(TEMPLATES, { include: '*', _flat: true, _empty: false })).must(200);
  });
});

describe('preconditions of a template', () => {
  test('the ETag changes with the contents, and a stale one writes nothing', async (t) => {
    const { owner, clock } = await open(t);
    const first = (await owner.get(INVITATION)).must(200);
    assert.match(first.etag, /^"[0-9a-f]{32}"$/);
    (await owner.get(INVITATION, {}, { 'If-None-Match': first.etag })).must(304);
    await clock.forward(60);
    const contents = words(first.data.contents, 'Hi');
    (await owner.put(INVITATION, { contents }, { headers: { 'If-Match': first.etag } })).must(200);
    const second = (await owner.get(INVITATION, {}, { 'If-None-Match': first.etag })).must(200);
    assert.notEqual(second.etag, first.etag);
    for (const path of [INVITATION, `${INVITATION}/restore`]) (await owner.put(path, { contents: words(contents, 'No') }, { headers: { 'If-Match': first.etag } })).refused(412, 'RESOURCE_MODIFIED');
    assert.equal((await owner.fetch(INVITATION)).contents, contents);
    assert.equal((await versions(owner)).data.filter((v) => v.contents === contents).length, 0, 'a refused write stores no version');
    if (second.headers['last-modified']) {
      (await owner.get(INVITATION, {}, { 'If-Modified-Since': second.headers['last-modified'] })).must(304);
      (await owner.put(INVITATION, { contents }, { headers: { 'If-Unmodified-Since': new Date(clock.now - DAY * 1000).toUTCString() } })).refused(412, 'RESOURCE_MODIFIED');
    }
    (await owner.put(`${INVITATION}/restore`, {}, { headers: { 'If-Match': second.etag } })).must(200);
    (await owner.put(`${TEMPLATES}/nothing`, { contents }, { headers: { 'If-Match': '*' } })).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

describe('versions', () => {
  test('every PUT stores the former contents, and each version can be restored', async (t) => {
    const { owner, admin } = await open(t);
    const original = await owner.fetch(INVITATION);
    const texts = ['One', 'Two', 'Three'].map((w) => words(original.contents, w));
    for (const contents of texts) (await admin.put(INVITATION, { contents })).must(200);
    const reply = await versions(owner);
    assert.deepEqual([reply.body.total_count, 'limit' in reply.body, 'offset' in reply.body], [reply.data.length, false, false], 'all versions');
    for (const contents of texts.slice(0, 2)) assert.equal(reply.data.filter((v) => v.contents === contents).length, 1);
    for (const version of reply.data) {
      for (const as of FORMATS) {
        const back = (await owner.put(`${INVITATION}/restore`, as({ version_id: version.id }))).must(200);
        assert.equal(back.data.contents, version.contents);
        assert.deepEqual(await owner.fetch(INVITATION), back.data);
      }
    }
    (await owner.put(INVITATION, { contents: texts[2] })).must(200);
    assert.deepEqual((await owner.put(`${INVITATION}/restore`)).must(200).data, original);
    assert.equal((await owner.fetch(INVITATION)).is_custom, false);
  });

  test('a restoration stores the former contents, too', async (t) => {
    const { owner } = await open(t);
    const original = await owner.fetch(INVITATION);
    const mine = words(original.contents, 'Mine');
    await owner.update(INVITATION, { contents: mine });
    (await owner.put(`${INVITATION}/restore`)).must(200);
    const kept = (await versions(owner)).data.find((v) => v.contents === mine);
    assert.ok(kept, 'the contents before the original was restored');
    assert.equal((await owner.put(`${INVITATION}/restore`, { version_id: kept.id })).must(200).data.contents, mine);
  });

  test('all versions are stored and listed', async (t) => {
    const { owner } = await open(t);
    const original = await owner.fetch(INVITATION);
    for (let n = 0; n < 120; n++) (await owner.put(INVITATION, { contents: words(original.contents, `Version ${n}`) })).must(200);
    const { data, body } = await versions(owner);
    for (let n = 0; n < 119; n++) assert.ok(data.some((v) => v.contents.includes(`Version ${n}\n`) || v.contents.includes(`Version ${n} `)), `version ${n} of ${data.length} listed (${body.total_count})`);
  });

  test('an invalid version, or one of another template or brand, is refused and changes nothing', async (t) => {
    const { owner } = await open(t);
    const original = await owner.fetch(INVITATION);
    await owner.update(INVITATION, { contents: words(original.contents, 'A') });
    await owner.update(INVITATION, { contents: words(original.contents, 'B') });
    const own = (await versions(owner)).data.map((v) => v.id);
    const other = (await owner.fetch(TEMPLATES, { limit: 1000 })).find((x) => x.name !== 'invitation' && x.contents.includes('Hello'));
    await owner.update(`${TEMPLATES}/${other.name}`, { contents: words(other.contents, 'A') });
    await owner.update(`${TEMPLATES}/${other.name}`, { contents: words(other.contents, 'B') });
    const brand = await owner.create(BRANDS, { name: 'Other' });
    await owner.update(`/brands/${brand.id}/templates/invitation`, { contents: words(original.contents, 'Foreign') });
    await owner.update(`/brands/${brand.id}/templates/invitation`, { contents: words(original.contents, 'Foreign too') });
    const before = await owner.fetch(INVITATION);
    const foreign = [...(await versions(owner, `${TEMPLATES}/${other.name}`)).data, ...(await versions(owner, `/brands/${brand.id}/templates/invitation`)).data].map((v) => v.id).filter((id) => !own.includes(id));
    assert.ok(foreign.length >= 2);
    for (const version_id of [...foreign, 987654]) {
      const reply = await owner.put(`${INVITATION}/restore`, { version_id });
      assert.ok([400, 404].includes(reply.status), `${reply}`);
    }
    for (const version_id of [0, -1, 'x', 1.5, [1, 2], { id: 1 }, '99999999999999999999', true]) (await owner.put(`${INVITATION}/restore`, { version_id })).refused(400, 'FIELD_INVALID', 'version_id');
    assert.deepEqual(await owner.fetch(INVITATION), before);
  });

  test('ten concurrent writes lose no version', async (t) => {
    const { owner } = await open(t);
    const original = await owner.fetch(INVITATION);
    const texts = Array.from({ length: 10 }, (_, n) => words(original.contents, `Writer ${n},`));
    for (const reply of await Promise.all(texts.map((contents) => owner.put(INVITATION, { contents })))) reply.must(200);
    const last = (await owner.fetch(INVITATION)).contents;
    const kept = (await versions(owner)).data.map((v) => v.contents);
    for (const text of texts) assert.ok(text === last || kept.includes(text));
  });

  test('versions and present contents survive a crash', async (t) => {
    const desk = await open(t, { base: 'http://desk.example' });
    const original = await desk.owner.fetch(INVITATION);
    for (const w of ['A', 'B']) await desk.owner.update(INVITATION, { contents: words(original.contents, w) });
    const [now, then] = [await desk.owner.fetch(INVITATION), (await versions(desk.owner)).data];
    await desk.kill();
    await desk.start();
    assert.deepEqual(await desk.owner.fetch(INVITATION), now);
    assert.deepEqual((await versions(desk.owner)).data, then);
  });
});

test('each brand has its own templates', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create(BRANDS, { name: 'Other' });
  const [one, other] = [await owner.fetch(INVITATION), await owner.fetch(`/brands/${id}/templates/invitation`)];
  assert.deepEqual([other.contents, other.is_custom, other.resource_url.endsWith(`/brands/${id}/templates/invitation`)], [one.contents, false, true]);
  await owner.update(`/brands/${id}/templates/invitation`, { contents: words(one.contents, 'Other') });
  assert.deepEqual(await owner.fetch(INVITATION), one);
  assert.equal((await versions(owner)).data.filter((v) => v.contents !== one.contents).length, 0);
  await owner.update(INVITATION, { contents: words(one.contents, 'One') });
  assert.equal((await owner.fetch(`/brands/${id}/templates/invitation`)).contents, words(one.contents, 'Other'));
});

/** A desk with a relay, and a function for each kind of mail that makes the desk send it. */
async function mailing(t) {
  const desk = await open(t);
  const to = await relayFor(t, desk, { 'desk.name': 'Ünder & Söhne' });
  let n = 0;
  const invite = async (full_name = 'Ines Invited') => {
    const email = `invited${++n}@people.example`;
    await desk.owner.create('/users/invite', { full_name, email });
    await until(`the mail to ${email}`, () => to.mails.some((m) => m.to.includes(email)));
    return to.mails.find((m) => m.to.includes(email));
  };
  const reset = async (full_name) => { // a validated address, so that the mail has the name
    const email = `known${++n}@people.example`;
    await desk.owner.create('/users', { full_name, email });
    (await desk.anyone.post('/password/reset', { email })).must(200);
    return to.find(email);
  };
  return { desk, to, invite, reset };
}

const SENDS = {
  invitation: (desk) => desk.owner.create('/users/invite', { full_name: 'Ines', email: 'ines@people.example' }),
  password_changed: (desk) => desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'another one, long enough' }),
  password_reset: async (desk) => (await desk.anyone.post('/password/reset', { email: desk.people.customer.email })).must(200),
  verification: (desk) => desk.customer.create('/profile/identities/emails', { email: 'second@people.example' }),
};

for (const [name, send] of Object.entries(SENDS)) {
  test(`the mail ${name} uses its template, changed and restored`, async (t) => {
    const { desk, to } = await mailing(t);
    const path = `${TEMPLATES}/${name}`;
    const original = await desk.owner.fetch(path);
    const contents = words(original.contents, 'Grüß Gott 🦆').replace('{% block subject %}', '{% block subject %}[Ünter] ');
    assert.notEqual(contents, words(original.contents, 'Grüß Gott 🦆'));
    await desk.owner.update(path, { contents });
    await send(desk);
    const mail = name === 'verification' ? await to.find('second@people.example') : await to.mail();
    assert.ok(mail.subject.startsWith('[Ünter] '), mail.subject);
    for (const said of [mail.text, mail.html]) assert.ok(said.includes('Grüß Gott 🦆') && !said.includes('Hello') && !/\{\{|\{%/.test(said), said);
    assert.deepEqual(mail.defects, []);
    assert.match(mail.raw, /^[\x00-\x7f]*$/, 'seven bits');
    assert.deepEqual(mail.parts, ['text/plain; charset=utf-8', 'text/html; charset=utf-8']);
  });
}

test('a restored template is used again, unchanged', async (t) => {
  const { desk, invite } = await mailing(t);
  const before = await invite('Same Name');
  const original = await desk.owner.fetch(INVITATION);
  await desk.owner.update(INVITATION, { contents: words(original.contents, 'Changed') });
  assert.ok((await invite('Same Name')).text.includes('Changed'));
  (await desk.owner.put(`${INVITATION}/restore`)).must(200);
  const after = await invite('Same Name');
  const plain = (mail) => [mail.subject, mail.text.replaceAll(mail.link, 'LINK').replaceAll(mail.to[0], 'TO'), mail.html.replace(/hash=[^"<]*/g, '').replaceAll(mail.to[0], 'TO')];
  assert.deepEqual(plain(after), plain(before));
});

test('names are escaped in every place of a template', async (t) => {
  const { desk, reset } = await mailing(t);
  const { contents } = await desk.owner.fetch(RESET);
  const spoken = (html) => ({ contents: contents.replace('{% block subject %}', '{% block subject %}{{name}} ').replace('{% block html %}', `{% block html %}${html}`) });
  const attributes = await desk.owner.put(RESET, spoken('<i title="{{name}}">{{name}}</i><b title=\'{{name}}\'></b>'));
  if (attributes.status === 400) { // a template without values in attributes is safe, too
    attributes.refused(400, 'FIELD_INVALID', 'contents');
    await desk.owner.update(RESET, spoken('<i>{{name}}</i>'));
  }
  const names = ['<script>alert(1)</script>', '" onmouseover="alert(1)', "' onmouseover='alert(1)", '{{link}} {{desk}} {% block text %}', '&amp; &lt;', '=?utf-8?Q?=0D=0ABcc:_evil@example.com?=', 'Zoë 🦆 名前', 'n'.repeat(255), '\u202eevil', '%s%n%x'];
  for (const name of names) {
    const mail = await reset(name);
    assert.equal(mail.header('Bcc'), undefined);
    assert.deepEqual(mail.defects, []);
    assert.ok(mail.subject.replace(/\s+/g, ' ').startsWith(`${name} `), `${JSON.stringify(mail.subject)} of ${JSON.stringify(name)}`);
    assert.ok(mail.text.includes(`Hello ${name},`), mail.text);
    assert.doesNotMatch(mail.html, /<script|title="[^"]*" onmouseover|title='[^']*' onmouseover/i, mail.html);
    const shown = /<i(?: title="([^"]*)")?>([^<]*)<\/i>/.exec(mail.html);
    assert.ok(shown, mail.html);
    const read = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replace(/&quot;|&#34;|&#x22;/g, '"').replace(/&#39;|&#x27;|&apos;/g, "'").replaceAll('&amp;', '&');
    for (const text of shown.slice(1).filter((x) => x !== undefined)) assert.equal(read(text), name);
    assert.ok(mail.raw.split('\r\n').every((line) => line.length <= 998));
  }
});

test('any text in a template arrives unchanged', async (t) => {
  const { desk, invite } = await mailing(t);
  const { contents } = await desk.owner.fetch(INVITATION);
  const lines = ['.', '..', '.hidden', 'From nobody', '-- ', '--b', 'Bcc: evil@example.com', '=3D =', 'x'.repeat(5000), '名'.repeat(2000), 'QUIT', '100 % { } } {'];
  await desk.owner.update(INVITATION, { contents: contents.replace('{% block text %}', `{% block text %}\n${lines.join('\n')}\n`).replace('{% block html %}', `{% block html %}<pre>${lines.join('\n')}</pre>`) });
  const mail = await invite();
  assert.deepEqual([mail.defects, mail.header('Bcc')], [[], undefined]);
  const got = mail.text.split(/\r?\n/);
  for (const line of lines) assert.ok(got.includes(line) || got.includes(line.trimEnd()), `${JSON.stringify(line.slice(0, 40))} in the text`);
  assert.ok(mail.html.includes('x'.repeat(5000)));
  assert.match(mail.raw, /^[\x00-\x7f]*$/);
  assert.doesNotMatch(mail.raw, /[^\r]\n|\r[^\n]/);
  assert.ok(mail.raw.split('\r\n').every((line) => line.length <= 998));
});

test('a template with nonsense is refused with the field named, or sends a mail', async (t) => {
  const { desk, invite } = await mailing(t);
  const { contents } = await desk.owner.fetch(INVITATION);
  const inside = (text) => contents.replace('{% block text %}', `{% block text %}${text}`);
  const nonsense = ['{{', '}}', '{%', '%}', '{{}}', '{{ }}', '{%%}', '{{nothing}}', '{{name|safe}}', '{{name.__class__}}', '{{7*7}}', '{% include "/etc/passwd" %}', '{% for i in x %}{% endfor %}', '{% if name %}', '{% endblock %}', '{% block subject %}',
    '{% extends "x" %}', '{{{{name}}}}', '{#', '{# x #}', '<%= 7*7 %>', '${7*7}', '#{7*7}', '{{ name }}', '{{name', '\u0001', '\u0000', '\r', '\u2028', '{{'.repeat(5000), 'x'.repeat(1_000_000)];
  const whole = ['x', '<p>Hello</p>', contents + contents, contents.replace('{% block subject %}', '{% block subject %}a\nBcc: evil@example.com\n'), contents.replace('{% block subject %}', '{% block subject %}a\rX: y'), contents.split('{% block html %}')[0], contents.replaceAll('{{link}}', ''), '{% block subject %}{% endblock %}', ' '];
  for (const text of [...nonsense.map(inside), ...whole]) {
    const reply = await desk.owner.put(INVITATION, { contents: text });
    if (reply.status === 400) {
      assert.ok(reply.body.errors.every((e) => e.parameter === 'contents' && /^FIELD_/.test(e.code)), `${reply}`);
      continue;
    }
    assert.equal(reply.must(200).data.contents, text);
    const mail = await invite();
    assert.deepEqual([mail.defects, mail.header('Bcc'), mail.header('X')], [[], undefined, undefined], JSON.stringify(text.slice(0, 200)));
    assert.doesNotMatch(mail.text, /root:.*:0:0|\b49\b/);
    assert.ok(mail.subject.length > 0);
  }
  (await desk.owner.put(`${INVITATION}/restore`)).must(200);
  const { link } = await invite();
  assert.ok(link);
});

test('a template full of values is refused or sent', async (t) => {
  const { desk, reset } = await mailing(t);
  const { contents } = await desk.owner.fetch(RESET);
  const many = (n) => contents.replace('{% block text %}', `{% block text %}${' {{name}}'.repeat(n)}`).replace('{% block html %}', `{% block html %}${' {{name}}'.repeat(n)}`);
  for (const n of [100, 3500, 20_000]) {
    const reply = await desk.owner.put(RESET, { contents: many(n) });
    if (reply.status !== 200) { reply.refused(400, 'FIELD_INVALID', 'contents'); continue; }
    const mail = await reset('&'.repeat(255));
    assert.deepEqual(mail.defects, []);
    assert.equal(mail.text.split('&'.repeat(255)).length - 1, n + 1);
  }
});

test('the link in a mail of a changed template works, and is the same in text and HTML', async (t) => {
  const { desk, invite } = await mailing(t);
  const { contents } = await desk.owner.fetch(INVITATION);
  await desk.owner.update(INVITATION, { contents: words(contents, 'Dear') });
  const mail = await invite();
  const href = /href="([^"]*)"/.exec(mail.html)[1].replaceAll('&amp;', '&');
  assert.equal(href, mail.link);
  const page = (await desk.anyone.exchange('GET', new URL(mail.link).pathname + new URL(mail.link).search)).must(200);
  assert.match(page.headers['content-type'], /^text\/html/);
  (await desk.anyone.exchange('POST', new URL(mail.link).pathname, { body: form({ hash: mail.hash, new_password: PASSWORD }) })).must(200);
  await desk.login(mail.to[0]).fetch('/profile');
});

test('a page uses its template', async (t) => {
  const desk = await open(t);
  const shown = async () => (await desk.anyone.exchange('GET', '/password?hash=nonsense')).text;
  const before = await shown();
  const page = (await desk.owner.fetch(TEMPLATES, { limit: 1000 })).find((x) => /<p>([^<{]{20,})<\/p>/.test(x.contents) && before.includes(/<p>([^<{]{20,})<\/p>/.exec(x.contents)[1]));
  assert.ok(page, `a template of the page: ${before}`);
  const [, sentence] = /<p>([^<{]{20,})<\/p>/.exec(page.contents);
  const path = `${TEMPLATES}/${page.name}`;
  const reply = (await desk.owner.put(path, { contents: page.contents.replace(sentence, 'Dieser Weg führt nirgendwohin. 🦆') })).must(200);
  assert.equal(reply.data.is_custom, true);
  const after = await shown();
  assert.ok(after.includes('Dieser Weg führt nirgendwohin. 🦆') && !after.includes(sentence), after);
  (await desk.owner.put(`${path}/restore`)).must(200);
  assert.equal(await shown(), before);
});
