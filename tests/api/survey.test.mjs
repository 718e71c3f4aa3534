// Satisfaction surveys: the mail, its page and the rating (src/core/cases/survey.c).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, form, open, relayFor } from './lib/index.mjs';

const page = (desk, query) => desk.anyone.exchange('GET', '/survey', { query });
const press = (desk, body) => desk.anyone.exchange('POST', '/survey', { body: form(body) });
const statusOf = async (desk, { id }) => (await desk.staff.fetch(`/cases/${id}`)).rating_status;
const queued = (desk) => Number(desk.sql("SELECT COUNT(*) FROM outgoing_mails WHERE template = 'survey'").trim());

/** A desk that sends a survey when a conversation is completed, and a conversation. */
async function surveying(t) {
  const desk = await open(t), to = await relayFor(t, desk);
  await desk.admin.create('/triggers', {
    title: 'Ask', predicate_collections: [{ propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: '4' }] }],
    actions: [{ name: 'satisfactionsurvey', option: 'SEND', value: true }],
  });
  const talk = await desk.staff.create('/cases', { subject: 'The <engine> stalls', contents: 'It stops.', requester_id: desk.people.customer.id });
  const complete = () => desk.staff.update(`/cases/${talk.id}`, { status_id: 4 });
  return { desk, to, talk, complete };
}

test('a trigger sends a survey; its page asks for the score first, and only a POST rates', async (t) => {
  const { desk, to, talk, complete } = await surveying(t);
  assert.equal(await statusOf(desk, talk), 'UNOFFERED');
  await complete();
  assert.equal(await statusOf(desk, talk), 'OFFERED');
  const mail = await to.find(desk.people.customer.email);
  assert.deepEqual([mail.subject, mail.link.split('?')[0]], ['How did we do? The <engine> stalls', `${desk.base}/survey`]);
  for (const _ of [1, 2]) {
    const shown = (await page(desk, { hash: mail.hash })).must(200);
    assert.match(shown.text, /The &lt;engine&gt; stalls[^]*value="GOOD"[^]*value="BAD"[^]*<textarea[^]*<button>Send/);
  }
  assert.equal(await statusOf(desk, talk), 'OFFERED');
  assert.match((await press(desk, { hash: mail.hash, score: 'GOOD', comment: ' Well done ' })).must(200).text, /Thank you/);
  assert.equal(await statusOf(desk, talk), 'RECEIVED');
  const [rating] = await desk.staff.fetch(`/conversations/${talk.id}/ratings`);
  assert.deepEqual([rating.score, rating.comment, rating.creator.id], ['GOOD', 'Well done', desk.people.customer.id]);
  (await press(desk, { hash: mail.hash, score: 'bad' })).must(200);
  const [changed] = await desk.staff.fetch(`/conversations/${talk.id}/ratings`);
  assert.deepEqual([changed.id, changed.score, changed.comment], [rating.id, 'BAD', 'Well done']);
  (await desk.staff.post(`/conversations/${talk.id}/ratings`, { score: 'BAD', comment: 'By staff' })).must(200);
  (await press(desk, { hash: mail.hash, score: 'GOOD' })).must(200);
  assert.deepEqual((await desk.staff.fetch(`/conversations/${talk.id}/ratings`)).map((r) => [r.score, r.comment]), [['GOOD', 'Well done'], ['BAD', 'By staff']], 'the link changes the rating of its reader');
});

test('a survey is sent once a day, and not to a rated conversation', async (t) => {
  const { desk, talk, complete } = await surveying(t);
  const again = async () => {
    await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
    await complete();
  };
  await complete();
  await again();
  assert.equal(queued(desk), 1);
  const refused = (await desk.staff.fetch(`/cases/${talk.id}/activities`)).map((activity) => JSON.stringify(activity));
  assert.ok(refused.some((text) => text.includes('less than a day ago')), refused.join('\n'));
  await desk.clock.forward(DAY + 1000);
  await again();
  assert.equal(queued(desk), 2);
  (await desk.customer.post(`/conversations/${talk.id}/ratings`, { score: 'GOOD' })).must(200);
  await desk.clock.forward(DAY + 1000);
  await again();
  assert.equal(queued(desk), 2);
});

test('a wrong, old, replaced or incomplete answer rates nothing', async (t) => {
  const { desk, to, talk, complete } = await surveying(t);
  await complete();
  const { hash } = await to.find(desk.people.customer.email);
  const dead = async (h) => {
    assert.match((await page(desk, { hash: h })).must(400).text, /This link does not work/);
    assert.match((await press(desk, { hash: h, score: 'GOOD' })).must(400).text, /This link does not work/);
  };
  for (const wrong of ['', 'x', '1', '-', `${hash}0`, hash.replace(/.$/, (c) => (c === '0' ? '1' : '0')), `99${hash.slice(hash.indexOf('-'))}`, '9'.repeat(40)]) await dead(wrong);
  for (const body of [{}, { score: 'GREAT' }, { score: 'GOOD', comment: 'x'.repeat(2001) }]) assert.match((await press(desk, { hash, ...body })).must(400).text, /role="alert"/);
  await desk.staff.update(`/cases/${talk.id}/trash`);
  await dead(hash);
  await desk.staff.update(`/cases/${talk.id}/restore`);
  (await page(desk, { hash })).must(200);
  await desk.clock.forward(2 * DAY);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
  await complete();
  await dead(hash); // a newer survey replaces it
  const newer = await to.find(desk.people.customer.email);
  await desk.clock.forward(31 * DAY);
  await dead(newer.hash);
  assert.equal(await statusOf(desk, talk), 'OFFERED');
});

test('the link of a former requester is dead', async (t) => {
  const { desk, to, talk, complete } = await surveying(t);
  await complete();
  const { hash } = await to.find(desk.people.customer.email);
  const other = await desk.person('customer');
  await desk.staff.update(`/cases/${talk.id}`, { requester_id: other.id });
  (await page(desk, { hash })).must(400);
  (await press(desk, { hash, score: 'BAD' })).must(400);
  assert.equal(await statusOf(desk, talk), 'OFFERED');
});
