// Mailboxes (src/res/mailbox.c): addresses, verification, the default, IMAP accounts, and the records of their domains.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { describe, test } from 'node:test';
import { DAY, MINUTE, connect, defer, form, open, relay, rowsChanged, shared, storedMail } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const page = (desk, query) => desk.anyone.exchange('GET', '/mailbox', { query });
const press = (desk, body) => desk.anyone.exchange('POST', '/mailbox', { body: form(body) });
const defaults = async (desk) => (await desk.admin.fetch('/mailboxes', { limit: 100 })).filter((box) => box.is_default).map((box) => box.id);

/** Creates a mailbox and verifies it by its code. */
async function verified(w, address, more) {
  const box = await w.desk.admin.create('/mailboxes', { address, ...more });
  return w.desk.admin.update(`/mailboxes/${box.id}/verification`, { code: (await w.to.find(address)).hash });
}

describe('mailboxes:', () => {
  const world = shared(async (w) => {
    w.to = await relay(w.t);
    await connect(w.desk, w.to);
  });

  test('a new desk has one mailbox: it is the system\'s, the default, verified, and has the address of the setting', async () => {
    const { desk } = world;
    const box = await desk.staff.fetch('/mailboxes/1');
    assert.deepEqual(Object.keys(box), `id uuid address name brand team is_system is_custom is_verified is_default is_enabled is_deleted verified_at imap_host imap_port imap_security
      imap_user imap_folder imap_after imap_error imap_tried_at smtp_host smtp_port smtp_security smtp_user
      oauth_provider oauth_client_id oauth_authorization_url oauth_token_url oauth_issuer oauth_scopes oauth_callback_url oauth_state oauth_reason oauth_connected_at created_at updated_at resource_type resource_url`.split(/\s+/));
    assert.deepEqual([box.address, box.brand.id, box.is_system, box.is_custom, box.is_verified, box.is_default, box.is_enabled, box.is_deleted], ['desk@example.com', 1, true, false, true, true, true, false]);
    assert.ok(box.verified_at);
  });

  test('the system mailbox has an address before the desk has one', async (t) => {
    const desk = await open(t);
    const { address } = await desk.staff.fetch('/mailboxes/1');
    assert.match(address, /^support@[^@\s]+$/);
    assert.deepEqual((await desk.staff.fetch('/mailboxes')).map((box) => box.address), [address]);
    await desk.owner.update('/settings', { values: { 'mail.from_address': 'help@example.com' } });
    assert.equal((await desk.staff.fetch('/mailboxes/1')).address, 'help@example.com');
  });

  test('staff read mailboxes; admins and owners with the permission write them', async () => {
    const { desk } = world;
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) assert.ok((await desk.as(role).fetch('/mailboxes')).length);
    (await desk.customer.get('/mailboxes')).refused(403, 'PERMISSIONS_DENIED');
    for (const role of ['agent', 'collaborator', 'customer']) {
      const who = desk.as(role);
      (await who.post('/mailboxes', { address: 'x@example.com' })).refused(403, 'PERMISSIONS_DENIED');
      (await who.put('/mailboxes/1', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
      (await who.put('/mailboxes/default', { mailbox_id: 1 })).refused(403, 'PERMISSIONS_DENIED');
      (await who.put('/mailboxes/1/verification', { code: 'x' })).refused(403, 'PERMISSIONS_DENIED');
      (await who.delete('/mailboxes/1')).refused(403, 'PERMISSIONS_DENIED');
      (await who.get('/mailboxes/1/configuration')).refused(403, 'PERMISSIONS_DENIED');
    }
    const role = await desk.owner.create('/roles', { title: 'No channels', type: 'ADMIN' });
    (await desk.owner.put(`/roles/${role.id}/permissions`, { 'channels.manage': false })).must(200);
    const { client } = await desk.person('admin', { role_id: role.id });
    (await client.post('/mailboxes', { address: 'x@example.com' })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('a mailbox is created with brand and team, is changed, and gets a verification e-mail', async () => {
    const { desk, to } = world;
    const brand = await desk.owner.create('/brands', { name: 'Engines' });
    const team = await desk.owner.create('/teams', { title: 'Support' });
    const box = await desk.admin.create('/mailboxes', { address: ' Support@Müller.example ', brand_id: brand.id, team_id: team.id, name: 'Support' });
    assert.deepEqual([box.address, box.brand.id, box.team.id, box.name, box.is_system, box.is_custom, box.is_verified, box.is_default, box.is_enabled, box.verified_at],
      ['Support@Müller.example', brand.id, team.id, 'Support', false, true, false, false, true, null]);
    assert.match(box.uuid, /^[0-9a-f-]{36}$/);
    const mail = await until_mail(to, /mailbox/);
    assert.match(mail.subject, /^Confirm the mailbox Support@Müller\.example at /);
    const changed = await desk.admin.update(`/mailboxes/${box.id}`, { name: null, brand_id: 1, address: 'other@example.com', is_default: true });
    assert.deepEqual([changed.name, changed.brand.id, changed.address, changed.is_default], [null, 1, box.address, false]);
    assert.deepEqual((await desk.admin.fetch('/mailboxes', { brand_id: 1, is_enabled: true })).map(({ id }) => id), [1, box.id]);
    (await desk.owner.delete(`/teams/${team.id}`)).must(200);
    assert.equal((await desk.admin.fetch(`/mailboxes/${box.id}`)).team, null);
    (await desk.admin.delete(`/mailboxes/${box.id}`)).must(200);
  });

  test('an address is one e-mail address without a plus sign, and belongs to one mailbox', async () => {
    const { desk } = world;
    (await desk.admin.post('/mailboxes', {})).refused(400, 'FIELD_REQUIRED', 'address');
    for (const address of ['x', 'x@', '@example.com', 'a@b@example.com', 'a b@example.com', 'x+y@example.com', `${'x'.repeat(300)}@example.com`]) {
      (await desk.admin.post('/mailboxes', { address })).refused(400, 'FIELD_INVALID', 'address');
    }
    (await desk.admin.post('/mailboxes', { address: 'DESK@example.com' })).refused(400, 'FIELD_DUPLICATE', 'address');
    const { id } = await desk.admin.create('/mailboxes', { address: 'one@example.com' });
    (await desk.admin.post('/mailboxes', { address: 'ONE@EXAMPLE.com' })).refused(400, 'FIELD_DUPLICATE', 'address');
    for (const [name, value] of [['brand_id', 99], ['team_id', 99]]) (await desk.admin.post('/mailboxes', { address: 'two@example.com', [name]: value })).refused(400, 'FIELD_INVALID', name);
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
    const again = await desk.admin.create('/mailboxes', { address: 'one@example.com' });
    (await desk.admin.delete('/mailboxes', { ids: again.id })).must(200);
  });

  test('the addresses of the settings have no plus sign, and mail.from_address is that of no other mailbox', async () => {
    const { desk } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'taken@example.com' });
    const put = (name, value) => desk.owner.put('/settings', { values: { [name]: value } });
    for (const name of ['mail.from_address', 'mail.return_path']) {
      for (const wrong of ['support+x@example.com', 'no address']) (await put(name, wrong)).refused(400, 'FIELD_INVALID', `values.${name}`);
    }
    (await put('mail.from_address', 'Taken@EXAMPLE.com')).refused(400, 'FIELD_INVALID', 'values.mail.from_address');
    (await put('mail.return_path', 'taken@example.com')).must(200);
    (await put('mail.return_path', 'returns@example.com')).must(200);
    (await desk.admin.delete(`/mailboxes/${(await desk.admin.create('/mailboxes', { address: 'returns@example.com' })).id}`)).must(200);
    (await put('mail.return_path', '')).must(200);
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
  });

  test('an address that belongs to a person is accepted with a warning', async () => {
    const { desk } = world;
    const reply = (await desk.admin.post('/mailboxes', { address: desk.people.agent.email })).must(201);
    assert.ok(reply.body.notifications.some(({ type, message }) => type === 'WARNING' && message.includes(`User ${desk.people.agent.id}`)), `${reply}`);
    (await desk.admin.delete(`/mailboxes/${reply.data.id}`)).must(200);
  });

  test('the link in the e-mail verifies by its button, once, and within three days', async () => {
    const { desk, to } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'link@example.com' });
    const { hash, link } = await to.find('link@example.com');
    assert.equal(link.split('?')[0], `${desk.base}/mailbox`);
    assert.match((await page(desk, { hash })).must(200).text, /Confirm this mailbox/);
    assert.equal((await desk.admin.fetch(`/mailboxes/${id}`)).is_verified, false);
    for (const wrong of ['', 'x', `${hash}0`]) assert.match((await press(desk, { hash: wrong })).must(400).text, /This link does not work/);
    assert.match((await press(desk, { hash })).must(200).text, /Your address is confirmed/);
    assert.equal((await desk.admin.fetch(`/mailboxes/${id}`)).is_verified, true);
    for (const reply of [await page(desk, { hash }), await press(desk, { hash })]) assert.match(reply.must(400).text, /This link does not work/);
    (await desk.admin.put(`/mailboxes/${id}/send_verification_email`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.put(`/mailboxes/${id}/verification`, { code: hash })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
  });

  test('a code verifies its own mailbox; a new e-mail replaces it, and three days end it', async () => {
    const { desk, to } = world;
    const one = await desk.admin.create('/mailboxes', { address: 'code@example.com' });
    const two = await desk.admin.create('/mailboxes', { address: 'code2@example.com' });
    const first = (await to.find('code@example.com')).hash, other = (await to.find('code2@example.com')).hash;
    (await desk.admin.put(`/mailboxes/${one.id}/verification`, {})).refused(400, 'FIELD_REQUIRED', 'code');
    for (const code of ['x', other]) (await desk.admin.put(`/mailboxes/${one.id}/verification`, { code })).refused(400, 'FIELD_INVALID', 'code');
    (await desk.admin.put(`/mailboxes/${one.id}/send_verification_email`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await desk.clock.forward(2 * MINUTE);
    (await desk.admin.put(`/mailboxes/${one.id}/send_verification_email`)).must(200);
    const second = (await to.find('code@example.com')).hash;
    (await desk.admin.put(`/mailboxes/${one.id}/verification`, { code: first })).refused(400, 'FIELD_INVALID', 'code');
    assert.equal((await desk.admin.update(`/mailboxes/${one.id}/verification`, { code: second })).is_verified, true);
    await desk.clock.forward(3 * DAY);
    (await desk.admin.put(`/mailboxes/${two.id}/verification`, { code: other })).refused(400, 'FIELD_INVALID', 'code');
    (await desk.admin.put('/mailboxes/999/verification', { code: other })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.admin.delete('/mailboxes', { ids: `${one.id},${two.id}` })).must(200);
  });

  test('the default is verified and enabled, and can be neither disabled nor deleted', async () => {
    const { desk } = world;
    const plain = await desk.admin.create('/mailboxes', { address: 'plain@example.com' });
    (await desk.admin.put('/mailboxes/default', {})).refused(400, 'FIELD_REQUIRED', 'mailbox_id');
    (await desk.admin.put('/mailboxes/default', { mailbox_id: 999 })).refused(400, 'FIELD_INVALID', 'mailbox_id');
    (await desk.admin.put('/mailboxes/default', { mailbox_id: plain.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    const box = await verified(world, 'default@example.com', { is_enabled: false });
    (await desk.admin.put('/mailboxes/default', { mailbox_id: box.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await desk.admin.update(`/mailboxes/${box.id}`, { is_enabled: true });
    assert.equal((await desk.admin.update('/mailboxes/default', { mailbox_id: box.id })).is_default, true);
    assert.deepEqual(await defaults(desk), [box.id]);
    (await desk.admin.put(`/mailboxes/${box.id}`, { is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete(`/mailboxes/${box.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete('/mailboxes/1')).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete('/mailboxes', { ids: `${plain.id},1` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
    assert.equal((await desk.admin.fetch(`/mailboxes/${plain.id}`)).is_deleted, false);
    await Promise.all([1, box.id, 1, box.id].map((mailbox_id) => desk.admin.update('/mailboxes/default', { mailbox_id })));
    assert.equal((await defaults(desk)).length, 1);
    await desk.admin.update('/mailboxes/default', { mailbox_id: 1 });
    assert.equal((await desk.admin.delete('/mailboxes', { ids: `${plain.id},${box.id}` })).must(200).body.total_count, 2);
  });

  test('a deleted mailbox is in no list, and its mails and conversations still refer to it', async () => {
    const { desk } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'kept@example.com' });
    const mail = await storedMail(desk, { mailbox_id: id });
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
    (await desk.admin.get(`/mailboxes/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    const { mailbox } = await desk.staff.fetch(`/mails/${mail}`, { include: 'mailbox' });
    assert.deepEqual([mailbox.id, mailbox.address, mailbox.is_deleted, mailbox.is_enabled], [id, 'kept@example.com', true, false]);
  });

  test('a brand with mailboxes can\'t be deleted; the system mailbox and deleted ones go to the default brand', async () => {
    const { desk } = world;
    const brand = await desk.owner.create('/brands', { name: 'Short' });
    const box = await desk.admin.create('/mailboxes', { address: 'short@example.com', brand_id: brand.id });
    await desk.admin.update('/mailboxes/1', { brand_id: brand.id });
    (await desk.owner.delete(`/brands/${brand.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete(`/mailboxes/${box.id}`)).must(200);
    (await desk.owner.delete(`/brands/${brand.id}`)).must(200);
    assert.equal((await desk.admin.fetch('/mailboxes/1')).brand.id, 1);
    assert.equal(sql(desk, `SELECT brand_id FROM mailboxes WHERE id = ${box.id}`).trim(), '1');
  });

  test('only owners set the IMAP account; agents do not see it, and nobody sees the password', async () => {
    const { desk } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'imap@example.com' });
    const account = { imap_host: 'imap.example.com', imap_port: 993, imap_security: 'TLS', imap_user: 'support', imap_password: 'hunter2 hunter2', imap_folder: 'INBOX', imap_after: 'Done' };
    for (const name of Object.keys(account)) (await desk.admin.put(`/mailboxes/${id}`, { [name]: account[name] })).refused(403, 'PERMISSIONS_DENIED', name);
    (await desk.admin.post('/mailboxes', { address: 'imap2@example.com', imap_host: 'imap.example.com' })).refused(403, 'PERMISSIONS_DENIED', 'imap_host');
    for (const [name, value] of [['imap_port', 0], ['imap_port', 65536], ['imap_security', 'SSL'], ['imap_host', 'x'.repeat(254)]]) (await desk.owner.put(`/mailboxes/${id}`, { [name]: value })).refused(400, 'FIELD_INVALID', name);
    const set = (await desk.owner.put(`/mailboxes/${id}`, account)).must(200);
    const { imap_password: secret, ...shown } = account;
    for (const [name, value] of Object.entries(shown)) assert.equal(set.data[name], value);
    assert.ok(!set.text.includes(secret) && !('imap_password' in set.data));
    for (const name of Object.keys(shown)) assert.equal((await desk.staff.fetch(`/mailboxes/${id}`))[name], null);
    const stored = () => sql(desk, `SELECT imap_password FROM mailboxes WHERE id = ${id}`).trim();
    const sealed = stored();
    assert.ok(sealed && !sealed.includes(secret));
    await desk.owner.update(`/mailboxes/${id}`, { imap_host: account.imap_host, imap_folder: 'Other', name: 'x' });
    assert.equal(stored(), sealed, 'an unchanged account keeps its password');
    for (const change of [{ imap_host: 'other.example.com' }, { imap_port: 143 }, { imap_security: 'STARTTLS' }, { imap_user: 'other' }, { imap_host: null }]) {
      await desk.owner.update(`/mailboxes/${id}`, { ...account });
      assert.ok(stored());
      await desk.owner.update(`/mailboxes/${id}`, change);
      assert.equal(stored(), '', `${JSON.stringify(change)} keeps the password`);
      if (change.imap_host === null) continue;
      await desk.owner.update(`/mailboxes/${id}`, { ...account, ...change });
      assert.ok(stored());
    }
    const { imap_host, ...hostless } = account;
    for (const change of [{ imap_password: secret }, hostless, { ...account, imap_host: null }]) (await desk.owner.put(`/mailboxes/${id}`, change)).refused(400, 'FIELD_INVALID', 'imap_password');
    (await desk.owner.post('/mailboxes', { address: 'imap3@example.com', imap_password: secret })).refused(400, 'FIELD_INVALID', 'imap_password');
    await desk.owner.update(`/mailboxes/${id}`, { imap_host });
    await desk.owner.update(`/mailboxes/${id}`, { imap_password: secret });
    assert.ok(stored(), 'the stored host counts');
    assert.ok(!(await desk.admin.get('/changes', { limit: 1000 })).text.includes(secret));
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
    assert.equal(stored(), '');
  });

  test('a change of the IMAP account ends its error, and a host of this machine or of a private network needs the setting', async () => {
    const { desk } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'error@example.com', is_enabled: false });
    const put = (body) => desk.owner.put(`/mailboxes/${id}`, body);
    for (const host of ['localhost', 'imap.LOCALHOST.', '127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '::ffff:192.168.1.1']) (await put({ imap_host: host })).refused(400, 'FIELD_INVALID', 'imap_host');
    const account = { imap_host: 'imap.example.com', imap_user: 'x', imap_password: 'hunter2 hunter2', imap_folder: 'INBOX' };
    (await put(account)).must(200);
    const error = async (body) => {
      await rowsChanged(desk, `UPDATE mailboxes SET imap_error = 'The password was refused.' WHERE id = ${id}`);
      return (await put(body)).must(200).data.imap_error;
    };
    assert.equal(await error({ name: 'Errors', imap_host: account.imap_host }), 'The password was refused.', 'nothing of the account changed');
    for (const change of [{ imap_host: 'two.example.com' }, { imap_port: 1993 }, { imap_user: 'y' }, { imap_password: 'hunter3 hunter3' }, { imap_folder: 'Mail' }, { imap_after: 'Done' }]) assert.equal(await error(change), null, JSON.stringify(change));
    (await desk.owner.put('/settings', { values: { 'mail.imap_allow_private_addresses': true } })).must(200);
    (await put({ imap_host: '127.0.0.1' })).must(200);
    (await desk.owner.put('/settings', { values: { 'mail.imap_allow_private_addresses': false } })).must(200);
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
  });

  test('changes of mailboxes are in the change log', async () => {
    const { desk } = world;
    const { id } = await desk.admin.create('/mailboxes', { address: 'log@example.com' });
    await desk.admin.update(`/mailboxes/${id}`, { name: 'Log' });
    (await desk.admin.delete(`/mailboxes/${id}`)).must(200);
    const entries = (await desk.admin.get('/changes', { limit: 1000 })).must(200).data.filter((e) => e.resource_type === 'mailbox' && e.resource_id === id);
    assert.deepEqual(entries.map((e) => [e.action, e.property]), [['CREATED', null], ['UPDATED', 'name'], ['DELETED', null]]);
  });
});

/** The next mail with a subject, whatever its address. */
async function until_mail(to, subject) {
  for (;;) {
    const mail = await to.mail();
    if (subject.test(mail.subject)) return mail;
  }
}

/** A name server for this test. records: {'TXT example.com': ['v=spf1 -all'], 'MX example.com': ['10 mail.example.com']}. null: no answer. */
async function nameserver(t, records) {
  const socket = dgram.createSocket('udp4'), asked = [];
  const labels = (name) => Buffer.concat([...name.split('.').filter(Boolean).map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])]);
  const rdata = { TXT: (text) => Buffer.concat((text.match(/[^]{1,255}/g) ?? ['']).map((part) => Buffer.from([part.length, ...Buffer.from(part, 'latin1')]))), MX: (text) => Buffer.concat([Buffer.from([0, Number(text.split(' ')[0])]), labels(text.split(' ')[1])]) };
  socket.on('message', (query, from) => {
    let at = 12;
    const name = [];
    while (query[at]) {
      name.push(query.toString('latin1', at + 1, at + 1 + query[at]));
      at += query[at] + 1;
    }
    const type = query.readUInt16BE(at + 1), word = type === 16 ? 'TXT' : 'MX', key = `${word} ${name.join('.').toLowerCase()}`;
    asked.push(key);
    const found = records[key];
    if (found === null) return;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found?.length ?? 0, 6);
    const answers = (found ?? []).map((text) => {
      const data = rdata[word](text), rr = Buffer.alloc(12);
      rr.writeUInt16BE(0xc00c, 0);
      rr.writeUInt16BE(type, 2);
      rr.writeUInt16BE(1, 4);
      rr.writeUInt16BE(data.length, 10);
      return Buffer.concat([rr, data]);
    });
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  defer(t, () => new Promise((resolve) => socket.close(resolve)));
  return { asked, port: socket.address().port };
}

test('the configuration shows SPF, DMARC and MX of the domain as the name server says', async (t) => {
  const desk = await open(t);
  const records = {};
  const { port, asked } = await nameserver(t, records);
  (await desk.owner.put('/settings', { values: { 'mail.dns_server': 'ns.example.com' } })).refused(400, 'FIELD_INVALID', 'values/mail.dns_server');
  (await desk.admin.put('/settings', { values: { 'mail.dns_server': '127.0.0.1' } })).refused(403, 'PERMISSIONS_DENIED');
  assert.deepEqual(await desk.admin.fetch('/mailboxes/1/configuration'), { is_valid: false, dns_records: [], resource_type: 'mailbox_configuration' });
  await desk.owner.put('/settings', { values: { 'mail.dns_server': `127.0.0.1:${port}`, 'mail.from_address': 'desk@example.com', 'mail.smtp_host': '127.0.0.1' } });
  const look = async () => {
    const { is_valid, dns_records } = await desk.admin.fetch('/mailboxes/1/configuration');
    return [is_valid, ...dns_records.map((r) => [r.type, r.domain, r.actual_values, r.is_valid])];
  };
  assert.deepEqual(await look(), [false, ['SPF', 'example.com', [], false], ['DMARC', '_dmarc.example.com', [], false], ['MX', 'example.com', [], false]]);
  assert.deepEqual(asked, ['TXT example.com', 'TXT _dmarc.example.com', 'MX example.com']);
  const long = `v=spf1 ${'ip4:192.0.2.1 '.repeat(30)}-all`;
  Object.assign(records, { 'TXT example.com': ['something=else', long], 'TXT _dmarc.example.com': ['v=DMARC1; p=reject'], 'MX example.com': ['10 mail.example.com'] });
  assert.deepEqual(await look(), [true, ['SPF', 'example.com', [long], true], ['DMARC', '_dmarc.example.com', ['v=DMARC1; p=reject'], true], ['MX', 'example.com', ['10 mail.example.com'], true]]);
  records['TXT example.com'] = ['v=spf1 -all', 'v=spf1 ~all'];
  records['TXT _dmarc.example.com'] = ['v=DMARC10'];
  records['MX example.com'] = ['0 '];
  assert.deepEqual(await look(), [false, ['SPF', 'example.com', ['v=spf1 -all', 'v=spf1 ~all'], false], ['DMARC', '_dmarc.example.com', ['v=DMARC10'], false], ['MX', 'example.com', ['0 .'], false]]);
  records['TXT example.com'] = ['v=spf1 \x01\xff <b> -all'];
  assert.deepEqual((await look())[1], ['SPF', 'example.com', ['v=spf1 ?? <b> -all'], true]);
  const { dns_records: [spf, dmarc, mx] } = await desk.admin.fetch('/mailboxes/1/configuration');
  assert.deepEqual([spf.expected_value, dmarc.expected_value, mx.expected_value], ['v=spf1 ip4:127.0.0.1 ~all', 'v=DMARC1; p=none', null]);
  for (const [relay, expected] of [['2001:DB8::1', 'ip6:2001:db8::1'], ['relay.example.com', 'a:relay.example.com'], ['', 'mx']]) {
    await desk.owner.put('/settings', { values: { 'mail.smtp_host': relay } });
    assert.equal((await desk.admin.fetch('/mailboxes/1/configuration')).dns_records[0].expected_value, `v=spf1 ${expected} ~all`);
  }
  records['MX example.com'] = null;
  assert.deepEqual((await look())[3], ['MX', 'example.com', [], false], 'a name server that does not answer');
  (await desk.admin.get('/mailboxes/99/configuration')).refused(404, 'RESOURCE_NOT_FOUND');
});
