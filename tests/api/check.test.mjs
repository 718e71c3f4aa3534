// `deskd check` compares references, enumerations, counters, settings and HTML of every table, whatever wrote the rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, multipart, open } from './lib/index.mjs';
import { png } from './lib/picture.mjs';
import { until } from './lib/until.mjs';

/** A desk with a row of each kind that the tests damage. */
async function full(t) {
  const desk = await open(t);
  const rules = [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '4' }] }];
  await desk.owner.create('/triggers', { title: 'T', predicate_collections: rules, actions: [{ name: 'tags', option: 'ADD', value: ['vip'] }] });
  const target = { priority_id: null, type: 'FIRST_REPLY_TIME', goal_in_seconds: 3600, operational_hours: 'CALENDAR_HOURS' };
  await desk.owner.create('/slas', { title: 'All', predicate_collections: [], targets: [target] });
  const opened = await desk.owner.create('/conversations', { subject: 'S', contents: '<p>Some <b>HTML</b></p>', is_html: true });
  await desk.owner.create(`/cases/${opened.id}/notes`, { contents: 'A note' });
  (await desk.owner.put('/settings', { values: { 'desk.time_zone': 'Europe/Berlin', 'mail.from_address': 'desk@desk.example' } })).must(200);
  const category = await desk.owner.create('/categories', { titles: [{ locale: 'en-us', translation: 'C' }] });
  const section = await desk.owner.create('/sections', { category_id: category.id, titles: [{ locale: 'en-us', translation: 'S' }] });
  const texts = { titles: [{ locale: 'en-us', translation: 'A' }], contents: [{ locale: 'en-us', translation: '<p>A</p>' }] };
  await desk.owner.create('/articles', { section_id: section.id, ...texts });
  (await desk.customer.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(20, 20)) }))).must(200);
  return { desk, id: opened.id };
}

const found = (desk, pattern) => {
  const { status, stdout } = desk.check();
  assert.match(stdout, pattern);
  assert.equal(status, 1);
};

test('check finds references, words, counters, settings and HTML that no operation could have stored', async (t) => {
  const { desk, id } = await full(t);
  assert.equal(desk.check().status, 0, desk.check().stdout);
  const script = "'<script>alert(1)</script>'";
  const order = desk.sql('SELECT order_by_column FROM views WHERE id = 1').trim();
  const permission = desk.sql('SELECT name FROM role_permissions WHERE id = 1').trim();
  for (const [damage, repair, pattern] of [
    ['UPDATE slas SET version_id = version_id + 999', 'UPDATE slas SET version_id = version_id - 999', /slas\.version_id: no row of sla_versions has the id \d+/],
    ['UPDATE cases SET last_updated_by_id = last_updated_by_id + 999', 'UPDATE cases SET last_updated_by_id = last_updated_by_id - 999', /cases\.last_updated_by_id: no row of users has the id \d+/],
    ['UPDATE cases SET sla_version_id = sla_version_id + 999', 'UPDATE cases SET sla_version_id = sla_version_id - 999', /cases\.sla_version_id: no row of sla_versions has the id \d+/],
    ["UPDATE rule_propositions SET operator = '999'", "UPDATE rule_propositions SET operator = 'comparison_equalto'", /rule_propositions, row \d+: operator can't be 999/],
    ["UPDATE rule_propositions SET field = 'cases.nothing'", "UPDATE rule_propositions SET field = 'cases.casepriorityid'", /rule_propositions, row \d+: field can't be cases\.nothing/],
    ["UPDATE rule_actions SET name = 'tagz'", "UPDATE rule_actions SET name = 'tags'", /rule_actions, row \d+: name can't be tagz/],
    ["UPDATE role_permissions SET name = 'no.such' WHERE id = 1", `UPDATE role_permissions SET name = '${permission}' WHERE id = 1`, /role_permissions, row 1: name can't be no\.such/],
    ["UPDATE views SET order_by_column = 'no.such' WHERE id = 1", `UPDATE views SET order_by_column = '${order}' WHERE id = 1`, /views, row 1: order_by_column can't be no\.such/],
    ["UPDATE avatars SET type = 'text/html'", "UPDATE avatars SET type = 'image/png'", /avatars, row .*: type can't be text\/html/],
    ["UPDATE change_log SET kind = 'cases' WHERE kind = 'case'", "UPDATE change_log SET kind = 'case' WHERE kind = 'cases'", /change_log, row \d+: kind can't be cases/],
    ["UPDATE activities SET fields = '[' WHERE fields IS NOT NULL", "UPDATE activities SET fields = '[]' WHERE fields IS NOT NULL", /activities, row \d+: fields is not JSON/],
    ["UPDATE locales SET direction = 'up' WHERE id = 1", "UPDATE locales SET direction = 'ltr' WHERE id = 1", /locales, row 1: direction can't be up/],
    ["UPDATE rule_propositions SET value = '{'", "UPDATE rule_propositions SET value = '\"4\"'", /rule_propositions, row \d+: value is not JSON/],
    ['UPDATE cases SET notes_count = 77', `UPDATE cases SET notes_count = 1 WHERE id = ${id}`, /conversation \d+ counts another number of notes/],
    ['UPDATE users SET pinned_notes_count = 3 WHERE id = 1', 'UPDATE users SET pinned_notes_count = 0 WHERE id = 1', /user 1 counts another number of pinned notes/],
    [`UPDATE posts SET content_html = ${script}`, 'UPDATE posts SET content_html = NULL', /posts, row \d+: content_html is not clean HTML/],
    [`UPDATE notes SET body_html = ${script}`, 'UPDATE notes SET body_html = NULL', /notes, row \d+: body_html is not clean HTML/],
    [`UPDATE locale_fields SET translation = ${script} WHERE owner_kind = 12`, "UPDATE locale_fields SET translation = '<p>A</p>' WHERE owner_kind = 12", /locale_fields, row \d+: translation is not clean HTML of an article/],
    ["UPDATE settings SET value = 'Mars/Phobos' WHERE name = 'desk.time_zone'", "UPDATE settings SET value = 'UTC' WHERE name = 'desk.time_zone'", /the value is none that the setting desk\.time_zone can have/],
    ["UPDATE settings SET value = '7' WHERE name = 'mail.from_address'", "UPDATE settings SET value = 'a@desk.example' WHERE name = 'mail.from_address'", /the value is none that the setting mail\.from_address can have/],
  ]) {
    desk.sql(damage);
    found(desk, pattern);
    desk.sql(repair);
    assert.equal(desk.check().status, 0, `${damage}: ${desk.check().stdout}`);
  }
});

test('a constraint of the store that refuses a valid request is an error of the server, with a line in the log', async (t) => {
  const { desk } = await full(t);
  desk.sql('CREATE UNIQUE INDEX subject_of_one ON cases (subject)');
  const body = { requester_id: 1, subject: 'S', contents: 'C', channel: 'MAIL', status_id: 1 };
  desk.expects5xx = 500;
  (await desk.owner.post('/cases', body)).refused(500, 'INTERNAL_ERROR');
  await until('the line in the log', () => /error store: POST \/cases: \S/.test(desk.log));
});
