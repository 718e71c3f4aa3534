import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { form, json, multipart, open, raw, shared } from './lib/index.mjs';

const OWNERS = [
  ['users', (desk, more) => desk.owner.create('/users', { full_name: 'U', email: `u${Math.random()}@x.example`, ...more })],
  ['organizations', (desk, more) => desk.owner.create('/organizations', { name: 'O', ...more })],
];
const names = (tags) => tags.map((tag) => tag.name);

for (const [kind, make] of OWNERS) {
  describe(`tags of ${kind}`, () => {
    const world = shared();
    const tagsOf = async (id) => names(await world.desk.owner.fetch(`/${kind}/${id}/tags`, { limit: 1000 }));

    test('are shown on request, and listed under the owner', async () => {
      const { owner, staff } = world.desk;
      const made = await make(world.desk, { tags: 'VIP, Early bird' });
      assert.ok(!('tags' in made));
      const [first, second] = (await staff.fetch(`/${kind}/${made.id}`, { fields: '+tags' })).tags;
      assert.deepEqual(Object.keys(first), ['id', 'name', 'resource_type']);
      assert.deepEqual([first.name, second.name, first.resource_type], ['Early bird', 'VIP', 'tag']);
      const list = (await owner.get(`/${kind}/${made.id}/tags`, { limit: 1 })).must(200);
      assert.deepEqual([list.body.resource, list.body.total_count, list.data], ['tag', 2, [first]]);
      const full = await owner.fetch(`/${kind}/${made.id}`, { fields: '+tags', include: 'tag' });
      assert.deepEqual(full.tags[0], first);
      const row = (await owner.fetch(`/${kind}`, { fields: 'tags', limit: 1000 })).find((x) => x.id === made.id);
      assert.deepEqual(names(row.tags), ['Early bird', 'VIP']);
      assert.ok('created_at' in row, 'other members are kept if `fields` names only tags');
    });

    test('a given list replaces them, and texts with the same folding are one tag', async () => {
      const { owner } = world.desk;
      const { id } = await make(world.desk, { tags: ['Müller', 'b', 'B'] });
      const { id: other } = await make(world.desk, { tags: ['MULLER'] });
      assert.deepEqual((await tagsOf(id)).length, 2);
      assert.deepEqual(await tagsOf(other), ['Müller'], 'the first spelling is kept');
      await owner.update(`/${kind}/${id}`, { tags: ['c', 'mÜller'] });
      assert.deepEqual((await tagsOf(id)).sort(), ['Müller', 'c']);
      await owner.update(`/${kind}/${id}`, {});
      assert.equal((await tagsOf(id)).length, 2);
      for (const none of ['', [], null]) {
        await owner.update(`/${kind}/${id}`, { tags: ['x'] });
        await owner.update(`/${kind}/${id}`, { tags: none });
        assert.deepEqual(await tagsOf(id), [], JSON.stringify(none));
      }
    });

    test('are accepted as JSON, form, multipart, or text with commas', async () => {
      const { owner } = world.desk;
      const { id } = await make(world.desk);
      for (const body of [json({ tags: ['a', 'b'] }), form({ tags: ['a', 'b'] }), multipart({ tags: ['a', 'b'] }), form({ tags: ' a ,, b,' }), form({ tags: '["a","b"]' })]) {
        await owner.update(`/${kind}/${id}`, { tags: 'z' });
        await owner.update(`/${kind}/${id}`, body);
        assert.deepEqual((await tagsOf(id)).sort(), ['a', 'b']);
      }
    });

    test('are added, replaced and removed under the owner', async () => {
      const { owner, desk = world.desk } = world;
      const client = owner ?? desk.owner;
      const { id } = await make(desk, { tags: 'a' });
      const path = `/${kind}/${id}/tags`;
      const added = (await client.post(path, { tags: 'b,a' })).must(201);
      assert.deepEqual([names(added.data).sort(), added.body.total_count, added.body.resource], [['a', 'b'], 2, 'tag']);
      assert.deepEqual(names((await client.put(path, { tags: ['c', 'b'] })).must(200).data).sort(), ['b', 'c']);
      (await client.delete(path, { tags: 'B, unknown' })).must(200);
      assert.deepEqual(await tagsOf(id), ['c']);
      (await client.delete(path)).refused(400, 'FIELD_REQUIRED', 'tags');
      (await client.post(path, {})).refused(400, 'FIELD_REQUIRED', 'tags');
      (await client.put(path, { tags: [] })).must(200);
      assert.deepEqual(await tagsOf(id), []);
    });

    test('invalid tags are refused by their place', async () => {
      const { owner } = world.desk;
      const { id } = await make(world.desk, { tags: 'a' });
      for (const [tags, place] of [[['a', 'x'.repeat(65)], 'tags/1'], [['a', 'b', 'c\u0007'], 'tags/2'], [['a,b'], 'tags/0'], [['\u0301'], 'tags/0'], [{ a: 1 }, 'tags'],
        [[['a']], 'tags/0'], [[true], 'tags/0'], [['a\u0000'], 'tags/0'], [Array.from({ length: 101 }, (_, i) => `t${i}`), 'tags']]) {
        (await owner.put(`/${kind}/${id}`, { tags })).refused(400, 'FIELD_INVALID', place);
      }
      (await owner.put(`/${kind}/${id}/tags`, { tags: ['x'.repeat(65)] })).refused(400, 'FIELD_INVALID', 'tags/0');
      (await owner.put(`/${kind}/${id}`, raw('application/x-www-form-urlencoded', 'tags=%c3'))).refused(400, 'BODY_INVALID');
      const hundred = Array.from({ length: 100 }, (_, i) => `t${i}`);
      await owner.update(`/${kind}/${id}`, { tags: hundred });
      (await owner.post(`/${kind}/${id}/tags`, { tags: 'one more' })).refused(400, 'FIELD_INVALID', 'tags');
      assert.equal((await tagsOf(id)).length, 100);
      assert.equal((await owner.put(`/${kind}/${id}`, { tags: ["'; DROP TABLE tags; --", '%', '<b>', '🏷'.repeat(64)] })).status, 200);
      assert.equal((await tagsOf(id)).length, 4);
    });

    test('staff read them, agents with the permission write them, customers never see them', async () => {
      const { desk } = world;
      const { id } = await make(desk, { tags: 'a' });
      const path = `/${kind}/${id}/tags`;
      (await desk.as('collaborator').get(path)).must(200);
      (await desk.as('collaborator').post(path, { tags: 'b' })).refused(403, 'PERMISSIONS_DENIED');
      (await desk.staff.post(path, { tags: 'b' })).must(201);
      (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
      (await desk.owner.get(`/${kind}/99999/tags`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.owner.put(`/${kind}/99999/tags`, { tags: 'a' })).refused(404, 'RESOURCE_NOT_FOUND');
      const role = await desk.owner.create('/roles', { title: `r${kind}`, type: 'AGENT' });
      (await desk.owner.put(`/roles/${role.id}/permissions`, { [`${kind}.update`]: 0 })).must(200);
      const { client } = await desk.person('agent', { role_id: role.id });
      (await client.put(path, { tags: 'c' })).refused(403, 'PERMISSIONS_DENIED');
    });
  });
}

test('agents tag customers and themselves, and nobody of a higher rank', async (t) => {
  const desk = await open(t);
  const { staff, people } = desk;
  (await staff.post(`/users/${people.customer.id}/tags`, { tags: 'a' })).must(201);
  (await staff.post(`/users/${people.agent.id}/tags`, { tags: 'a' })).must(201);
  (await staff.post(`/users/${people.admin.id}/tags`, { tags: 'a' })).refused(403, 'PERMISSIONS_DENIED');
});

test('a customer does not see their own tags', async (t) => {
  const desk = await open(t);
  await desk.owner.update(`/users/${desk.people.customer.id}`, { tags: 'troublesome' });
  for (const path of ['/me', '/profile']) {
    const { text } = (await desk.customer.get(path, { fields: '+tags', include: '*' })).must(200);
    assert.ok(!text.includes('troublesome'));
  }
});

test('a deleted person has no list of tags', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/users', { full_name: 'D', email: 'd@x.example', tags: 'a' });
  (await desk.owner.delete(`/users/${id}`)).must(200);
  (await desk.owner.get(`/users/${id}/tags`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.owner.put(`/users/${id}/tags`, { tags: 'b' })).refused(404, 'RESOURCE_NOT_FOUND');
});
