import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { CALLERS, CANARIES, prepare } from './lib/access.mjs';
import { open, shared, until } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';
import { SCOPES, accessToken, apiToken } from './lib/tokens.mjs';

// A right to hear ends when the right to read ends.

const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const WRITERS = 16;

/** Writers that write posts and changes to a conversation until `stop()`, which returns the ids of all posts. */
function writers(desk, id) {
  const posts = [];
  let over = false;
  const all = Array.from({ length: WRITERS }, async (_, n) => {
    for (let i = 0; !over; i++) {
      if (n % 4 === 3) await desk.owner.update(`/cases/${id}`, { subject: `S${n}.${i}` });
      else if (n % 4 === 2) await desk.admin.create(`/cases/${id}/notes`, { contents: 'N' });
      else posts.push((await desk.owner.create(`/conversations/${id}/messages`, { contents: 'M' })).id);
    }
  });
  return { posts, stop: async () => { over = true; await Promise.all(all); return posts; } };
}

/** A conversation of a team, and an agent of this team only. */
async function world(t) {
  const desk = await open(t);
  const [team, other] = [await desk.owner.create('/teams', { title: 'Team' }), await desk.owner.create('/teams', { title: 'Other' })];
  const { id } = await desk.owner.create('/cases', { subject: 'S', contents: 'C', requester_id: desk.people.customer.id, assigned_team_id: team.id });
  const agent = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const topic = await channelOf(desk.owner, `/cases/${id}`);
  return { desk, team, other, id, agent, topic, customer: desk.people.customer.id };
}

const posted = (frames) => frames.filter((f) => f.event === 'NEW_POST').map((f) => f.payload.resource_id);

/** Each way to lose a right: how the caller logs in (`as`), and what takes the right away (`take`). */
const LOSSES = {
  'loses the team': { take: ({ desk, agent, other }) => desk.owner.update(`/users/${agent.id}`, { team_ids: [other.id] }) },
  'loses the access to a team by its list of members': { take: async ({ desk, team, agent }) => (await desk.owner.delete(`/teams/${team.id}/members`, { agent_id: agent.id })).must(200) },
  'gets another role': { take: ({ desk, agent }) => desk.owner.update(`/users/${agent.id}`, { role_id: 4 }) },
  'is narrowed to own conversations': { take: ({ desk, agent }) => desk.owner.update(`/users/${agent.id}`, { agent_case_access: 'SELF' }) },
  'is disabled': { ends: true, take: ({ desk, agent }) => desk.owner.update(`/users/${agent.id}`, { is_enabled: false }) },
  'sees the conversation move to another team': { take: ({ desk, id, other }) => desk.owner.update(`/cases/${id}`, { assigned_team_id: other.id }) },
  'logs out': {
    ends: true, late: true,
    as: async (w) => { w.session = await w.desk.session(w.agent.client); return w.session.bare; },
    take: async ({ session }) => (await session.client.delete('/session')).must(200),
  },
  'changes the password in another session': {
    ends: true, late: true,
    as: async ({ desk, agent }) => (await desk.session(agent.client)).bare,
    take: ({ desk, agent }) => desk.owner.update(`/users/${agent.id}`, { password: 'An0ther & longer secret' }),
  },
  'revokes the token': {
    ends: true, late: true,
    as: async (w) => { w.token = await apiToken(w.desk, w.agent.client); return w.token.client; },
    take: async ({ agent, token }) => (await agent.client.delete(`/profile/api_tokens/${token.id}`)).must(200),
  },
  'narrows the token': {
    late: true,
    as: async (w) => { w.token = await apiToken(w.desk, w.agent.client); return w.token.client; },
    take: ({ agent, token }) => agent.client.update(`/profile/api_tokens/${token.id}`, { scopes: ['users:read'] }),
  },
  'revokes the grant of the program': {
    ends: true, late: true,
    as: async (w) => {
      const program = await w.desk.admin.create('/oauth/clients', { name: 'P', callback_url: 'https://app.example/callback', scopes: ['conversations:read'] });
      w.granted = accessToken(w.desk, { user: w.agent.id, client: program.id, scopes: ['conversations:read'] });
      return w.granted.client;
    },
    take: async ({ agent, granted }) => (await agent.client.delete(`/oauth/my_grants/${granted.grant}`)).must(200),
  },
};

describe('the moment of loss, while 16 writers write:', () => {
  for (const [what, { take, as, ends, late }] of Object.entries(LOSSES)) {
    test(`an agent who ${what} receives nothing that was committed after it`, async (t) => {
      const w = await world(t), { desk, id, topic } = w;
      const caller = await as?.(w) ?? w.agent.client;
      const socket = await Socket.open(t, caller), source = await stream(t, caller, [topic]);
      assert.equal((await socket.join(topic)).status, 'ok');
      await source.event('open');
      const busy = writers(desk, id);
      await until('posts on both ways', () => posted(socket.frames).length > 5 && posted(source.events).length > 5);
      await take(w);
      let before = busy.posts.length;
      const told = Date.now();
      await until('the end', () => socket.frames.some((f) => f.event === 'phx_close' && f.topic === topic) || (ends && socket.ws.readyState === 3));
      const took = Date.now() - told;
      if (late) before = busy.posts.length; // the end of a session is no commit of the change log: it is found within a second
      await until('more posts', () => busy.posts.length > before + 2 * WRITERS);
      const later = busy.posts.slice(before + WRITERS); // the first were possibly committed before the loss
      await busy.stop();
      assert.ok(took < 10_000, `${took} ms`); // a second on a machine without load
      const heard = new Set([...posted(socket.frames), ...posted(source.events)]);
      assert.deepEqual(later.filter((post) => heard.has(post)), []);
      if (ends) {
        assert.equal((await socket.closed).code, 1008);
        await source.ended;
      } else {
        const end = socket.frames.findIndex((f) => f.event === 'phx_close');
        assert.deepEqual(socket.frames.slice(end + 1).filter((f) => f.topic === topic), []);
        await until('the end of the stream', () => source.events.some((e) => e.event === 'phx_close'));
        assert.equal((await socket.join(topic)).response.reason, 'unauthorized');
      }
      const last = source.events.filter((e) => e.id).at(-1).id;
      const again = ends ? undefined : await caller.get('/realtime', { channels: topic }, { 'Last-Event-ID': last });
      if (again) assert.equal(again.status, 400);
    });
  }
});

test('a customer who leaves the organization no longer hears the conversations of its members', async (t) => {
  const desk = await open(t);
  const organization = await desk.owner.create('/organizations', { name: 'O', is_shared: true });
  const more = { organization_id: organization.id, organization_case_access: 'ORGANIZATION' };
  const [one, two] = [await desk.person('customer', more), await desk.person('customer', more)];
  const { id } = await one.client.create('/conversations', { subject: 'S', contents: 'C' });
  const socket = await Socket.open(t, two.client), topic = await channelOf(two.client, `/conversations/${id}`);
  assert.equal((await socket.join(topic)).status, 'ok');
  await one.client.create(`/conversations/${id}/messages`, { contents: 'M' });
  await socket.event('NEW_POST');
  await desk.owner.update(`/users/${two.id}`, { organization_id: null });
  await one.client.create(`/conversations/${id}/messages`, { contents: 'M' });
  await socket.event('phx_close');
  await socket.all();
  assert.equal(socket.events('NEW_POST').length, 1);
});

test('a customer whose conversation goes to the trash, or into one of somebody else, hears nothing more of it', async (t) => {
  const desk = await open(t), { client: other } = await desk.person('customer');
  const opened = (client) => client.create('/conversations', { subject: 'S', contents: 'C' });
  const [trashed, merged, foreign] = [await opened(desk.customer), await opened(desk.customer), await opened(other)];
  const socket = await Socket.open(t, desk.customer);
  const topics = [];
  for (const { id } of [trashed, merged]) {
    topics.push(await channelOf(desk.customer, `/conversations/${id}`));
    assert.equal((await socket.join(topics.at(-1))).status, 'ok');
  }
  (await desk.staff.put(`/cases/${trashed.id}/trash`, {})).must(200);
  await socket.frame((f) => f.event === 'phx_close' && f.topic === topics[0]);
  (await desk.staff.post(`/cases/${foreign.id}/merge`, { case_ids: [merged.id], force: true })).must(200);
  await socket.frame((f) => f.event === 'phx_close' && f.topic === topics[1]);
  for (const topic of topics) assert.equal((await socket.join(topic)).status, 'error');
});

test('a view that is deleted or no longer shared ends its channel', async (t) => {
  const desk = await open(t);
  const view = (title) => desk.admin.create('/views', { title, visibility_type: 'ALL', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'x' }] }] });
  const [gone, own] = [await view('A'), await view('B')];
  const socket = await Socket.open(t, desk.staff);
  const topics = [];
  for (const { id } of [gone, own]) {
    topics.push(await channelOf(desk.staff, `/views/${id}`));
    assert.equal((await socket.join(topics.at(-1))).status, 'ok');
  }
  (await desk.admin.delete(`/views/${gone.id}`)).must(200);
  await socket.frame((f) => f.event === 'phx_close' && f.topic === topics[0]);
  await desk.admin.update(`/views/${own.id}`, { visibility_type: 'SELF' });
  await socket.frame((f) => f.event === 'phx_close' && f.topic === topics[1]);
});

test('a token hears the channels whose objects it may read, and no others, for each single scope', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const organization = await desk.owner.create('/organizations', { name: 'O' });
  const view = (await desk.owner.fetch('/views'))[0];
  const objects = [`/cases/${id}`, `/users/${desk.people.customer.id}`, `/organizations/${organization.id}`, `/views/${view.id}`, '/cases'];
  const prefix = (await channelOf(desk.owner, `/cases/${id}`)).replace(/@.*/, '@v1_');
  const topicOf = (path) => prefix + (path === '/cases' ? 'inbox' : path.slice(1).replace('/', '_'));
  let allowed = 0;
  for (const scope of SCOPES) {
    const { client } = await apiToken(desk, desk.owner, { name: scope, scopes: [scope] });
    const socket = await Socket.open(t, client);
    for (const path of objects) {
      const reads = (await client.get(path, { fields: 'id', limit: path === '/cases' ? 1 : undefined })).status === 200;
      assert.equal((await socket.join(topicOf(path))).status, reads ? 'ok' : 'error', `${scope} ${path}`);
      assert.equal((await client.exchange('HEAD', '/api/v1/realtime', { query: { channels: topicOf(path) } })).status, reads ? 200 : 400, `${scope} ${path}`);
      allowed += reads;
    }
    socket.ws.terminate();
  }
  assert.ok(allowed >= objects.length && allowed < objects.length * SCOPES.length);
});

test('a session that ends while its socket joins hears nothing afterwards, and no join succeeds later', async (t) => {
  const w = await world(t), { desk, agent, id, topic } = w;
  for (let n = 0; n < 10; n++) {
    const { bare, client } = await desk.session(agent.client), socket = await Socket.open(t, bare);
    for (let i = 0; i < 100; i++) socket.send(topic, 'phx_join');
    const ended = client.delete('/session');
    for (let i = 0; i < 100; i++) socket.send(topic, 'phx_join');
    (await ended).must(200);
    const { code } = await socket.closed;
    assert.equal(code, 1008);
    const heard = socket.frames.length;
    await desk.owner.create(`/conversations/${id}/messages`, { contents: 'M' });
    assert.equal(socket.frames.length, heard);
  }
});

test('a replay shows only what the caller may see now', async (t) => {
  const w = await world(t), { desk, id, topic, agent } = w;
  const first = await stream(t, agent.client, [topic]);
  const { id: start } = await first.event('open');
  first.close();
  await desk.owner.create(`/cases/${id}/notes`, { contents: 'N' });
  const message = await desk.owner.create(`/conversations/${id}/messages`, { contents: 'M' });
  const again = await stream(t, agent.client, [topic], { after: start });
  await again.event('NEW_POST', (p) => p.resource_id === message.id);
  assert.equal(posted(again.events).length, 2);
  again.close();
  // The customer of the conversation continues from the cursor of staff.
  const customer = await stream(t, desk.customer, [topic], { after: start });
  await customer.event('NEW_POST');
  assert.deepEqual(posted(customer.events), [message.id]);
  assert.doesNotMatch(JSON.stringify(customer.events), /notes/);
  customer.close();
  await desk.owner.update(`/cases/${id}`, { assigned_team_id: w.other.id });
  assert.equal((await agent.client.get('/realtime', { channels: topic }, { 'Last-Event-ID': start })).status, 400);
  const inbox = topic.replace(/@.*/, '@v1_inbox'), all = await stream(t, agent.client, [inbox], { after: start });
  await all.event('open');
  const { id: seen } = await desk.owner.create('/cases', { subject: 'S', contents: 'C', requester_id: w.customer, assigned_team_id: w.team.id });
  await all.event('NEW_CASE', (p) => p.resource_id === seen);
  assert.deepEqual(all.events.filter((e) => e.payload.case_id === id || e.payload.resource_id === id), []);
});

test('a page of another site opens neither socket nor stream with the cookie of a person; our own page does', async (t) => {
  const desk = await open(t);
  const { id } = await desk.session(desk.staff);
  const cookie = desk.anyone.with({ Cookie: `desk_session=${id}` });
  const status = (headers) => Socket.open(t, cookie, { headers }).then((socket) => { socket.ws.terminate(); return 101; }, (error) => error.status);
  const host = `127.0.0.1:${desk.daemons[0].port}`;
  assert.equal(await status({ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }), 403);
  assert.equal(await status({ Origin: 'https://evil.example' }), 403);
  assert.equal(await status({ Origin: 'null' }), 403);
  assert.equal(await status({ Origin: `http://${host}.evil.example` }), 403);
  assert.equal(await status({ Origin: desk.base }), 101);
});

// ---- each caller at each channel ----

describe('every channel:', () => {
  const made = shared(prepare);
  for (const [name, callers] of Object.entries(CALLERS)) {
    test(`no frame has a canary that its caller may not read, as ${callers.join(', ')}`, async (t) => {
      const { desk } = made, owner = made.callers.owner;
      const paths = [...made.addresses.paths].filter((path) => /^\/(cases|users|organizations|views)\/\d+$/.test(path)).map((path) => path.slice(1).replace('/', '_'));
      const prefix = (await channelOf(owner, `/cases/${made.second}`)).replace(/@.*/, '@v1_');
      assert.deepEqual(new Set(paths.map((path) => path.split('_')[0])), new Set(['cases', 'users', 'organizations', 'views']));
      const topics = [...paths, 'inbox', 'comments'].map((path) => prefix + path);
      const owns = Object.fromEntries(await Promise.all(Object.entries(made.callers).map(async ([caller, client]) => {
        const reply = await client.exchange('GET', '/api/v1/profile', { query: { fields: '+notification_channel' } });
        return [caller, reply.status === 200 ? reply.data.notification_channel : undefined];
      })));
      const sockets = {};
      for (const caller of callers) {
        const client = made.callers[caller];
        const socket = await Socket.open(t, client).catch((error) => error);
        if (caller === 'nobody') { assert.equal(socket.status, 401); continue; }
        sockets[caller] = socket;
        for (const topic of topics) {
          const kind = topic.slice(prefix.length), path = kind === 'inbox' ? '/cases' : `/${kind.replace('_', '/')}`;
          const staff = !['customer', 'requester', 'colleague', 'narrow', 'foreign', 'fingerprint'].includes(caller);
          const read = await client.exchange('GET', `/api/v1${staff ? path : path.replace('/cases', '/conversations')}`, { query: { fields: 'id' } });
          const may = kind === 'inbox' && !staff ? undefined : read.status === 200;
          const { status } = await socket.join(topic);
          if (may !== undefined) assert.equal(status, may ? 'ok' : 'error', `${caller} ${topic} ${read.status}`);
        }
        for (const [other, own] of Object.entries(owns)) if (own) assert.equal((await socket.join(own)).status, own === owns[caller] ? 'ok' : 'error', `${caller} at the own channel of ${other}`);
      }
      const cases = paths.filter((path) => path.startsWith('cases_')).map((path) => path.replace('_', '/'));
      for (const path of cases) {
        await owner.exchange('POST', `/api/v1/${path}/notes`, { body: { contents: 'canarycasenote' } });
        await owner.exchange('POST', `/api/v1/${path.replace("cases", "conversations")}/messages`, { body: { contents: 'canarycasenote' } });
        await owner.exchange('PUT', `/api/v1/${path}`, { body: { tags: `canarytag,${randomUUID().slice(0, 8)}`, field_values: { hidden_note: `canaryhidden ${randomUUID()}` } } });
      }
      for (const path of paths.filter((p) => /^(users|organizations)_/.test(p)).map((p) => p.replace('_', '/'))) {
        await owner.exchange('PUT', `/api/v1/${path}`, { body: { tags: `canarytag,${randomUUID().slice(0, 8)}`, field_values: { hidden_note: `canaryhidden ${randomUUID()}` } } });
      }
      const probe = await Socket.open(t, owner);
      await probe.join(prefix + `cases_${made.second}`);
      const { id: last } = await owner.create(`/conversations/${made.second}/messages`, { contents: 'Plain' });
      await probe.event('NEW_POST', (p) => p.resource_id === last);
      let heard = 0;
      for (const [caller, socket] of Object.entries(sockets)) {
        const frames = await socket.all();
        heard += frames.filter((f) => /^(NEW|CHANGE)/.test(f.event)).length;
        const text = JSON.stringify(frames);
        for (const [canary, readers] of Object.entries(CANARIES)) assert.ok(!text.includes(canary) || readers.includes(caller), `${caller} hears ${canary}`);
        if (['customer', 'requester', 'colleague', 'narrow', 'foreign', 'fingerprint'].includes(caller)) assert.doesNotMatch(text, /\/notes\/|hidden_note/, `${caller} ${/.{300}(\/notes\/|hidden_note).{100}/.exec(text)?.[0]}`);
        socket.ws.terminate();
      }
      assert.ok(heard > callers.length, `${name}: only ${heard} events`);
    });
  }
});
