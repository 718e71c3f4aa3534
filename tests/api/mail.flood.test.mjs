import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, SECOND, open } from './lib/index.mjs';
import { arrive, mail } from './lib/mails.mjs';

const MAILS = 200, HALF = MAILS / 2;
const ME = 'support@desk.example';
const count = (desk, what) => Number(desk.sql(`SELECT COUNT(*) FROM ${what}`));
/** Takes mails of strangers, the n-th from the address `of(n)`. */
const flood = (desk, name, mails, of) => arrive(desk, ...Array.from({ length: mails }, (_, i) =>
  ({ raw: mail({ From: of(i), To: ME, Subject: `${name} ${i}`, 'Message-ID': `<${name}${i}@flood.example>` }), to: ME, from: of(i) })));
const answers = (desk, address) => count(desk, `outgoing_mails WHERE recipient LIKE '${address}@flood.example'`);

test('strangers cannot make the desk send many mails', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  await desk.owner.update('/settings', { values: { 'mail.from_address': ME } });

  await t.test('without triggers, no mail is answered', async (t) => {
    await flood(desk, 'quiet', MAILS, (i) => `${i < HALF ? `q${i}` : 'single'}@flood.example`);
    t.diagnostic(`${count(desk, 'mails')} mails, ${count(desk, 'cases')} conversations, ${count(desk, 'outgoing_mails')} answers`);
    assert.deepEqual([count(desk, 'mails'), count(desk, 'outgoing_mails')], [MAILS, 0]);
    assert.equal(count(desk, "mails WHERE from_key = 'single@flood.example' AND is_suspended = 0"), 60, 'the others of the address are suspended');
  });

  await t.test('a trigger answers each new conversation once, and an address ten times an hour, whatever the number of its conversations', async (t) => {
    await desk.admin.create('/triggers', {
      title: 'Answer', channel: 'MAIL', event: 'INCOMING_MAIL', predicate_collections: [{ propositions: [{ field: 'cases.state', operator: 'comparison_not_equalto', value: 'TRASH' }] }],
      actions: [{ name: 'notificationuser', option: 'SEND', value: -3, attributes: { subject: 'Received', message: 'We have received {{case.subject}}.' } }],
    });
    await flood(desk, 'loud', MAILS, (i) => `${i < HALF ? `m${i}` : 'one'}@flood.example`);
    t.diagnostic(`${HALF} mails of as many addresses: ${answers(desk, 'm%')} answers; ${HALF} mails of one address: ${answers(desk, 'one')} answers`);
    assert.deepEqual([answers(desk, 'm%'), answers(desk, 'one')], [HALF, 10]);
    assert.equal(count(desk, '(SELECT case_id FROM outgoing_mails GROUP BY case_id HAVING COUNT(*) > 1) n'), 0);
    await desk.clock.forward(HOUR + SECOND);
    await flood(desk, 'later', 12, () => 'one@flood.example');
    assert.equal(answers(desk, 'one'), 20);
  });
});
