import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demo } from './lib/index.mjs';

test('a demo desk has tags, notes, files, ratings, custom fields, a form, trashed and merged conversations, and no defects', async (t) => {
  const desk = await demo(t, { conversations: 1000 });
  const cases = [];
  for (let after; ;) {
    const page = await desk.owner.fetch('/cases', { limit: 500, fields: '+tags', ...(after && { after_id: after }) });
    if (page.length === 0) break;
    cases.push(...page);
    after = page.at(-1).id;
  }
  const one = (what) => { const found = cases.find(what); assert.ok(found, String(what)); return found; };
  one((c) => c.tags.length > 1);
  one((c) => c.form);
  assert.ok(cases.some((c) => c.rating === 'GOOD') && cases.some((c) => c.rating === 'BAD'));
  const fields = (await desk.owner.fetch('/cases/fields')).filter((f) => !f.is_system);
  assert.deepEqual(fields.map((f) => f.key), ['order_number', 'product']);
  assert.ok(one((c) => c.custom_fields.every((v) => v.value)).custom_fields.length === 2);
  assert.equal((await desk.owner.fetch('/cases/forms'))[0].fields.length, 2);

  const types = new Map((await desk.owner.fetch('/cases/statuses')).map((status) => [status.id, status.type]));
  for (const c of cases) {
    const type = types.get(c.status.id), shown = JSON.stringify(c);
    assert.equal(c.last_completed_at !== null, ['COMPLETED', 'CLOSED'].includes(type), shown);
    assert.equal(c.last_closed_at !== null, type === 'CLOSED', shown);
    assert.ok(c.last_updated_by && c.last_public_channel && c.last_reply_by_requester_at, shown);
    for (const name of ['last_completed_at', 'last_closed_at', 'last_reply_by_agent_at', 'last_agent_activity_at', 'last_opened_at', 'last_pending_at']) assert.ok(c[name] === null || (c[name] >= c.created_at && c[name] <= c.updated_at), `${name} ${shown}`);
  }
  for (const type of ['COMPLETED', 'CLOSED']) one((c) => types.get(c.status.id) === type);

  const noted = one((c) => c.has_notes);
  assert.equal(noted.last_post_type, 'NOTE');
  assert.equal((await desk.owner.fetch(`/cases/${noted.id}/notes`, { filter: 'CASE' }))[0].body_text, noted.last_post_preview);
  one((c) => c.pinned_notes_count);

  const names = new Set(), pictures = [];
  for (const { id } of cases.filter((c) => c.has_attachments)) {
    for (const { attachments } of await desk.owner.fetch(`/conversations/${id}/messages`)) {
      for (const a of attachments) {
        if (a.thumbnails.length) pictures.push(a);
        if (names.has(a.name)) continue;
        names.add(a.name);
        assert.equal((await desk.owner.exchange('GET', a.url_download.slice(desk.base.length))).must(200).bytes.length, a.size);
      }
    }
  }
  assert.deepEqual([...names].sort(), ['error.log', 'invoice.txt', 'screenshot.png']);
  (await desk.owner.exchange('GET', pictures[0].thumbnails[0].url.slice(desk.base.length))).must(200);

  const zones = (await desk.owner.fetch('/businesshours', { limit: 100 })).map(({ time_zone }) => time_zone);
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']) assert.ok(zones.includes(zone), zone);
  assert.deepEqual((await desk.owner.fetch('/slas')).map(({ title }) => title).sort(), ['Standard', 'Urgent']);
  const stages = desk.sql('SELECT DISTINCT stage FROM sla_metrics ORDER BY stage').trim().split('\n');
  assert.equal(stages.join(), '1,2,3', 'the demo has clocks in all stages');

  const ratings = await desk.owner.fetch('/cases/ratings/recent', { limit: 1000 });
  assert.equal(ratings.length, cases.filter((c) => c.rating).length);
  const hidden = [];
  for (let id = 1; id <= 1000; id++) {
    if (cases.some((c) => c.id === id)) continue;
    hidden.push(await desk.owner.fetch(`/cases/${id}`));
  }
  assert.ok(hidden.some((c) => c.state === 'TRASH') && hidden.some((c) => c.is_merged), JSON.stringify(hidden.map((c) => [c.state, c.is_merged])));
  const { id: merged } = hidden.find((c) => c.is_merged);
  assert.match(JSON.stringify(await desk.owner.fetch(`/cases/${merged}/activities`)), /merged_into/);
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

test('a demo desk has a program with consents, and an API token', async (t) => {
  const desk = await demo(t, { conversations: 100 });
  const [client] = await desk.owner.fetch('/oauth/clients');
  assert.deepEqual([client.name, client.scopes], ['Order system', ['users:read', 'conversations:write']]);
  assert.equal((await desk.owner.fetch('/oauth/grants', { client_id: client.id })).length, 3);
  assert.equal((await desk.staff.fetch('/oauth/my_grants'))[0].client.name, 'Order system');
  assert.equal((await desk.staff.fetch('/profile/api_tokens'))[0].name, 'Weekly report');
  assert.match((await desk.owner.post(`/oauth/clients/${client.id}/secret`, {})).must(200).data.secret, /^dks_/);
});

test('a demo desk has rules that can be saved again, and a disabled endpoint', async (t) => {
  const desk = await demo(t, { conversations: 100 });
  const titles = async (path) => (await desk.owner.fetch(path)).filter((rule) => rule.is_enabled).map(({ title }) => title);
  assert.deepEqual(await titles('/triggers'), ['Raise the priority of the tag urgent', 'Tell the team Billing about refunds', 'Thank the customer on completion']);
  assert.deepEqual(await titles('/monitors'), ['Remind the customer after four days']);
  for (const path of ['/triggers', '/monitors']) {
    for (const { id, predicate_collections, actions } of await desk.owner.fetch(path)) {
      const saved = await desk.owner.put(`${path}/${id}`, { predicate_collections, actions });
      assert.deepEqual(saved.must(200).data.actions, actions);
      assert.deepEqual(saved.data.predicate_collections, predicate_collections);
    }
  }
  const [endpoint] = await desk.owner.fetch('/endpoints');
  assert.deepEqual([endpoint.type, endpoint.is_enabled], ['HTTP', false]);

  const { id } = (await desk.owner.fetch('/cases', { limit: 100 })).find((c) => c.status.id < 4 && c.priority?.id !== 4);
  await desk.owner.update(`/cases/${id}`, { tags: 'urgent' });
  assert.equal((await desk.owner.fetch(`/cases/${id}`)).priority.id, 4);
  await desk.owner.update(`/cases/${id}`, { status_id: 4 });
  assert.match(JSON.stringify(await desk.owner.fetch(`/cases/${id}/activities`)), /Thank the customer on completion/);
  assert.equal(desk.check().status, 0);
});

test('a demo desk has mailboxes, and mails in all states with their raw bytes', async (t) => {
  const desk = await demo(t, { conversations: 300 });
  const boxes = (await desk.admin.fetch('/mailboxes')).filter((box) => !box.is_system);
  assert.deepEqual(boxes.map((box) => [box.address, box.is_verified, box.team !== null, box.brand.id]).sort(), [['billing@desk.example', true, true, 1], ['orders@desk.example', true, true, 1]]);
  const mails = await desk.admin.fetch('/mails', { limit: 100 });
  const states = mails.map((mail) => mail.suspension_code ?? mail.status).sort();
  assert.deepEqual(states, ['AUTOMATED_EMAIL', 'FAILED', 'OUT_OF_OFFICE_EMAIL', 'REJECTED', 'SOURCE_IS_NOREPLY', 'SPAM', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
  for (const mail of mails) {
    assert.match(mail.source, /^From: .*\r\nTo: (orders|billing)@desk\.example\r\n/);
    assert.ok(mail.source.includes(mail.text), mail.source);
    assert.equal(Buffer.byteLength(mail.source), mail.size);
    assert.equal(mail.status === 'SUCCESS', mail.case_message !== null);
  }
  const { case: { id }, case_message: { id: post }, text, mailbox } = mails.find((mail) => mail.case);
  const message = await desk.admin.fetch(`/cases/${id}/messages/${post}`);
  assert.deepEqual([message.body_text ?? message.contents, message.mailbox.id], [text, mailbox.id]);
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});
