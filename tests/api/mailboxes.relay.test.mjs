// Relays of mailboxes (src/res/mailbox_account.c, src/mail/relay.c): mails with the address of a mailbox leave by its own relay.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, connect, relay, rowsChanged, shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const LOGIN = ['support@example.com', 'a secret of the relay'];

describe('relays of mailboxes:', () => {
  const world = shared(async (w) => {
    w.own = await relay(w.t, { login: LOGIN });
    w.box = await w.desk.admin.create('/mailboxes', { address: 'support@example.com' });
    await rowsChanged(w.desk, `UPDATE mailboxes SET verified_at = 1 WHERE id = ${w.box.id}`);
  });
  const put = (body, id = world.box.id, who = world.desk.owner) => who.put(`/mailboxes/${id}`, body);
  const account = () => ({ smtp_host: '127.0.0.1', smtp_port: world.own.port, smtp_security: 'NONE', smtp_user: LOGIN[0], smtp_password: LOGIN[1] });
  const stored = () => sql(world.desk, `SELECT smtp_password FROM mailboxes WHERE id = ${world.box.id}`).trim();
  const replied = async (email, more) => {
    const { id } = await world.desk.owner.create('/users', { full_name: 'Ada', email });
    const talk = await world.desk.staff.create('/cases', { subject: `To ${email}`, contents: 'x', requester_id: id, channel: 'MAIL', ...more });
    const by = (await world.desk.staff.fetch(`/cases/${talk.id}/reply/channels`)).find((channel) => channel.account?.id === world.box.id);
    return (await world.desk.staff.post(`/cases/${talk.id}/reply`, { channel: 'MAIL', channel_id: by.uuid, contents: 'An answer' })).must(201);
  };

  test('only owners set it, agents do not see it, and nobody sees the password', async () => {
    const { desk, box } = world, body = account();
    for (const name of Object.keys(body)) (await put({ [name]: body[name] }, box.id, desk.admin)).refused(403, 'PERMISSIONS_DENIED', name);
    const wrong = await put({ smtp_port: 0, smtp_security: 'SSL', smtp_host: 'x'.repeat(254) });
    assert.deepEqual(wrong.refused(400, 'FIELD_INVALID').body.errors.map((e) => e.parameter).sort(), ['smtp_host', 'smtp_port', 'smtp_security']);
    (await put({ smtp_password: LOGIN[1] })).refused(400, 'FIELD_INVALID', 'smtp_password');
    const set = (await put(body)).must(200), { smtp_password, ...shown } = body;
    for (const [name, value] of Object.entries(shown)) {
      assert.equal(set.data[name], value);
      assert.equal((await desk.staff.fetch(`/mailboxes/${box.id}`))[name], null);
    }
    assert.ok(!set.text.includes(smtp_password) && !('smtp_password' in set.data));
    assert.ok(stored() && !stored().includes(smtp_password));
    assert.ok(!(await desk.admin.get('/changes', { limit: 1000 })).text.includes(smtp_password));
    for (const change of [{ smtp_host: 'other.example.com' }, { smtp_port: 26 }, { smtp_security: 'TLS' }, { smtp_user: 'other' }, { smtp_host: null }]) {
      await put(body);
      (await put({ ...body, smtp_password: undefined, name: 'Support' })).must(200);
      assert.ok(stored(), 'an unchanged account keeps its password');
      (await put(change)).must(200);
      assert.equal(stored(), '', `${JSON.stringify(change)} keeps the password`);
    }
  });

  test('staff get mails as soon as a mailbox has a relay, and none when no mailbox sends', async () => {
    const { desk } = world, { agent, customer } = desk.people;
    const letters = async () => {
      const talk = await desk.admin.create('/cases', { subject: 'Assigned', contents: 'x', requester_id: customer.id });
      (await desk.admin.put(`/cases/${talk.id}`, { assigned_agent_id: agent.id })).must(200);
      return sql(desk, `SELECT COUNT(*) FROM outgoing_mails WHERE case_id = ${talk.id} AND template = 'case_assigned_to_agent'`).trim();
    };
    for (const [change, expected] of [[{ smtp_host: null }, '0'], [account(), '1'], [{ is_enabled: false }, '0'], [{ is_enabled: true }, '1']]) {
      (await put(change)).must(200);
      await until(`${expected} letters after ${JSON.stringify(change)}`, async () => await letters() === expected); // the other process hears of it
    }
    const other = await desk.admin.create('/mailboxes', { address: 'sales@example.com' });
    (await put({ smtp_host: null })).must(200);
    (await put({ smtp_host: '127.0.0.1' }, other.id)).must(200);
    await until('a letter by the other mailbox', async () => await letters() === '1');
    (await desk.owner.delete(`/mailboxes/${other.id}`)).must(200);
    await until('no letter', async () => await letters() === '0');
  });

  test('a desk without a relay sends by that of the mailbox; its other mails wait until there is one', async () => {
    const { desk, own } = world;
    await put({ smtp_host: null });
    const first = await replied('ada@people.example');
    const status = (address) => sql(desk, `SELECT status FROM outgoing_mails WHERE recipient = '${address}'`).trim();
    await until('the mail to be held', () => status('ada@people.example') === '3');
    (await put(account())).must(200);
    const mail = await own.find('ada@people.example');
    assert.deepEqual([mail.user, mail.header('From').includes('support@example.com')], [LOGIN[0], true], first.text);
    await desk.owner.create('/users/invite', { full_name: 'Ines', email: 'ines@people.example' });
    await until('the other mail to be held', () => status('ines@people.example') === '3');
    assert.equal(own.mails.length, 1);
    world.desks = await relay(world.t);
    await connect(desk, world.desks);
    await world.desks.find('ines@people.example');
  });

  test('with a relay of the desk, each mail leaves by that of its address', async () => {
    const { own, desks } = world;
    await replied('bob@people.example');
    assert.match((await own.find('bob@people.example')).header('From'), /support@example\.com/);
    await put({ smtp_host: null });
    await replied('cleo@people.example');
    assert.match((await desks.find('cleo@people.example')).header('From'), /support@example\.com/);
    await put(account(), 1);
    await world.desk.owner.create('/users/invite', { full_name: 'Dora', email: 'dora@people.example' });
    assert.match((await own.find('dora@people.example')).header('From'), /desk@example\.com/);
  });

  test('the test of a mailbox uses its relay', async () => {
    const { desk, box } = world;
    const tried = async () => {
      (await desk.admin.post(`/mailboxes/${box.id}/test`)).must(202);
      return until('the end of the test', async () => {
        await desk.clock.forward(MINUTE);
        const now = await desk.admin.fetch(`/mailboxes/${box.id}/test`);
        return now.status === 'RUNNING' ? undefined : Object.fromEntries(now.steps.map((s) => [s.name, s.result]));
      });
    };
    (await put({ ...account(), smtp_password: 'wrong' })).must(200);
    const denied = await tried();
    assert.deepEqual([denied.relay_connection, denied.relay_login, denied.relay_mail], ['OK', 'FAILED', 'SKIPPED']);
    (await put({ smtp_password: LOGIN[1] })).must(200);
    const taken = await tried();
    assert.deepEqual([taken.relay_login, taken.relay_mail, taken.arrival], ['OK', 'OK', 'FAILED']);
    assert.ok((await world.own.find('support@example.com', /^Test of this mailbox/)).user);
  });

  test('the password goes with the mailbox', async () => {
    (await put(account())).must(200);
    assert.ok(stored());
    (await world.desk.admin.delete(`/mailboxes/${world.box.id}`)).must(200);
    assert.equal(stored(), '');
  });
});
