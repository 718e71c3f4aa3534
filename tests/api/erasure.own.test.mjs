// Two people do the same. An export has the data of one of them, and the receipt of an erasure counts the rows of one of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { register } from './lib/oauth.mjs';
import { raw, shared, storedMail, until } from './lib/index.mjs';
import { accessToken, apiToken } from './lib/tokens.mjs';
import { unzip } from './lib/zip.mjs';

/** Everything that an export has, in the name of one person. Each text contains `word`. */
async function busy(world, word) {
  const { desk } = world, { owner } = desk;
  const person = await desk.person('customer', {
    full_name: `${word} Canary`, email: `${word}@canary.example`, phone: `+4144668180${word.length}`, legacy_id: `${word}-1`, tags: word, field_values: { size: word },
    external_identifiers: [{ external_app: 'shop', external_id: word }],
  });
  const { id, client } = person;
  await owner.update(`/users/${id}`, { addresses: [{ address1: `${word} street` }], websites: [{ url: `https://${word}.example/` }] });
  (await owner.post('/identities/twitter', { user_id: id, screen_name: word })).must(200);
  desk.sql(`INSERT INTO identity_facebook (user_id, facebook_id, user_name, is_primary, is_validated, is_claim, created_at, updated_at) VALUES (${id}, '${1000 + word.length}', '${word}', 1, 1, 0, 0, 0)`); // no route makes one
  const talk = await client.create('/conversations', { subject: word, contents: `${word} writes` });
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: `To ${word}` })).must(201);
  await desk.staff.create(`/cases/${talk.id}/notes`, { contents: `About ${word}` });
  (await client.post(`/conversations/${talk.id}/ratings`, { score: 'GOOD', comment: word })).must(200);
  await client.create(`/articles/${world.article.id}/comments`, { contents: word });
  (await client.post(`/articles/${world.article.id}/upvote`, {})).must(200);
  (await desk.anyone.post(`/webhook/${world.token}/incoming`, { event: `${word}.paid`, user: { email: `${word}@canary.example` }, properties: { word } })).must(201);
  await desk.session(client.with({ 'User-Agent': word }));
  const program = await register(desk, { name: `${word} program` });
  accessToken(desk, { user: id, client: program.id, scopes: ['users:read'] });
  await apiToken(desk, client, { name: word });
  desk.sql(`INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, user_handle, rp_id, created_at, updated_at) VALUES (${id}, '${word}', '${word}', -7, 'AA', 0, '', 'AA', 'localhost', 1, 1)`); // staff make them
  await storedMail(desk, { subject: word, sender_id: id });
  const file = await client.create('/files', raw('text/plain', Buffer.from(`${word} bytes`)), { query: { _filename: `${word}.txt` } });
  (await client.post(`/conversations/${talk.id}/messages`, { contents: `${word} again`, attachment_file_ids: `${file.id}` })).must(201);
  return person;
}

const WORDS = ['jane', 'robert'];

describe('after the same acts of two people', () => {
  const world = shared(async (world) => {
    const { desk } = world, { owner } = desk;
    const [category] = await owner.fetch('/categories');
    const section = await owner.create('/sections', { titles: 'Engines', category_id: category.id, visibility: 'PUBLIC' });
    world.article = await owner.create('/articles', { titles: 'Start', contents: 'Turn the key.', section_id: section.id, status: 'PUBLISHED', allow_comments: true });
    world.token = (await owner.create('/events/tokens', { label: 'Shop' })).token;
    await owner.create('/users/fields', { type: 'TEXT', key: 'size', title: 'Size' });
    world.people = [await busy(world, WORDS[0]), await busy(world, WORDS[1])];
  });

  for (const [at, word] of WORDS.entries()) {
    test(`the export of ${word} has each subject, and nothing of the other`, async () => {
      const reply = (await world.desk.admin.exchange('GET', `/api/v1/users/${world.people[at].id}/export`, { headers: { Accept: 'application/zip' } })).must(200);
      const files = unzip(reply.bytes), read = (name) => JSON.parse(files[`${name}.json`]);
      const one = { [`${word}.txt`]: `${word} bytes` };
      assert.deepEqual(Object.keys(files).filter((name) => !name.endsWith('.json')), Object.keys(one));
      assert.equal(files[`${word}.txt`], one[`${word}.txt`]);
      const shown = Object.fromEntries(Object.entries({
        profile: 'full_name', emails: 'email', phones: 'number', twitter: 'screen_name', facebook: 'user_name', external_identifiers: 'identifier', addresses: 'address1', websites: 'url',
        field_values: 'value', tags: 'name', conversations: 'subject', messages: 'text', ratings: 'comment', comments: 'text', events: 'event', grants: 'program', api_tokens: 'name', passkeys: 'name', mails: 'subject',
      }).map(([name, member]) => [name, read(name).map((row) => row[member])]));
      assert.deepEqual(shown, {
        profile: [`${word} Canary`], emails: [`${word}@canary.example`], phones: [`+4144668180${word.length}`], twitter: [word], facebook: [word], external_identifiers: [word],
        addresses: [`${word} street`], websites: [`https://${word}.example/`], field_values: [word], tags: [word], conversations: [word], messages: [`${word} writes`, `To ${word}`, `${word} again`],
        ratings: [word], comments: [word], events: [`${word}.paid`], grants: [`${word} program`], api_tokens: [word], passkeys: [word], mails: [word],
      });
      assert.deepEqual(read('votes').map((v) => [v.article_id, v.is_up]), [[world.article.id, true]]);
      assert.equal(read('events')[0].properties.word, word);
      assert.ok(read('sessions').some((s) => s.user_agent === word));
      assert.ok(!JSON.stringify(files).includes(WORDS[1 - at]), 'nothing of the other person');
    });
  }

  test('a receipt counts what was kept of this person', async () => {
    const { desk } = world, { id } = world.people[0];
    const begun = (await desk.admin.post(`/users/${id}/erase`, {})).must(202).data;
    const { kept } = await until('the erasure', async () => {
      const receipt = await desk.admin.fetch(`/erasures/${begun.id}`);
      return receipt.status === 'COMPLETED' && receipt;
    });
    const counted = Object.fromEntries(kept.filter(({ count }) => count !== null).map(({ what, count }) => [what, count]));
    const { CONVERSATIONS, MESSAGE_TEXTS, NOTE_TEXTS, RATING_COMMENTS, COMMENT_TEXTS, VOTES } = counted;
    assert.deepEqual({ CONVERSATIONS, MESSAGE_TEXTS, NOTE_TEXTS, RATING_COMMENTS, COMMENT_TEXTS, VOTES },
      { CONVERSATIONS: 1, MESSAGE_TEXTS: 3, NOTE_TEXTS: 1, RATING_COMMENTS: 1, COMMENT_TEXTS: 1, VOTES: 1 });
    const log = await desk.admin.fetch('/audit_log', { limit: 1000, actor_id: id });
    assert.equal(counted.AUDIT_ENTRIES, log.length);
    assert.equal(counted.ARTICLES, undefined, 'nothing that the person does not have');
  });
});
