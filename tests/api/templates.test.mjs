import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, iso, open, relayFor } from './lib/index.mjs';

const MAILS = ['verification', 'password_reset', 'invitation', 'password_changed', 'address_added', 'address_removed', 'passkey_added', 'passkey_removed', 'case_reply', 'forward', 'rule_notification', 'endpoint',
  'case_created', 'reply_on_case', 'case_assigned_to_agent', 'case_assigned_to_team', 'sla_breached', 'mentioned_in_conversation', 'survey', 'mailbox_verification'];
const PAGES = ['page_verify', 'page_verified', 'page_verify_login', 'page_password', 'page_password_set', 'page_survey', 'page_survey_done', 'page_unsubscribe', 'page_unsubscribed', 'page_authorize_login', 'page_authorize', 'page_link_dead'];
const SITE = ['helpcenter_layout', 'helpcenter_home', 'helpcenter_category', 'helpcenter_section', 'helpcenter_search', 'helpcenter_article', 'helpcenter_contact'];
const ALL = [...MAILS, ...PAGES, ...SITE];
const appOf = (name) => (MAILS.includes(name) ? 'MAIL' : PAGES.includes(name) ? 'PAGE' : 'HELPCENTER');
const at = (name, brand = 1) => `/brands/${brand}/templates/${name}`;
const block = (name, text) => `{% block ${name} %}${text}{% endblock %}\n`;
const mail = (subject, more = '') => block('subject', subject) + block('text', '\nGo to\n\n{{link}}\n') + more;
const page = (title, more = '') => block('title', title) + block('body', `<p>${title}</p>{{form}}`) + more;
const restore = (who, name, body = {}, brand = 1) => who.put(`${at(name, brand)}/restore`, body);
const versions = (who, name, brand = 1) => who.fetch(`${at(name, brand)}/versions`);

test('a brand has a template for each mail and page, with the original contents until it is changed', async (t) => {
  const { owner, base } = await open(t);
  const reply = (await owner.get('/brands/1/templates', { limit: 100 })).must(200);
  assert.deepEqual(reply.data.map((x) => x.name), ALL);
  assert.deepEqual([reply.body.resource, reply.body.total_count, reply.body.limit, reply.body.offset], ['template', ALL.length, 100, 0]);
  for (const x of reply.data) {
    assert.deepEqual(Object.keys(x), ['name', 'app', 'category', 'contents', 'is_custom', 'resource_type', 'resource_url']);
    assert.deepEqual([x.app, x.is_custom, x.resource_type, x.resource_url], [appOf(x.name), false, 'template', `${base}/api/v1${at(x.name)}`]);
    assert.deepEqual(await owner.fetch(at(x.name)), x);
    assert.deepEqual(await owner.update(at(x.name), { contents: x.contents }), x, 'the original is valid, and writing it back leaves the template unchanged');
    assert.deepEqual(await versions(owner, x.name), []);
  }
});

test('lists of templates have pages, fields and ETags like others', async (t) => {
  const { owner, base } = await open(t);
  const reply = (await owner.get('/brands/1/templates', { offset: MAILS.length, limit: 4, fields: 'app' })).must(200);
  assert.deepEqual(reply.data.map((x) => [x.app, x.contents]), PAGES.slice(0, 4).map(() => ['PAGE', undefined]));
  assert.deepEqual([reply.body.total_count, reply.body.next_url, reply.body.previous_url],
    [ALL.length, `${base}/api/v1/brands/1/templates.json?fields=app&limit=4&offset=${MAILS.length + 4}`, `${base}/api/v1/brands/1/templates.json?fields=app&limit=4&offset=${MAILS.length - 4}`]);
  assert.deepEqual((await owner.get('/brands/1/templates', { offset: 99 })).must(200).data, []);
  assert.deepEqual((await owner.get('/brands/1/templates.json', { _case: 'camel', limit: 1 })).must(200).data[0].isCustom, false);
  const all = await owner.get('/brands/1/templates');
  (await owner.get('/brands/1/templates', {}, { 'If-None-Match': all.headers.etag })).must(304);
  await owner.update(at('verification'), { contents: mail('New') });
  assert.notEqual((await owner.get('/brands/1/templates', {}, { 'If-None-Match': all.headers.etag })).must(200).headers.etag, all.headers.etag);
});

test('a template is changed, and its former contents are kept as a version', async (t) => {
  const desk = await open(t);
  const { owner, admin, clock } = desk;
  const original = (await owner.fetch(at('verification'))).contents;
  await clock.forward(60);
  const first = await admin.update(at('verification'), { contents: mail('One') });
  assert.deepEqual([first.contents, first.is_custom], [mail('One'), true]);
  const written = iso(Math.floor(clock.now / 1000) * 1000);
  await clock.forward(60);
  await owner.update(at('verification'), { contents: mail('Two') });
  await owner.update(at('verification'), { contents: mail('Two') });
  const reply = (await owner.get(`${at('verification')}/versions`)).must(200);
  assert.equal(reply.body.resource, 'template_version');
  const [a, b, ...more] = reply.data;
  assert.deepEqual(more, [], 'a PUT of the same contents changes nothing');
  assert.deepEqual([a, b], [
    { id: a.id, contents: original, creator: null, created_at: null, resource_type: 'template_version' },
    { id: b.id, contents: mail('One'), creator: { id: desk.people.admin.id, resource_type: 'user' }, created_at: written, resource_type: 'template_version' },
  ]);
  assert.equal((await owner.fetch(`${at('verification')}/versions`, { include: 'user' }))[1].creator.full_name, 'Ada Admin');
  assert.deepEqual(await versions(owner, 'invitation'), []);
  assert.equal((await owner.fetch(at('invitation'))).is_custom, false);
});

test('a template is restored to a version, and to the original', async (t) => {
  const { owner } = await open(t);
  const original = await owner.fetch(at('verification'));
  for (const subject of ['One', 'Two']) await owner.update(at('verification'), { contents: mail(subject) });
  const [, one] = await versions(owner, 'verification');
  const back = (await restore(owner, 'verification', { version_id: one.id })).must(200).data;
  assert.deepEqual([back.contents, back.is_custom], [mail('One'), true]);
  assert.deepEqual((await versions(owner, 'verification')).map((v) => v.contents), [original.contents, mail('One'), mail('Two')]);
  assert.deepEqual((await restore(owner, 'verification')).must(200).data, original);
  assert.deepEqual((await restore(owner, 'verification', { version_id: null })).must(200).data, original);
  assert.equal((await versions(owner, 'verification')).length, 4);
  assert.deepEqual((await restore(owner, 'verification', { version_id: (await versions(owner, 'verification'))[0].id })).must(200).data, original);
});

test('a version of another template or brand, or of none, restores nothing', async (t) => {
  const { owner } = await open(t);
  await owner.update(at('verification'), { contents: mail('One') });
  const { id } = await owner.create('/brands', { name: 'x' });
  const [version] = await versions(owner, 'verification');
  for (const [name, body, brand] of [['invitation', { version_id: version.id }, 1], ['verification', { version_id: version.id }, id], ['verification', { version_id: 999 }, 1],
    ['verification', { version_id: 0 }, 1], ['verification', { version_id: 'x' }, 1], ['verification', { version_id: [version.id] }, 1]]) {
    (await restore(owner, name, body, brand)).refused(400, 'FIELD_INVALID', 'version_id');
  }
  assert.equal((await owner.fetch(at('verification'))).contents, mail('One'));
  assert.equal((await owner.fetch(at('verification', id))).is_custom, false);
});

test('the last hundred versions of maximum length are kept, so that all fit in one reply', async (t) => {
  const { owner } = await open(t);
  const long = (i) => block('title', 'T') + block('body', String(i).padEnd(65536 - 70));
  for (let i = 0; i <= 100; i++) (await owner.put(at('page_verified'), { contents: long(i) })).must(200);
  assert.equal((await versions(owner, 'page_verified')).length, 101);
  (await owner.put(at('page_verified'), { contents: long(101) })).must(200).notes('The oldest version was deleted');
  const kept = await versions(owner, 'page_verified');
  assert.deepEqual([kept.length, kept[0].contents, kept.at(-1).contents], [100, long(1), long(100)]);
});

test('the last thousand versions are kept, and the drop of an older one causes a notice', async (t) => {
  const { owner } = await open(t);
  for (let i = 0; i < 1000; i++) assert.equal((await owner.put(at('verification'), { contents: mail(`S${i}`) })).must(200).body.logs, undefined);
  for (let i = 1000; i < 1003; i++) (await owner.put(at('verification'), { contents: mail(`S${i}`) })).must(200).notes('The oldest version was deleted');
  const kept = await versions(owner, 'verification');
  assert.deepEqual(kept.map((v) => v.contents), Array.from({ length: 1000 }, (_, i) => mail(`S${i + 2}`)));
});

test('templates are separate for each brand and deleted with it', async (t) => {
  const { owner, customer } = await open(t);
  const { id } = await owner.create('/brands', { name: 'x' });
  await owner.update(at('verification', id), { contents: mail('Theirs') });
  await owner.update(at('verification', id), { contents: mail('Theirs again') });
  assert.deepEqual([(await owner.fetch(at('verification'))).is_custom, (await versions(owner, 'verification')).length], [false, 0]);
  assert.deepEqual((await owner.fetch(`/brands/${id}/templates`)).filter((x) => x.is_custom).map((x) => x.name), ['verification']);
  (await owner.delete(`/brands/${id}`)).must(200);
  for (const path of ['', '/verification', '/verification/versions']) (await owner.get(`/brands/${id}/templates${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.put(at('verification', id), { contents: mail('x') })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await customer.get('/me')).status, 200);
});

test('an unknown name is 404', async (t) => {
  const { owner } = await open(t);
  for (const name of ['nothing', 'Verification', 'verification%20', '1', '..', "x'--", '%00', 'page']) {
    (await owner.get(at(name))).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.get(`${at(name)}/versions`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.put(at(name), { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.put(at(name), {})).refused(404, 'RESOURCE_NOT_FOUND');
    (await restore(owner, name)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  (await owner.get('/brands/x/templates/verification')).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.get('/brands/2/templates')).refused(404, 'RESOURCE_NOT_FOUND');
});

const SAID = (reply) => reply.body.errors.map((e) => `${e.code} ${e.parameter}: ${e.message}`).join();

test('contents that can\'t be sent are refused with the place and the correction', async (t) => {
  const { owner } = await open(t);
  (await owner.put(at('verification'), {})).refused(400, 'FIELD_REQUIRED', 'contents');
  for (const empty of ['', ' \n ', null]) (await owner.put(at('verification'), { contents: empty })).refused(400, 'FIELD_EMPTY', 'contents');
  (await owner.put(at('verification'), { contents: ['a'] })).refused(400, 'FIELD_INVALID', 'contents');
  const bad = {
    verification: [
      ['no blocks at all', /^FIELD_INVALID contents: Line 1, character 1: text outside of a block: .* one of subject, text, html\.$/],
      [block('subject', 'S'), /Line 2, character 1: the block text is missing\.$/],
      [block('subject', 'S') + block('text', 'no link'), /Line 2, character 17: \{\{link\}\} is missing in text\.$/],
      [mail('S', block('html', '<p>no link</p>')), /\{\{link\}\} is missing in html\.$/],
      [mail('S', block('html', '<p>{{link}}')), /<p> is not closed: <\/p> is missing\.$/],
      [mail('S', block('html', '<img src="https://evil.example/?{{link}}">')), /\{\{link\}\} must stand alone/],
      [mail('S', block('html', '<img src="{{link}}">')), /no value is allowed in an attribute, except \{\{link\}\} or \{\{url\}\} as a whole href\.$/],
      [mail('S', block('html', '<a href="{{link}}">https://evil.example/?{{link}}</a>')), /\{\{link\}\} must stand alone/],
      ...[`https://evil.example/?u='{{link}}`, 'https://evil.example/?u=<b>{{link}}</b>', 'https://evil.example/?u=<a href="{{link}}"><i>{{link}}</i></a>', '<b>{{link}}</b>.evil.example', '{{link}}<span>{{desk}}</span>', '<b>{{link}}</b><i>{{link}}</i>']
        .map((html) => [mail('S', block('html', `<p>${html}</p>`)), /\{\{link\}\} must stand alone/]),
      ...['<https://evil.example/?u= {{link}}>', '<https://evil.example/?u=\n{{link}}\n>', '"https://evil.example/?u= {{link}}"', '<x <{{link}}> {{link}}\n< {{link}}>']
        .map((text) => [block('subject', 'S') + block('text', text), /\{\{link\}\} must stand alone/]),
      [mail('S', block('html', '<script>{{link}}</script>')), /this element is not allowed/],
      [mail('S {{nmae}}'), /Line 1, character 22: unknown value: \{\{desk\}\}, .* or \{\{life\}\} is expected\.$/],
      [mail('S {{form}}'), /unknown value/],
      [mail('S {{link}}'), /\{\{link\}\} is only allowed in text and html\.$/],
      [mail('S {{desk'), /the braces are not closed/],
      [mail('S\r\nBcc: evil@example.com'), /subject must be one line\.$/],
      [mail('S\rBcc: evil@example.com'), /this control character is not allowed\.$/],
      [mail('S', '{% block text %}{{link}}'), /the block text is not closed/],
      [mail('S', block('text', '{{link}}')), /the block text occurs twice\.$/],
      [mail('S', '{% include "x" %}'), /there are no other tags\.$/],
      [page('S'), /unknown block: one of subject, text, html is expected\.$/],
    ],
    page_password: [
      [mail('S'), /unknown block: one of title, body, style is expected\.$/],
      [block('title', 'T') + block('body', '<p>no form</p>'), /\{\{form\}\} is missing in body\.$/],
      [block('title', 'T') + block('body', '<form action="https://evil.example/">{{form}}</form>'), /this element is not allowed/],
      [block('title', 'T') + block('body', "<a href='https://evil.example/?{{form}}'>x</a>"), /no value is allowed in an attribute/],
      [block('title', 'T') + block('body', '<!-- {{form}} -->'), /this element is not allowed/],
      [page('T', block('style', '</style><script>x</script>')), /no < is allowed in style\.$/],
    ],
    page_verified: [[page('T'), /unknown value: \{\{desk\}\} or \{\{url\}\} is expected\.$/]],
    password_changed: [[mail('S'), /unknown value/]],
  };
  for (const [name, all] of Object.entries(bad)) {
    for (const [contents, message] of all) {
      const reply = (await owner.put(at(name), { contents })).refused(400, 'FIELD_INVALID', 'contents');
      assert.match(SAID(reply), message, contents);
    }
    assert.equal((await owner.fetch(at(name))).is_custom, false);
    assert.deepEqual(await versions(owner, name), []);
  }
});

test('contents have at most 65,536 characters', async (t) => {
  const { owner } = await open(t);
  const long = (n) => mail('S', ' '.repeat(n - mail('S').length));
  (await owner.put(at('verification'), { contents: long(65_537) })).refused(400, 'FIELD_INVALID', 'contents');
  assert.equal((await owner.update(at('verification'), { contents: long(65_536) })).contents.length, 65_536);
  (await owner.put(at('verification'), { contents: `${mail('S')}\u0000` })).refused(400, 'FIELD_INVALID', 'contents');
});

test('contents are accepted in a form and returned unchanged', async (t) => {
  const { owner } = await open(t);
  const contents = mail('Grüße\u00a0🦆 & <x>').replaceAll('\n', '\r\n');
  assert.equal((await owner.update(at('verification'), form({ contents }))).contents, contents);
  assert.equal((await owner.fetch(at('verification'))).contents, contents);
});

test('a conditional PUT does not overwrite a template that changed meanwhile', async (t) => {
  const { owner } = await open(t);
  const { headers: { etag } } = await owner.get(at('verification'));
  (await owner.get(at('verification'), {}, { 'If-None-Match': etag })).must(304);
  const put = (contents, tag) => owner.put(at('verification'), { contents }, { headers: { 'If-Match': tag } });
  const second = (await put(mail('One'), etag)).must(200).headers.etag;
  assert.notEqual(second, etag);
  (await put(mail('Two'), etag)).refused(412, 'RESOURCE_MODIFIED');
  const many = await Promise.all(['a', 'b', 'c', 'd'].map((s) => put(mail(s), second)));
  assert.deepEqual(many.map((r) => r.status).sort(), [200, 412, 412, 412]);
  assert.equal((await versions(owner, 'verification')).length, 2);
});

test('concurrent changes of a template lose none: each is current or a version', async (t) => {
  const { owner } = await open(t);
  const subjects = Array.from({ length: 8 }, (_, i) => `S${i}`);
  (await Promise.all(subjects.map((s) => owner.put(at('verification'), { contents: mail(s) })))).forEach((r) => r.must(200));
  const said = [(await owner.fetch(at('verification'))).contents, ...(await versions(owner, 'verification')).slice(1).map((v) => v.contents)];
  assert.deepEqual(said.sort(), subjects.map((s) => mail(s)).sort());
});

test('templates are for admins and owners, and changing them requires a permission', async (t) => {
  const desk = await open(t);
  for (const who of [desk.staff, desk.as('collaborator'), desk.customer]) {
    for (const path of ['', '/verification', '/verification/versions']) (await who.get(`/brands/1/templates${path}`)).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(at('verification'), { contents: mail('x') })).refused(403, 'PERMISSIONS_DENIED');
    (await restore(who, 'verification')).refused(403, 'PERMISSIONS_DENIED');
  }
  const { id } = await desk.owner.create('/roles', { title: 'x', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${id}/permissions`, { 'brands.manage': 0 })).must(200);
  const { client } = await desk.person('admin', { role_id: id });
  (await client.get(at('verification'))).must(200);
  (await client.put(at('verification'), { contents: mail('x') })).refused(403, 'PERMISSIONS_DENIED');
  (await restore(client, 'verification')).refused(403, 'PERMISSIONS_DENIED');
});

/* ---- pages ---- */

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

test('pages use the template of the default brand around a built-in form', async (t) => {
  const desk = await open(t);
  const to = await relayFor(t, desk, { 'desk.name': 'Ünder <& Söhne' });
  const { owner, anyone } = desk;
  await owner.update(at('page_password'), {
    contents: block('title', 'Kennwort wählen: {{desk}}') + block('style', 'h1 { color: #123456; }')
      + block('body', '\n<div class="box">{{form}}</div><p>{{desk}}, <a href="{{url}}">hier</a></p>'),
  });
  await owner.update(at('page_password_set'), { contents: block('title', 'Fertig') + block('body', '<p>Das war es.</p>') });
  await owner.update(at('page_link_dead'), { contents: block('title', 'Ungültig') + block('body', '<p>Bitte neu anfordern.</p>') });
  await owner.update('/brands/1', { locale_id: 3 });
  (await anyone.post('/password/reset', { email: 'customer@example.com' })).must(200);
  const { hash } = await to.mail();
  const shown = (await anyone.exchange('GET', '/password', { query: { hash } })).must(200);
  assert.match(shown.text, /<html lang="de" dir="ltr">[^]*<title>Kennwort wählen: Ünder &lt;&amp; Söhne - Ünder &lt;&amp; Söhne<\/title>[^]*h1 \{ color: #123456; \}<\/style>/);
  assert.match(shown.text, /<h1>Kennwort wählen: Ünder &lt;&amp; Söhne<\/h1>\n<div class="box"><form method="post" action="password">\n<input type="hidden" name="hash" value="[0-9a-f]+">/);
  assert.ok(shown.text.includes(`<p>Ünder &lt;&amp; Söhne, <a href="${desk.base}">hier</a></p></main>`), shown.text);
  assert.deepEqual([shown.headers['content-security-policy'], shown.headers['referrer-policy']], [POLICY, 'same-origin']);
  const short = (await anyone.exchange('POST', '/password', { body: form({ hash, new_password: 'x' }) })).must(400);
  assert.match(short.text, /<title>Error: Kennwort wählen[^]*<div class="box"><form [^]*role="alert" tabindex="-1" autofocus>This password is too short\./);
  assert.match((await anyone.exchange('POST', '/password', { body: form({ hash, new_password: 'long enough' }) })).must(200).text, /<h1>Fertig<\/h1>\n<p>Das war es\.<\/p><\/main>/);
  for (const path of ['/password', '/verify']) {
    const dead = (await anyone.exchange('GET', path, { query: { hash: '"><script>' } })).must(400);
    assert.match(dead.text, /<h1>Ungültig<\/h1>\n<p>Bitte neu anfordern\.<\/p>/);
    assert.equal(dead.headers['content-security-policy'], POLICY);
  }
});

test('the page that verifies an address uses its template before and after', async (t) => {
  const desk = await open(t);
  const to = await relayFor(t, desk);
  await desk.owner.update(at('page_verify'), { contents: page('Really?') });
  await desk.owner.update(at('page_verified'), { contents: block('title', 'Confirmed') + block('body', '<p>At {{desk}}.</p>') });
  await desk.customer.create('/profile/identities/emails', { email: 'more@example.com' });
  const { hash } = await to.find('more@example.com');
  assert.match((await desk.anyone.exchange('GET', '/verify', { query: { hash } })).must(200).text,
    new RegExp(`<h1>Really\\?</h1>\\n<p>Really\\?</p><form method="post" action="verify">\\n<input type="hidden" name="hash" value="${hash}">\\n<button>`));
  assert.match((await desk.anyone.exchange('POST', '/verify', { body: form({ hash }) })).must(200).text, /<h1>Confirmed<\/h1>\n<p>At Support\.<\/p>/);
});

test('pages use the default brand, and another default takes effect at once', async (t) => {
  const { owner, anyone } = await open(t);
  const dead = async () => /<h1>(.*)<\/h1>/.exec((await anyone.exchange('GET', '/verify', { query: { hash: 'x' } })).must(400).text)[1];
  const { id } = await owner.create('/brands', { name: 'Other' });
  await owner.update(at('page_link_dead', id), { contents: block('title', 'Theirs') + block('body', '<p>x</p>') });
  assert.equal(await dead(), 'This link does not work');
  await owner.update(`/brands/${id}`, { is_default: true });
  for (let i = 0; i < 4; i++) assert.equal(await dead(), 'Theirs');
  await owner.update('/brands/1', { is_default: true });
  for (let i = 0; i < 4; i++) assert.equal(await dead(), 'This link does not work');
});

/* ---- what the editor of the console needs ---- */

test('a template lists its values and shows itself as a page for a frame, without scripts and forms', async (t) => {
  const { owner, anyone, customer, base } = await open(t);
  const read = async (name) => (await owner.fetch(at(name), { fields: '+variables' })).variables;
  assert.deepEqual(await read('verification'), ['desk', 'name', 'address', 'url', 'link', 'life'].map((name) => ({ name, is_required: name === 'link' })));
  assert.deepEqual((await read('helpcenter_contact')).filter((one) => one.is_required).map(({ name }) => name), ['contents', 'form']);
  assert.deepEqual((await owner.fetch('/brands/1/templates', { limit: 100, fields: 'name,variables' })).map(({ variables }) => variables.length > 1), ALL.map(() => true));

  const show = (name, { who = owner, headers } = {}) => who.exchange('GET', `/api/v1${at(name)}/document`, { headers });
  const first = (await show('verification')).must(200);
  assert.match(first.text, /<title>Confirm your e-mail address at Support<\/title>[^]*Hello Alice Sample,/);
  assert.equal(first.headers['content-security-policy'], "sandbox allow-same-origin; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'");
  assert.deepEqual([first.headers['x-frame-options'], first.headers['content-type']], ['SAMEORIGIN', 'text/html; charset=utf-8']);
  await show('verification', { headers: { 'If-None-Match': first.headers.etag } }).then((reply) => reply.must(304));
  await owner.update(at('verification'), { contents: mail('Mine {{name}}', block('html', '<p>Own words: <a href="{{link}}">go</a></p>')) });
  assert.match((await show('verification')).must(200).text, /<title>Mine Alice Sample<\/title>[^]*Own words/);
  assert.match((await show('helpcenter_home')).must(200).text, new RegExp(`href="${base}/helpcenter/style.css"`));
  (await show('verification', { headers: { 'Sec-Fetch-Dest': 'document' } })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await show('nothing')).refused(404, 'RESOURCE_NOT_FOUND');
  (await show('verification', { who: customer })).refused(403, 'PERMISSIONS_DENIED');
  (await show('verification', { who: anyone })).refused(401, 'AUTHORIZATION_REQUIRED');
});
