import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, shared, uploaded } from './lib/index.mjs';
import { mail, receive } from './lib/mails.mjs';
import { png } from './lib/picture.mjs';

// Posts as pages for a frame: who gets them, which policy they have, what they show.

const LOOK = '<p style="color: #ff0000">Red</p>', REMOTE = '<img src="https://pictures.example/a.png"><img src="http://pictures.example/b.png">';
const address = (id) => `/api/v1/cases/posts/${id}/document`;
const part = (headers, body) => `--B\r\n${headers}\r\n\r\n${body}\r\n`;
const htmlMail = (html) => mail({ 'Content-Type': 'text/html; charset=utf-8' }, html);

describe('the page of a post', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    w.row = await receive(desk, htmlMail(`${LOOK}${REMOTE}<script>alert(1)</script>`));
    w.load = (id, { who = desk.staff, query, headers } = {}) => who.exchange('GET', address(id), { query, headers });
  });

  test('a page has its own policy: no script, no form, pictures of this desk, and a frame of this desk alone', async () => {
    const { headers, text } = (await world.load(world.row.post_id)).must(200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-security-policy'], "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'");
    assert.deepEqual([headers['x-content-type-options'], headers['x-frame-options'], headers['cross-origin-resource-policy'], headers['referrer-policy']], ['nosniff', 'SAMEORIGIN', 'same-origin', 'no-referrer']);
    assert.match(headers['cache-control'], /private/);
    assert.match(text, /<p style="color: ?#ff0000">Red<\/p>/);
    assert.doesNotMatch(text, /alert|<script| src="http/);
  });

  test('pictures of other servers come only if they are asked for, and only over https', async () => {
    const { headers, text } = (await world.load(world.row.post_id, { query: { remote_pictures: true } })).must(200);
    assert.match(headers['content-security-policy'], /; img-src 'self' data: https:; /);
    assert.match(text, / src="https:\/\/pictures\.example\/a\.png"/);
    assert.match(text, / data-src="http:\/\/pictures\.example\/b\.png"/);
  });

  test('an inline picture has the address of the attachment, which the desk serves', async () => {
    const { desk } = world;
    const bytes = png(4, 4).toString('base64');
    const raw = mail({ 'Content-Type': 'multipart/related; boundary=B' }, `${part('Content-Type: text/html', 'Look: <img src="cid:one@x"><img src="cid:none">')}${part('Content-Type: image/png; name=x.png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <one@x>', bytes)}--B--\r\n`);
    const row = await receive(desk, raw), { text } = (await world.load(row.post_id)).must(200);
    const [, url] = / src="(\/api\/v1\/cases\/\d+\/messages\/\d+\/attachments\/\d+\/url)"/.exec(text);
    assert.equal((await desk.staff.exchange('GET', url)).must(200).headers['content-type'], 'image/png');
    assert.equal(text.match(/<img/g).length, 2);
    assert.equal(text.match(/ src="/g).length, 1, 'a picture that the mail lacks has no address');
    const note = await desk.staff.create(`/cases/${row.case_id}/notes`, { contents: 'x', is_html: false });
    assert.match((await world.load(note.id ?? note.post?.id)).must(200).text, />x</);
  });

  test('an inline picture of a note has the address of the note', async () => {
    const { desk } = world;
    const { id } = await uploaded(desk.staff, { name: 'p.png', type: 'image/png', data: png(3, 3) });
    const { post } = await desk.staff.create(`/cases/${world.row.case_id}/notes`, { contents: `See <img src="cid:${id}">`, is_html: true, attachment_file_ids: [id] });
    const [, url] = / src="(\/api\/v1\/cases\/\d+\/notes\/\d+\/attachments\/\d+\/url)"/.exec((await world.load(post.id)).must(200).text);
    (await desk.staff.exchange('GET', url)).must(200);
  });

  test('a post says if it was written as HTML', async () => {
    const { desk } = world, id = world.row.case_id;
    await desk.staff.create(`/cases/${id}/notes`, { contents: '<b>bold</b>', is_html: true });
    await desk.staff.create(`/cases/${id}/notes`, { contents: 'a < b' });
    await desk.staff.create(`/cases/${id}/reply`, { contents: '<i>so</i>', channel_options: { html: true } });
    await desk.staff.create(`/cases/${id}/reply`, { contents: 'plain' });
    const rows = await desk.staff.fetch(`/cases/${id}/posts`, { fields: 'contents,is_html', filters: 'all' });
    const said = Object.fromEntries(rows.map((r) => [r.contents.trim(), r.is_html]));
    assert.deepEqual([said.bold, said['a < b'], said.so, said.plain, said.Red], [true, false, true, false, true]);
    assert.equal((await desk.staff.fetch(`/cases/${id}/posts`))[0].is_html, undefined, 'only on demand');
    const plain = rows.find((r) => r.contents === 'a < b');
    assert.match((await world.load(plain.id)).must(200).text, /a &lt; b/);
  });

  test('callers who may not see the post get the same 404 as for a post that does not exist', async () => {
    const { desk } = world, own = await desk.person('agent', { agent_case_access: 'SELF' }), { id: teamId } = await desk.owner.create('/teams', { title: 'Others' });
    const teams = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: String(teamId) });
    await desk.staff.update(`/cases/${world.row.case_id}`, { assigned_agent_id: desk.people.agent.id });
    const missing = (await world.load(999_999_999)).refused(404, 'RESOURCE_NOT_FOUND');
    for (const who of [own.client, teams.client]) {
      (await who.get(`/cases/posts/${world.row.post_id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      const reply = (await world.load(world.row.post_id, { who })).refused(404, 'RESOURCE_NOT_FOUND');
      assert.deepEqual(reply.body.errors, missing.body.errors);
    }
    (await world.load(world.row.post_id, { who: desk.customer })).refused(403, 'PERMISSIONS_DENIED');
    (await world.load(world.row.post_id, { who: desk.anyone })).refused(401, 'AUTHORIZATION_REQUIRED');
    const activity = (await desk.staff.fetch(`/cases/${world.row.case_id}/posts`, { filters: 'activities' }))[0];
    if (activity) (await world.load(activity.id)).refused(404, 'RESOURCE_NOT_FOUND');
    const talk = await asked(desk.customer), [post] = await desk.staff.fetch(`/cases/${talk.id}/posts`);
    (await world.load(post.id)).must(200);
    (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
    const shown = (await desk.staff.get(`/cases/posts/${post.id}`)).status;
    assert.equal((await world.load(post.id)).status, shown, 'a page is seen where its post is seen');
  });

  test('the session cookie opens the page, a browser that is not in a frame does not', async () => {
    const { desk } = world, { id } = await desk.session(desk.staff);
    const load = (dest) => desk.anyone.exchange('GET', address(world.row.post_id), { headers: { Cookie: `desk_session=${id}`, ...(dest ? { 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Site': 'same-origin' } : {}) } });
    for (const dest of [undefined, 'iframe', 'empty']) (await load(dest)).must(200);
    for (const dest of ['document', 'embed', 'object', 'script', 'image']) (await load(dest)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  });

  test('an unchanged page is not sent again, and a rewritten note is', async () => {
    const { desk } = world, { post } = await desk.staff.create(`/cases/${world.row.case_id}/notes`, { contents: '<b>1</b>', is_html: true });
    const first = (await world.load(post.id)).must(200), headers = { 'If-None-Match': first.headers.etag };
    const again = await world.load(post.id, { headers });
    assert.equal(again.status, 304);
    for (const name of ['content-security-policy', 'x-frame-options']) assert.equal(again.headers[name], undefined, `${name}: browsers would take it in place of the one that they have`);
    await desk.staff.update(`/cases/${world.row.case_id}/notes/${post.id}`, { contents: '<b>2</b>', is_html: true });
    assert.match((await world.load(post.id, { headers })).must(200).text, /<b>2<\/b>/);
  });
});
