// Pages that act (src/pages/form*.c): login, contact, conversations, votes and comments. Each form makes calls of the API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { File, MINUTE, PASSWORD, form, multipart, raw, shared } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

const EN = '/helpcenter/en-us';

/** A browser at the pages: it keeps its cookies, and sends the headers that browsers send. */
class Browser {
  constructor(desk, headers = {}) {
    Object.assign(this, { desk, headers, cookies: {} });
  }

  async go(method, path, body, headers = {}) {
    const Cookie = Object.entries(this.cookies).map((pair) => pair.join('=')).join('; ');
    const at = path.startsWith('/') ? path : `${EN}/${path}`;
    const reply = await this.desk.anyone.exchange(method, at, { body, headers: { ...(Cookie && { Cookie }), ...this.headers, ...headers } });
    assert.ok(reply.status < 500, `${method} ${at}: ${reply.status} ${reply.text}`);
    for (const cookie of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^(\w+)=([^;]*)/.exec(cookie);
      if (/Max-Age=0/.test(cookie)) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return reply;
  }

  get(path, headers) { return this.go('GET', path, undefined, headers); }

  /** The hidden fields of the form with this action, by name. */
  async hidden(path, action = path) {
    const page = (await this.get(path)).must(200);
    const at = action.startsWith('/') ? action : `${EN}/${action}`;
    const [, inside] = new RegExp(`<form[^>]* action="${at.replace(/[.?]/g, '\\$&')}"[^>]*>([^]*?)</form>`).exec(page.text) ?? assert.fail(`no form ${at} in ${page.text}`);
    return Object.fromEntries([...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  }

  /** Opens the page, fills in its form and sends it. */
  async send(path, fields, action = path) {
    return this.go('POST', action, form({ ...(await this.hidden(path, action)), ...fields }));
  }

  async login(person) {
    const reply = await this.send('login', { email: person.email, password: person.password ?? PASSWORD });
    assert.equal(reply.status, 303, reply.text);
    return this;
  }
}

const wrongBeside = (page, field) => new RegExp(`id="f-${field}-notes">[^]*?class="wrong">([^<]+)<[^]*?aria-describedby="f-${field}-notes" aria-invalid="true"`).exec(page.text)?.[1];

describe('pages that act', () => {
  const world = shared(async (world) => {
    const { desk } = world;
    const [category] = await desk.owner.fetch('/categories');
    const section = (more) => desk.owner.create('/sections', { titles: 'Engines', category_id: category.id, ...more });
    const article = ({ id }, titles, more) => desk.owner.create('/articles', { titles, contents: 'Turn the key.', section_id: id, status: 'PUBLISHED', allow_comments: true, ...more });
    const open = await section({ visibility: 'PUBLIC' }), hidden = await section({ visibility: 'AGENTS' });
    world.article = await article(open, 'Start the difference engine');
    world.quiet = await article(open, 'Quiet please', { allow_comments: false });
    world.secret = await article(hidden, 'Canary of staff');
  });
  const browser = (headers) => new Browser(world.desk, headers);
  const customer = () => browser().login(world.desk.people.customer);
  const ask = (more) => world.desk.customer.create('/conversations', { subject: 'The engine stalls', contents: 'It stops.', ...more });

  describe('login', () => {
    test('a login opens the conversations, or the page that asked for it; a logout ends it', async () => {
      const visitor = browser();
      const first = (await visitor.get('conversations?of=organization')).must(303);
      assert.equal(first.headers.location, `${EN}/login?to=%2Fconversations%3Fof%3Dorganization`);
      const hidden = await visitor.hidden(first.headers.location, `${EN}/login`);
      const { email, password } = world.desk.people.customer;
      const reply = await visitor.go('POST', 'login', form({ ...hidden, email, password }));
      assert.deepEqual([reply.status, reply.headers.location], [303, `${EN}/conversations?of=organization`]);
      assert.match(reply.headers['set-cookie'][0], /^desk_session=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/);
      (await visitor.get('conversations')).must(200);
      assert.equal((await visitor.get('login')).must(303).headers.location, `${EN}/conversations`);
      const out = (await visitor.send('logout', {})).must(303);
      assert.equal(out.headers.location, EN);
      assert.equal(visitor.cookies.desk_session, undefined);
      assert.match((await visitor.get('conversations')).must(303).headers.location, /login/);
    });

    test('a wrong password and an unknown address get the same page, and are locked after ten', async () => {
      const person = await world.desk.person('customer');
      const visitor = browser();
      const page = async (email) => {
        const reply = (await visitor.send('login', { email, password: 'wrong' })).must(401);
        assert.match(reply.text, /Wrong e-mail address or password\./);
        return reply.text.replaceAll(email, 'X');
      };
      assert.equal(await page(person.email), await page('nobody@people.example'));
      assert.ok(!(await visitor.send('login', { email: person.email, password: 'wrong' })).text.includes('value="wrong"'));
      let last;
      for (let n = 0; n < 12; n++) {
        last = await visitor.send('login', { email: person.email, password: 'wrong' });
        if (last.status !== 401) break;
      }
      assert.match(last.text, /logins from your address to this account, or to all accounts, are locked. Minutes until the next try: 10</);
      await world.desk.clock.forward(16 * MINUTE);
    });

    test('the login leads nowhere but to pages of the help center', async () => {
      for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/"><script>']) {
        const visitor = browser();
        const hidden = await visitor.hidden(`login?to=${encodeURIComponent(to)}`, 'login');
        const { email, password } = world.desk.people.customer;
        const { headers } = (await visitor.go('POST', 'login', form({ ...hidden, to, email, password }))).must(303);
        assert.ok(headers.location.startsWith(`${EN}/`), headers.location);
      }
    });

    test('a login with a second factor asks for a code, and takes it', async () => {
      const { desk } = world, person = await desk.person('customer');
      const { secret } = await person.client.fetch('/profile/twofactor');
      await person.client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
      await desk.clock.forward(MINUTE);
      const visitor = browser();
      const page = (await visitor.send('login', { email: person.email, password: PASSWORD, to: '/contact' })).must(200);
      assert.match(page.text, /<h1>Second step<\/h1>[^]*name="code"/);
      assert.equal(visitor.cookies.desk_session, undefined);
      const hidden = Object.fromEntries([...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
      const wrong = (await visitor.go('POST', 'login', form({ ...hidden, code: '000000' }))).must(401);
      assert.match(wrong.text, /This code is wrong or too old/);
      const { headers } = (await visitor.go('POST', 'login', form({ ...hidden, code: totp(secret, desk.clock.now) }))).must(303);
      assert.equal(headers.location, `${EN}/contact`);
      (await visitor.get('conversations')).must(200);
    });

    test('an expired password is replaced in the login', async () => {
      const { desk } = world, person = await desk.person('customer'), visitor = browser();
      (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '1' } })).must(200);
      await desk.clock.forward(25 * 60 * MINUTE);
      const page = (await visitor.send('login', { email: person.email, password: PASSWORD })).must(200);
      assert.match(page.text, /Your password has expired[^]*name="new_password"/);
      const hidden = Object.fromEntries([...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
      const choose = (new_password) => visitor.go('POST', 'login', form({ ...hidden, new_password }));
      assert.match(wrongBeside((await choose('abc')).must(400), 'new_password'), /At least \d+ characters/);
      assert.match((await choose('another one of mine')).must(200).text, /Your password is set/);
      assert.match((await choose('and once more, please')).must(401).text, /<h1>Log in/);
      await visitor.login({ email: person.email, password: 'another one of mine' });
      (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '0' } })).must(200);
    });

    test('a request for a link says nothing about the account', async () => {
      const told = [];
      for (const email of [world.desk.people.customer.email, 'nobody@people.example']) {
        const { status, headers } = await browser().send('reset', { email });
        told.push([status, headers.location].join());
      }
      assert.deepEqual(told, [`303,${EN}/reset?done=sent`, `303,${EN}/reset?done=sent`]);
      assert.match((await browser().get('reset?done=sent')).text, /If an account has this address/);
      assert.equal(wrongBeside((await browser().send('reset', { email: 'no address' })).must(400), 'email'), 'This is not an e-mail address.');
    });
  });

  describe('contact', () => {
    const typed = { name: 'Grace', email: 'grace@people.example', subject: 'Zylinder', contents: 'Nothing moves.' };
    const newest = async () => (await world.desk.staff.fetch('/cases', { limit: 1, include: 'user' }))[0];

    test('a visitor writes, and the same form sent twice makes one conversation', async () => {
      const visitor = browser(), hidden = await visitor.hidden('contact');
      for (const _ of [1, 2]) {
        const { headers } = (await visitor.go('POST', 'contact', form({ ...hidden, ...typed }))).must(303);
        assert.equal(headers.location, `${EN}/contact?done=sent`);
      }
      assert.match((await visitor.get('contact?done=sent')).text, /We answer by e-mail/);
      const made = await newest();
      assert.deepEqual([made.subject, made.requester.full_name], ['Zylinder', 'Grace']);
      assert.equal((await world.desk.staff.fetch('/cases')).filter(({ subject }) => subject === 'Zylinder').length, 1);
    });

    test('problems stand beside their fields, with what was typed, and the corrected form works', async () => {
      const visitor = browser();
      const page = (await visitor.send('contact', { ...typed, name: '"><script>alert(1)</script>', email: 'grace', contents: '' })).must(400);
      assert.equal(wrongBeside(page, 'email'), 'This is not an e-mail address.');
      assert.equal(wrongBeside(page, 'contents'), 'This field is required.');
      assert.match(page.text, /role="alert"[^]*<a href="#f-email">E-mail address<\/a>/);
      assert.ok(page.text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"') && !page.text.includes('<script>alert'));
      const hidden = Object.fromEntries([...page.text.matchAll(/name="(_\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
      (await visitor.go('POST', 'contact', form({ ...hidden, ...typed, subject: 'Corrected' }))).must(303);
      assert.equal((await newest()).subject, 'Corrected');
    });

    test('a control names its hint, an optional one says so, and an address may fill in the subject', async () => {
      const { text } = (await browser().get('contact?subject=Two%20%22words%22')).must(200);
      const control = (name) => new RegExp(`<label for="f-${name}">([^<]*)(?: <span class="optional">\\((\\w+)\\)</span>)?</label>\n(?:<div class="notes" id="f-${name}-notes"><p class="hint">([^<]*)</p></div>\n)?<(\\w+)[^>]*name="${name}"([^>]*)>`).exec(text)?.slice(1).map((x) => x?.trim());
      const notes = (name) => ` aria-describedby="f-${name}-notes"`.trim();
      assert.deepEqual(control('email'), ['E-mail address', undefined, 'We send our answer to this address.', 'input', `autocomplete="email" required maxlength="255" ${notes('email')}`]);
      assert.deepEqual(control('name'), ['Your name', undefined, undefined, 'input', 'autocomplete="name" required maxlength="255"']);
      assert.deepEqual(control('files'), ['Attachments', 'optional', 'You can choose several files.', 'input', `${notes('files')} multiple`]);
      assert.deepEqual(control('subject'), ['Subject', undefined, undefined, 'input', 'required maxlength="255" value="Two &quot;words&quot;"']);
      assert.deepEqual(control('contents'), ['Message', undefined, undefined, 'textarea', 'required']);
      const again = (await browser().send('contact', { ...typed, subject: '' })).must(400).text;
      assert.ok(again.includes('You can choose several files.'), 'no file was chosen');
      const visitor = browser(), sent = multipart({ ...await visitor.hidden('contact'), ...typed, subject: '', files: new File('a.txt', 'text/plain', Buffer.from('a')) });
      assert.match((await visitor.go('POST', 'contact', sent)).must(400).text, /<p class="hint">Please choose your files again\.<\/p>/);
    });

    test('the words of a refusal are those of the page, or marked as English', async () => {
      const visitor = browser(), de = '/helpcenter/de/contact';
      const page = (await visitor.send(de, { ...typed, email: 'grace', contents: '' }, de)).must(400);
      assert.match(page.text, /<html lang="de"[^]*<title>Fehler: Kontakt/);
      assert.equal(wrongBeside(page, 'contents'), 'Dieses Feld muss ausgefüllt werden.');
      assert.match(page.text, /id="f-email-notes">[^]*?<p class="wrong"><span lang="en" dir="ltr">This is not an e-mail address\.<\/span>/);
    });

    test('a customer attaches files and sees the conversation', async () => {
      const visitor = await customer(), hidden = await visitor.hidden('contact');
      assert.ok(!(await visitor.get('contact')).text.includes('name="email"'));
      const files = [new File('a <b>.txt', 'text/plain', Buffer.from('engine')), new File('', 'application/octet-stream', Buffer.alloc(0))];
      const reply = await visitor.go('POST', 'contact', multipart({ ...hidden, subject: 'With files', contents: 'See below.', files: files[0], more: files[1] }));
      assert.equal(reply.status, 303, reply.text);
      const page = (await visitor.get(reply.headers.location)).must(200);
      assert.match(page.text, /Your message was sent\./);
      const [, address] = /href="([^"]+\/download)" download><bdi>a &lt;b&gt;\.txt</.exec(page.text);
      assert.equal((await visitor.get(address)).must(200).text, 'engine');
    });

    test('fields of the default form are shown, required and kept', async () => {
      const { desk } = world;
      const of = { is_visible_to_customers: true, is_customer_editable: true };
      const titles = (text) => [{ locale: 'en-us', translation: text }];
      const kinds = { SELECT: 'pick', RADIO: 'one', CHECKBOX: 'some', TEXTAREA: 'long', DATE: 'day', YESNO: 'sure', NUMERIC: 'count' };
      const fields = {};
      for (const [type, key] of Object.entries(kinds)) {
        const options = /SELECT|RADIO|CHECKBOX/.test(type) ? { options: [{ titles: titles('Left'), tag: `${key}l` }, { titles: titles('Right'), tag: `${key}r` }] } : {};
        fields[key] = await desk.owner.create('/cases/fields', { key, type, title: `<${key}>`, ...of, ...options, is_required_for_customers: key === 'count' });
      }
      const made = await desk.owner.create('/cases/forms', { title: 'F', is_visible_to_customers: true, case_field_ids: Object.values(fields).map(({ id }) => id) });
      const visitor = await customer();
      const page = (await visitor.send('contact', { subject: 'Fields', contents: 'x', 'field_values[count]': '', 'field_values[day]': 'never', 'field_values[some][]': '6' })).must(400);
      assert.equal(wrongBeside(page, 'field_values-count-'), 'This field is required.');
      assert.match(wrongBeside(page, 'field_values-day-'), /^A date like/);
      assert.match(page.text, /&lt;count&gt;/);
      const options = Object.fromEntries(await Promise.all(['pick', 'one', 'some'].map(async (key) => [key, (await desk.owner.fetch(`/cases/fields/${fields[key].id}`, { include: 'field_option' })).options.map(({ id }) => String(id))])));
      const right = Number(options.some[1]);
      /** The values that are chosen in the choices of a field. */
      const chosen = (text, key) => {
        const select = new RegExp(`<select[^>]* name="field_values\\[${key}\\]"[^]*?</select>`).exec(text)?.[0];
        const tags = select ? select.match(/<option[^>]*>/g) : text.match(new RegExp(`<input[^>]* name="field_values\\[${key}\\][^>]*>`, 'g'));
        return tags.filter((tag) => / (selected|checked)\b/.test(tag)).map((tag) => /value="([^"]*)"/.exec(tag)[1]);
      };
      const typed = { 'field_values[pick]': options.pick[1], 'field_values[one]': options.one[0], 'field_values[some][]': options.some[1], 'field_values[sure]': 'false', 'field_values[long]': 'Two\nlines', 'field_values[day]': 'never' };
      const fresh = (await visitor.get('contact')).must(200);
      const refused = (await visitor.send('contact', { subject: 'Fields', contents: 'x', ...typed })).must(400).text;
      assert.deepEqual(['pick', 'one', 'some', 'sure'].map((key) => chosen(refused, key)), [[options.pick[1]], [options.one[0]], [options.some[1]], ['false']], 'a refused form keeps what was chosen');
      assert.match(refused, />\s*Two\nlines<\/textarea>/);
      assert.match(refused, /name="field_values\[day\]"[^>]* value="never"/);
      assert.deepEqual(['pick', 'one', 'some', 'sure'].map((key) => chosen(fresh.text, key)), [[''], [], [], ['']], 'nothing was chosen');
      const sent = (await visitor.send('contact', { subject: 'Fields', contents: 'x', 'field_values[count]': '4', 'field_values[day]': '2026-11-22', 'field_values[sure]': 'true', 'field_values[some][]': String(right) })).must(303);
      const id = Number(/conversations\/(\d+)/.exec(sent.headers.location)[1]);
      const values = Object.fromEntries((await desk.owner.fetch(`/cases/${id}`)).custom_fields.map(({ field, value }) => [field.id, value]));
      assert.deepEqual([values[fields.count.id], values[fields.sure.id], values[fields.some.id]], ['4', 'yes', String(right)]);
      (await desk.owner.delete(`/cases/forms/${made.id}`)).must(200);
      for (const { id: field } of Object.values(fields)) (await desk.owner.delete(`/cases/fields/${field}`)).must(200);
    });

    test('a file of a required field is a value of the conversation, with and without a login', async () => {
      const { desk } = world;
      const field = await desk.owner.create('/cases/fields', { key: 'scan', type: 'FILE', title: 'Scan', is_visible_to_customers: true, is_customer_editable: true, is_required_for_customers: true });
      const made = await desk.owner.create('/cases/forms', { title: 'F', is_visible_to_customers: true, case_field_ids: [field.id] });
      const none = new File('', 'application/octet-stream', Buffer.alloc(0)), scan = new File('scan.txt', 'text/plain', Buffer.from('scanned'));
      for (const [visitor, who] of [[await customer(), {}], [browser(), { name: 'Stan', email: 'stan@strangers.example' }]]) {
        const hidden = await visitor.hidden('contact');
        const send = (hidden, file, more) => visitor.go('POST', 'contact', multipart({ ...hidden, ...who, subject: 'A scan', contents: 'x', 'field_values[scan]': file, ...more }));
        assert.match((await visitor.get('contact')).text, /<input type="file" id="f-field_values-scan-" name="field_values\[scan\]" required/);
        assert.equal(wrongBeside((await send(hidden, none)).must(400), 'field_values-scan-'), 'This field is required.');
        const empty = await visitor.hidden('contact');
        assert.equal((await send(empty, new File('empty.txt', 'text/plain', Buffer.alloc(0)))).must(303).status, 303, 'a file of no bytes is a file');
        const before = (await desk.owner.get('/cases')).must(200).body.total_count, good = await visitor.hidden('contact');
        (await send(good, scan, { files: new File('note.txt', 'text/plain', Buffer.from('note')) })).must(303);
        (await send(good, scan, { files: new File('note.txt', 'text/plain', Buffer.from('note')) })).must(303);
        assert.equal((await desk.owner.get('/cases')).body.total_count, before + 1, 'sent twice');
        const { id, custom_fields } = await desk.owner.fetch(`/cases/${(await newest()).id}`);
        const { value } = custom_fields.find((v) => v.field.id === field.id);
        assert.equal((await desk.owner.exchange('GET', `/api/v1/cases/${id}/files/${value}/content`)).must(200).text, 'scanned');
        const names = (await desk.owner.fetch(`/cases/${id}/posts`, { include: 'attachment' })).flatMap(({ attachments }) => attachments.map(({ name }) => name));
        assert.deepEqual(names, ['note.txt']);
      }
      (await desk.owner.delete(`/cases/forms/${made.id}`)).must(200);
      (await desk.owner.delete(`/cases/fields/${field.id}`)).must(200);
    });
  });

  describe('conversations', () => {
    test('a customer reads messages as safe HTML, replies once, corrects a rating and completes', async () => {
      const { desk } = world, visitor = await customer();
      const { id } = await ask({ subject: '<b>Stalls</b>', contents: 'a <script>alert(1)</script> b' });
      await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Have you tried "it"?' });
      const page = (await visitor.get(`conversations/${id}`)).must(200);
      assert.match(page.text, /<h1><bdi>&lt;b&gt;Stalls&lt;\/b&gt;<\/bdi><\/h1>/);
      assert.match(page.text, /You[^]*&lt;script&gt;alert[^]*Agnes Agent[^]*Have you tried/);
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.match((await visitor.get('conversations')).text, new RegExp(`href="${EN}/conversations/${id}"><bdi>&lt;b&gt;Stalls`));
      const hidden = await visitor.hidden(`conversations/${id}`, `conversations/${id}/reply`);
      for (const _ of [1, 2]) (await visitor.go('POST', `conversations/${id}/reply`, form({ ...hidden, contents: 'Yes <i>' }))).must(303);
      assert.equal((await desk.staff.fetch(`/conversations/${id}/messages`)).length, 3);
      const empty = (await visitor.go('POST', `conversations/${id}/reply`, form({ ...hidden, contents: '' }))).must(400);
      assert.equal(wrongBeside(empty, 'contents'), 'This field is required.');
      assert.match(empty.text, /<title>Error: &lt;b&gt;Stalls[^]*<div class="problems" id="problems" role="alert" tabindex="-1" autofocus>/);
      const rate = await visitor.hidden(`conversations/${id}`, `conversations/${id}/rating`);
      for (const [score, comment] of [['GOOD', 'Fast'], ['BAD', 'Slow']]) {
        const rated = (await visitor.go('POST', `conversations/${id}/rating`, form({ ...rate, score, comment }))).must(303);
        assert.match((await visitor.get(rated.headers.location)).must(200).text, /<p class="done" role="status">Thank you for your rating\.<\/p>/);
        const [rating] = await desk.staff.fetch(`/conversations/${id}/ratings`);
        assert.deepEqual([rating.score, rating.comment], [score, comment]);
        if (score === 'GOOD') (await desk.staff.post(`/conversations/${id}/ratings`, { score: 'BAD', comment: 'By staff' })).must(200);
      }
      assert.match((await visitor.get(`conversations/${id}`)).text, /Your rating[^<]*<strong>Bad<[^]*Slow/, 'the page shows the own rating');
      assert.deepEqual((await desk.staff.fetch(`/conversations/${id}/ratings`)).map((r) => r.comment), ['Slow', 'By staff']);
      assert.ok(!(await visitor.get(`conversations/${id}`)).text.includes(`conversations/${id}/rating`), 'the form appears once');
      const done = (await visitor.send(`conversations/${id}`, {}, `conversations/${id}/complete`)).must(303);
      assert.match((await visitor.get(done.headers.location)).text, /The conversation is completed/);
      assert.equal((await desk.staff.fetch(`/cases/${id}`)).status.id, 4);
      (await desk.owner.put(`/cases/${id}`, { status_id: 5 })).must(200);
      const closed = (await visitor.get(`conversations/${id}`)).must(200);
      assert.ok(closed.text.includes('This conversation is closed.') && !closed.text.includes(`conversations/${id}/reply`));
      assert.equal((await visitor.go('POST', `conversations/${id}/reply`, form({ ...hidden, contents: 'more', _key: 'k2' }))).status, 400);
    });

    test('a rating is asked for when staff have answered, and statuses are in words for customers', async () => {
      const { desk } = world, visitor = await customer(), { id } = await ask();
      const page = async () => (await visitor.get(`conversations/${id}`)).must(200).text;
      const status = async () => {
        const [, inPage] = /Status: <\/span><span class="status[^"]*">([^<]+)/.exec(await page()), list = (await visitor.get('conversations')).text;
        const [, inList] = new RegExp(`conversations/${id}"[^]*?<span class="status[^"]*">([^<]+)`).exec(list);
        return [inPage, inList];
      };
      assert.ok(!(await page()).includes('/rating"'), 'nobody has answered');
      assert.deepEqual(await status(), ['Received', 'Received']);
      await visitor.send(`conversations/${id}`, { contents: 'Hello?' }, `conversations/${id}/reply`);
      assert.ok(!(await page()).includes('/rating"'), 'an own message is no answer');
      await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Turn it.' });
      assert.match(await page(), /\/rating"[^]*name="score" value="GOOD"[^]*value="BAD"[^]*<textarea[^]*Send the rating/);
      for (const [status_id, words] of [[2, 'In progress'], [3, 'Waiting for your reply'], [4, 'Solved']]) {
        (await desk.staff.put(`/cases/${id}`, { status_id })).must(200);
        assert.deepEqual(await status(), [words, words]);
      }
    });

    test('a customer who sees an organization has its conversations in a list of their own', async () => {
      const { desk } = world, organization = await desk.owner.create('/organizations', { name: 'Engine makers', is_shared: true });
      const [seeing, other] = [await desk.person('customer', { organization_id: organization.id, organization_case_access: 'ORGANIZATION' }), await desk.person('customer', { organization_id: organization.id })];
      for (let n = 1; n <= 21; n++) await other.client.create('/conversations', { subject: `Of another ${n}`, contents: 'x' });
      await seeing.client.create('/conversations', { subject: 'My own', contents: 'A <b>preview</b>' });
      const visitor = await browser().login(seeing), mine = (await visitor.get('conversations')).must(200).text, all = (await visitor.get('conversations?of=organization')).must(200).text;
      const scopes = (text) => [...text.matchAll(/<a href="([^"]*)"( aria-current="page")?>(Mine|Of my organization)</g)].map(([, href, current, word]) => [word, href.replace(EN, ''), Boolean(current)]);
      assert.deepEqual(scopes(mine), [['Mine', '/conversations', true], ['Of my organization', '/conversations?of=organization', false]]);
      assert.deepEqual(scopes(all), [['Mine', '/conversations', false], ['Of my organization', '/conversations?of=organization', true]]);
      assert.match(mine, /My own<\/bdi><\/a><\/h2>[^]*<p class="preview"><bdi>A &lt;b&gt;preview&lt;\/b&gt;<\/bdi><\/p>/);
      assert.ok(!mine.includes('Of another') && all.includes('Of another 21') && !mine.includes('rel="next"'));
      assert.match(all, /offset=20&amp;of=organization" rel="next"/);
      assert.ok((await visitor.get('conversations?of=organization&offset=20')).text.includes('Of another 1<'));
      assert.deepEqual(scopes((await (await browser().login(other)).get('conversations')).text), [], 'somebody who sees no other conversation has no choice');
      assert.match((await (await browser().login(await desk.person('customer'))).get('conversations')).text, /<p>[^<]+<\/p>\n<p><a class="button" href="[^"]*\/contact">/);
    });

    test('a message names its writer, marks the reader\'s own, and lists its files with their sizes', async () => {
      const { desk } = world, visitor = await customer(), { id } = await ask();
      const uploaded = await desk.staff.create('/files', raw('text/plain', Buffer.alloc(1025, 'x'), { 'X-File-Name': 'long.txt' }));
      await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Turn it.', attachment_file_ids: [uploaded.id] });
      const { text } = (await visitor.get(`conversations/${id}`)).must(200);
      const messages = [...text.matchAll(/<article class="message( own)?" aria-labelledby="by(\d+)">\n<h2 id="by\2"><bdi>([^<]*)<\/bdi>/g)].map(([, own, , name]) => [Boolean(own), name]);
      assert.deepEqual(messages, [[true, 'You'], [false, 'Agnes Agent']]);
      assert.match(text, /<ul class="attachments" aria-label="Attachments">\n<li><svg.*?<span><a href="\/api\/v1\/[^"]+\/download" download><bdi>[^<]+<\/bdi><\/a> <span class="hint">2 KB<\/span><\/span><\/li>\n<\/ul>/);
      assert.equal(text.match(/<ul class="attachments"/g).length, 1);
    });

    test('times without script are in the zone of the desk, which they name', async () => {
      const { desk } = world, visitor = await customer(), { id } = await ask();
      const time = async () => /<time datetime="([^"]+)" data-clock>([^<]+)</.exec((await visitor.get(`conversations/${id}`)).text);
      const [, iso, utc] = await time();
      assert.ok(utc.endsWith(`, ${iso.slice(11, 16)} UTC`), utc);
      for (const [path, has] of [[`conversations/${id}`, true], ['conversations', true], ['contact', false]])
        assert.equal((await visitor.get(path)).text.includes('<script src="/helpcenter/times.js" defer></script>'), has, path);
      (await desk.owner.put('/settings', { values: { 'desk.time_zone': 'Asia/Kolkata' } })).must(200);
      const [, , local] = await time(), there = new Date(Date.parse(iso) + 330 * 60000).toISOString();
      assert.ok(local.startsWith(`${Number(there.slice(8, 10))} `) && local.endsWith(`, ${there.slice(11, 16)} Asia/Kolkata`), local);
      (await desk.owner.put('/settings', { values: { 'desk.time_zone': 'UTC' } })).must(200);
    });

    test('a conversation of somebody else is not there', async () => {
      const other = await world.desk.person('customer');
      const { id } = await other.client.create('/conversations', { subject: 'Secret canary', contents: 'x' });
      const visitor = await customer();
      const missing = (await visitor.get('conversations/999999')).must(404);
      assert.equal((await visitor.get(`conversations/${id}`)).must(404).text, missing.text);
      const { id: mine } = await ask(), hidden = await visitor.hidden(`conversations/${mine}`, `conversations/${mine}/reply`);
      for (const deed of ['reply', 'rating', 'complete']) (await visitor.go('POST', `conversations/${id}/${deed}`, form({ ...hidden, contents: 'x', score: 'GOOD' }))).must(404);
      assert.ok(!(await visitor.get('conversations')).text.includes('canary'));
      assert.match((await browser().get(`conversations/${id}`)).must(303).headers.location, /login\?to=/);
      for (const odd of ['0', '-1', 'abc', '99999999999999999999', '%00', '..']) assert.ok([404, 303].includes((await visitor.get(`conversations/${odd}`)).status), odd);
    });

    test('the list has pages', async () => {
      const person = await world.desk.person('customer');
      for (let n = 0; n < 22; n++) await person.client.create('/conversations', { subject: `Number ${n}`, contents: 'x' });
      const visitor = await browser().login({ email: person.email });
      const first = (await visitor.get('conversations')).must(200), second = (await visitor.get('conversations?offset=20')).must(200);
      assert.equal(first.text.match(/Number \d+</g).length, 20);
      assert.equal(second.text.match(/Number \d+</g).length, 2);
      assert.match(first.text, /offset=20" rel="next"/);
      assert.match(second.text, /offset=0" rel="prev"/);
    });

    test('a conversation has pages of its messages, the newest ones on the first', async () => {
      const person = await world.desk.person('customer');
      const { id } = await person.client.create('/conversations', { subject: 'Long', contents: 'Message 1.' });
      for (let n = 2; n <= 52; n++) await person.client.create(`/conversations/${id}/messages`, { contents: `Message ${n}.` });
      const visitor = await browser().login({ email: person.email });
      const shown = async (offset) => [...(await visitor.get(`conversations/${id}${offset}`)).must(200).text.matchAll(/Message (\d+)\.|rel="(next|prev)"/g)].map(([, n, rel]) => rel ?? Number(n));
      assert.deepEqual((await shown('')).sort(), [...Array.from({ length: 50 }, (_, i) => i + 3), 'next'].sort());
      assert.deepEqual((await shown('?offset=50')).sort(), [1, 2, 'prev'].sort());
    });
  });

  describe('articles', () => {
    const page = (article) => `articles/${article.id}-x`;
    const path = async (visitor, article) => (await visitor.get(page(article))).must(301).headers.location;
    const votes = async () => {
      const { upvote_count, downvote_count } = await world.desk.owner.fetch(`/articles/${world.article.id}`);
      return [upvote_count, downvote_count];
    };

    test('the first Send sends, also if articles answer the subject, and counts the article that was read before', async () => {
      const { desk, article } = world, visitor = await customer();
      const typed = { subject: 'How to start my difference engine?', contents: 'It does not.', article_id: article.id };
      const before = Number(desk.sql(`SELECT conversations FROM articles WHERE id = ${article.id}`));
      const sent = (await visitor.send(`contact?article=${article.id}`, typed, 'contact')).must(303);
      assert.match(sent.headers.location, /done=sent$/);
      assert.equal(Number(desk.sql(`SELECT conversations FROM articles WHERE id = ${article.id}`)), before + 1);
      assert.match((await visitor.get('/helpcenter/suggest.js')).must(200).headers['content-type'], /^text\/javascript/);
    });

    test('an article that the visitor does not see does not hinder the message', async () => {
      const { desk, secret } = world, visitor = browser();
      const { headers } = (await visitor.send(`contact?article=${secret.id}`, { name: 'N', email: 'n@people.example', subject: 'Zzz', contents: 'x', article_id: secret.id }, 'contact')).must(303);
      assert.match(headers.location, /done=sent/);
      assert.equal(Number(desk.sql(`SELECT conversations FROM articles WHERE id = ${secret.id}`)), 0);
    });

    test('a visitor has one vote, by a cookie that the first vote sets', async () => {
      const visitor = browser({ 'Sec-Fetch-Site': 'same-origin' }), at = await path(visitor, world.article), before = await votes();
      assert.ok(!(await visitor.get(at)).headers['set-cookie'], 'a visit sets no cookie');
      const vote = (vote) => visitor.go('POST', `${at}/vote`, form({ vote }));
      assert.equal((await vote('up')).must(303).headers.location, `${at}?done=voted#helpful`);
      assert.match(visitor.cookies.desk_visitor, /^[0-9a-f-]{36}$/);
      for (const _ of [1, 2]) await vote('down');
      assert.deepEqual(await votes(), [before[0], before[1] + 1]);
      assert.match((await visitor.get(`${at}?done=voted`)).text, /Thank you for your vote\./);
      (await vote('sideways')).must(400);
      (await visitor.go('POST', `${EN}/articles/${world.secret.id}-x/vote`, form({ vote: 'up' }))).must(404);
    });

    test('the words of an address may be of any length', async () => {
      const words = '%C3%A4'.repeat(1000), at = `${EN}/articles/${world.article.id}-${words}`;
      const asked = (await browser().go('POST', `${at}/vote`, form({ vote: 'up' }))).must(200);
      assert.match(asked.text, /Confirm your vote/);
      const back = (await browser({ 'Sec-Fetch-Site': 'same-origin' }).go('POST', `${at}/vote`, form({ vote: 'up' }))).must(303);
      assert.equal(back.headers.location, `${at}?done=voted#helpful`);
      (await browser().go('POST', `${at}/comments`, form({ contents: 'x' }))).must(303);
    });

    test('a vote without token needs a browser that names our page; others confirm it', async () => {
      const old = browser(), at = await path(old, world.article), before = await votes();
      const asked = (await old.go('POST', `${at}/vote`, form({ vote: 'up' }))).must(200);
      assert.match(asked.text, /Confirm your vote/);
      assert.deepEqual(await votes(), before);
      (await old.go('POST', `${at}/vote`, form({ vote: 'up' }), { Origin: 'https://evil.example' })).must(403);
      const [, _token] = /name="_token" value="(\w+)"/.exec(asked.text);
      (await old.go('POST', `${at}/vote`, form({ vote: 'up', _token }))).must(303);
      assert.deepEqual(await votes(), [before[0] + 1, before[1]]);
      const member = await customer();
      (await member.go('POST', `${at}/vote`, form({ vote: 'up' }), { 'Sec-Fetch-Site': 'same-origin' })).must(200);
      assert.deepEqual(await votes(), [before[0] + 1, before[1]], 'a form of a session needs its token');
    });

    test('a customer comments, edits within ten minutes, likes and deletes', async () => {
      const { desk, article } = world, visitor = await customer(), at = await path(visitor, article);
      const posted = (await visitor.send(at, { contents: 'Nice <b>one</b>' }, `${at}/comments`)).must(303);
      assert.match(posted.headers.location, /#comments$/);
      const [comment] = await desk.staff.fetch(`/articles/${article.id}/comments`);
      assert.match((await visitor.get(at)).text, /Nice &lt;b&gt;one&lt;\/b&gt;/);
      const one = `${at}/comments/${comment.id}`;
      const empty = (await visitor.send(at, { contents: ' ' }, `${at}/comments`)).must(400);
      assert.equal(wrongBeside(empty, 'contents'), 'This field is required.');
      (await visitor.send(one, { contents: 'Better', do: 'save' })).must(303);
      assert.equal((await desk.staff.fetch(`/articles/${article.id}/comments`))[0].contents, 'Better');
      for (const [deed, likes] of [['like', 1], ['like', 1], ['unlike', 0], ['like', 1]]) {
        const hidden = await visitor.hidden(at, one);
        (await visitor.go('POST', one, form({ ...hidden, do: deed }))).must(303);
        assert.equal((await desk.staff.fetch(`/articles/${article.id}/comments`))[0].like_count, likes);
      }
      const other = await browser().login(await desk.person('customer')), hidden = await other.hidden(at, one);
      assert.match((await other.get(at)).text, /contact\?subject=Report/);
      for (const deed of ['save', 'delete', 'spam']) (await other.go('POST', one, form({ ...hidden, do: deed, contents: 'mine' }))).must(403);
      await desk.clock.forward(11 * MINUTE);
      const late = await visitor.hidden(at, one);
      const refused = (await visitor.go('POST', one, form({ ...late, do: 'delete' }))).must(400);
      assert.match(refused.text, /role="alert"/);
      const staff = await browser().login(desk.people.agent);
      (await staff.go('POST', one, form({ ...await staff.hidden(at, one), do: 'spam' }))).must(303);
      assert.ok(!(await visitor.get(at)).text.includes('Better'));
      (await visitor.get(one)).must(404);
    });

    test('the language menu of a refused form leads to pages that a browser can open', async () => {
      const { desk, article } = world, visitor = await customer(), at = await path(visitor, article), { id } = await ask();
      const translations = (more) => ({ titles: [{ locale: 'en-us', translation: 'General' }, ...more] }), { id: category } = (await desk.owner.fetch('/categories'))[0];
      await desk.owner.update(`/categories/${category}`, translations([{ locale: 'de', translation: 'Allgemein' }]));
      const { id: comment } = await desk.customer.create(`/articles/${article.id}/comments`, { contents: 'Mine' });
      const { _token } = await visitor.hidden(`conversations/${id}`, `conversations/${id}/reply`), stranger = browser();
      for (const [who, to, fields, menu] of [
        [visitor, `${at}/vote`, { vote: 'sideways', _token }, at], [visitor, `${at}/comments`, { contents: ' ', _token }, at], [visitor, `${at}/comments/${comment}`, { do: 'nothing', _token }, `${at}/comments/${comment}`],
        [visitor, `${EN}/conversations/${id}/reply`, { contents: '', _token }, `${EN}/conversations/${id}`], [visitor, `${EN}/conversations/${id}/rating`, { score: 'X', _token }, `${EN}/conversations/${id}`],
        [stranger, `${EN}/contact`, { ...await stranger.hidden('contact'), subject: '' }, `${EN}/contact`], [stranger, `${EN}/login`, { ...await stranger.hidden('login'), email: 'x', password: 'y' }, `${EN}/login`],
      ]) {
        const page = await who.go('POST', to, form(fields));
        assert.ok(page.status >= 400, to);
        const [, german] = /<li><a href="([^"]+)" lang="de" hreflang="de"/.exec(page.text);
        assert.equal(german, menu.replace('/en-us/', '/de/'));
        assert.ok((await who.get(german)).status < 400, german);
      }
      await desk.owner.update(`/categories/${category}`, translations([]));
    });

    test('a comment has the actions of its reader', async () => {
      const { desk, article } = world, at = await path(browser(), article);
      const mine = await desk.customer.create(`/articles/${article.id}/comments`, { contents: 'By a customer' }), reply = await desk.staff.create(`/articles/${article.id}/comments`, { contents: 'By staff', parent_id: mine.id });
      const actions = async (visitor) => Object.fromEntries([...(await visitor.get(at)).text.matchAll(/<li id="comment-(\d+)"( class="reply")?>([^]*?)<\/li>/g)].map(([, id, isReply, text]) =>
        [id, [Boolean(isReply), ...[...text.matchAll(/<button[^>]* value="(\w+)">|<a href="[^"]*\/(contact\?subject)=|<a href="[^"]*\/comments\/(\d+)"/g)].map(([, deed, report, edit]) => deed ?? (report ? 'report' : `edit ${edit}`))]]));
      const asCustomer = await actions(await customer()), asStaff = await actions(await browser().login(desk.people.agent)), asNobody = await actions(browser());
      assert.deepEqual([asCustomer[mine.id], asCustomer[reply.id]], [[false, 'like', `edit ${mine.id}`, 'delete'], [true, 'like', 'report']]);
      assert.deepEqual([asStaff[mine.id], asStaff[reply.id]], [[false, 'like', 'spam'], [true, 'like', `edit ${reply.id}`, 'delete', 'spam']]);
      assert.deepEqual([asNobody[mine.id], asNobody[reply.id]], [[false], [true]]);
      const visitor = await customer(), edit = (await visitor.get(`${at}/comments/${mine.id}`)).must(200);
      assert.match(edit.text, /<textarea[^>]*name="contents"[^>]*>\nBy a customer<\/textarea>[^]*value="save"[^]*value="delete" formnovalidate/);
      await desk.clock.forward(11 * MINUTE);
      assert.deepEqual((await actions(await customer()))[mine.id], [false, 'like'], 'the time to edit it is over');
      for (const { id } of [reply, mine]) (await desk.owner.put(`/articles/${article.id}/comments/${id}/spam`, {})).must(200);
    });

    test('a visitor without login is sent to the login, and an article without comments takes none', async () => {
      const stranger = browser(), at = await path(stranger, world.article);
      assert.match((await stranger.get(at)).text, /login\?to=%2Farticles/);
      assert.match((await stranger.go('POST', `${at}/comments`, form({ contents: 'x' }))).must(303).headers.location, /\/login$/);
      const visitor = await customer(), quiet = await path(visitor, world.quiet);
      const { _token } = await visitor.hidden(await path(visitor, world.article), `${at}/comments`);
      assert.ok(!(await visitor.get(quiet)).text.includes('/comments"'));
      (await visitor.go('POST', `${quiet}/comments`, form({ _token, contents: 'x' }))).must(400);
      (await visitor.go('POST', `${EN}/articles/${world.secret.id}-x/comments`, form({ _token, contents: 'x' }))).must(404);
    });
  });

  describe('forged forms', () => {
    test('a page of another site, and a form without the token, change nothing', async () => {
      const { desk } = world, visitor = await customer(), { id } = await ask();
      const hidden = await visitor.hidden(`conversations/${id}`, `conversations/${id}/reply`);
      const path = `conversations/${id}/reply`, body = { ...hidden, contents: 'forged' };
      for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }])
        assert.match((await visitor.go('POST', path, form(body), headers)).must(403).text, /sent from another site/);
      const stranger = await browser().hidden('contact');
      for (const _token of ['', 'x', stranger._token, `${hidden._token.slice(0, -1)}0`.replace(hidden._token, 'y')]) {
        const page = (await visitor.go('POST', path, form({ ...body, _token }))).must(403);
        assert.match(page.text, /This form has expired/);
        assert.ok(page.text.includes('>\nforged</textarea>'));
      }
      assert.equal((await desk.staff.fetch(`/conversations/${id}/messages`)).length, 1);
    });

    test('the token of a stranger is for the address, the browser and the day', async () => {
      const { desk } = world;
      const { _token } = await browser().hidden('contact');
      const send = (from, headers) => from.exchange('POST', `${EN}/reset`, { body: form({ _token, email: 'a@people.example' }), headers });
      assert.equal((await send(desk.anyone)).status, 303);
      assert.equal((await send(desk.anyone.at('127.0.0.9'))).status, 403);
      assert.equal((await send(desk.anyone, { 'User-Agent': 'other' })).status, 403);
      assert.equal((await send(desk.anyone, { Cookie: 'desk_session=1.00' })).status, 303);
      await desk.clock.forward(49 * 60 * MINUTE);
      assert.equal((await send(desk.anyone)).status, 403);
    });

    test('odd bodies are refused', async () => {
      for (const path of ['login', 'logout', 'reset', 'contact', 'conversations/1/reply', 'conversations/1/rating', 'articles/1-a/vote', 'articles/1-a/comments', 'articles/1/comments/1']) {
        for (const body of [form({}), form({ _token: 'a', 'a[b]': 'c', vote: 'up', do: 'save' }), multipart({ '_token[': '\u0000' })]) {
          const { status } = await browser().go('POST', path, body);
          assert.ok(status < 500, `${path} ${status}`);
        }
        assert.equal((await browser().go('PUT', path, form({}))).status, 405);
      }
    });
  });
});
