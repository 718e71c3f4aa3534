// An activity in words: who, or which rule, changed what from what to what. The server gives the names that things had at that time.
import { createSignal, For } from 'solid-js';
import { get, rowsOf, type Row, type Schemas } from '../../kit/api';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { fullTime, language } from '../../kit/words';
import { clipped, fieldValueText } from '../fields/text';
import { activitySay, type ActivityWord } from './activity_words';
import type { Post } from './posts';

interface Cause { type: string; title: string | null }
export interface Action { field: string; refused: string | null; old_value: string | null; new_value: string | null; old_object: { id: number } | null; new_object: { id: number } | null }
type Field = Schemas['case_field'];

/** A name may be of another direction than the sentence: it stands in marks that keep it together. */
const isolated = (text: string) => `\u2068${text}\u2069`;
const say = (word: ActivityWord, values: Record<string, string | number> = {}) =>
  activitySay(word, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? isolated(value) : value])));

// ---- fields of the desk, by their key: read when an activity names one -------------------------------

const [fields, setFields] = createSignal<Record<string, Field>>({});
let asked = false;
const fieldOf = (key: string): Field | undefined => {
  if (!asked && !fields()[key]) {
    asked = true;
    void get('/cases/fields', { limit: 100, include: 'field_option', _flat: true }).then((reply) => {
      keepReply(reply);
      setFields(Object.fromEntries((rowsOf(reply) as unknown as Field[]).map((field) => [field.key, field])));
    }, () => { asked = false; });
  }
  return fields()[key];
};

const listed = (items: string[]) => new Intl.ListFormat(language()).format(items);

// ---- one change ---------------------------------------------------------------------------------

const fromTo = (what: string, from: string | null, to: string | null) =>
  from && to ? say('from_to', { what, from, to }) : to ? say('to', { what, to }) : from ? say('cleared', { what, from }) : say('changed', { what });

const PROPERTIES: Record<string, ActivityWord> = { status: 'the_status', priority: 'the_priority', type: 'the_type', form: 'the_form', brand: 'the_brand', sla_version: 'the_sla', subject: 'the_subject' };
const LATE: Record<string, ActivityWord> = { sla_first_reply_breached: 'late_first', sla_next_reply_breached: 'late_next', sla_resolution_breached: 'late_resolution' };
const STATES: Record<string, ActivityWord> = { TRASH: 'trashed', SUSPENDED: 'suspended' };
const SENT: Record<string, ActivityWord> = { satisfactionsurvey: 'survey', notificationuser: 'mailed', notificationteam: 'mailed', stopnotification: 'stopped', endpoint_: 'called' };

const namesIn = (text: string | null) => text ? text.split(', ') : [];

const tagDeeds = (from: string | null, to: string | null) => {
  const before = namesIn(from), after = namesIn(to), added = after.filter((one) => !before.includes(one)), removed = before.filter((one) => !after.includes(one));
  return [
    ...(added.length ? [say('tags_added', { n: added.length, tags: listed(added) })] : []),
    ...(removed.length ? [say('tags_removed', { n: removed.length, tags: listed(removed) })] : []),
  ];
};

const agentDeed = ({ old_value: from, new_value: to, new_object }: Action, actor: number | undefined) =>
  to && new_object?.id === actor ? say('took') : to ? say('assigned', { to }) : from ? say('unassigned', { from }) : say('agent_changed');

/** What was done, as the ends of a sentence whose subject is the actor. */
const deedsOf = (action: Action, actor: number | undefined): string[] => {
  const { field, old_value: from, new_value: to, refused } = action, property = PROPERTIES[field], sent = SENT[field];
  if (refused) return [say('not_done', { reason: refused })];
  if (field.startsWith('custom_fields.')) {
    const key = field.slice('custom_fields.'.length), known = fieldOf(key), what = activitySay('the_field', { title: isolated(known?.title ?? key) });
    return [known ? fromTo(what, fieldValueText(known, from), fieldValueText(known, to)) : say('changed', { what })];
  }
  if (property) return [fromTo(activitySay(property), from && clipped(from), to && clipped(to))];
  if (field === 'tags') return tagDeeds(from, to);
  if (field === 'assigned_agent') return [agentDeed(action, actor)];
  if (field === 'assigned_team') return [to ? say('team_to', { to }) : say('team_from', { from: from ?? '' })];
  if (field === 'requester') return [to ? say('requester_to', { to }) : say('changed', { what: activitySay('the_requester') })];
  if (field === 'state') return [say(STATES[to ?? ''] ?? (from === 'TRASH' ? 'untrashed' : 'released'))];
  if (field === 'is_snoozed') return [say(to === 'true' ? 'snoozed' : 'woken')];
  if (field === 'snoozed_until') return from && to ? [say('snoozed')] : []; // is_snoozed says the others
  if (field === 'scheduled_reply') return [to ? say('scheduled', { time: fullTime(to) }) : say('unscheduled')];
  if (field === 'shared_draft') return [say(to ? 'draft_shared' : 'draft_unshared')];
  if (field === 'merged_cases') return [say('merged_in', { n: namesIn(to).length, ids: listed(namesIn(to).map((id) => `#${id}`)) })];
  if (field === 'merged_into') return [say('merged_into', { to: `#${to ?? ''}` })];
  if (field === 'split_into' || field === 'split_from') return [say(field, { to: `#${to ?? ''}` })];
  if (field === 'rating') return [say(to === 'GOOD' ? 'rated_good' : to === 'BAD' ? 'rated_bad' : 'rated_none')];
  if (field === 'rating_status') return to === 'OFFERED' ? [say('survey')] : [];
  return sent ? [say(sent, { to: to ?? '' })] : [];
};

const LEADS = ['split_into', 'split_from', 'merged_into'];

// ---- who ----------------------------------------------------------------------------------------

const CAUSES: Record<string, ActivityWord> = { TRIGGER: 'by_trigger', MONITOR: 'by_monitor', WEBHOOK: 'by_webhook', SLA: 'by_sla', MAIL: 'by_mail', LINK: 'by_link', NOBODY: 'by_stranger' };
const causeText = ({ type, title }: Cause) => say(CAUSES[type] ?? 'by_server', { title: title ?? '' });

/** What a rule did, and the actions that it left out, in words. */
export const firingTexts = (actions: Action[]) => ({
  done: listed(actions.filter(({ refused }) => !refused).flatMap((action) => deedsOf(action, undefined))),
  refused: actions.flatMap(({ refused }) => refused ?? []),
});

export const ActivityText = (props: { id: number; post: Post }) => {
  const row = () => rowOf('activity', props.id) as unknown as (Row & { activity: string; actor: { id: number } | null; cause: Cause; actions: Action[] }) | undefined;
  const text = () => {
    const r = row();
    if (!r) return props.post.contents ?? '';
    const actor = r.actor?.id ?? (props.post.creator as { id: number } | null)?.id, person = rowOf('user', actor)?.full_name;
    const late = r.actions.filter(({ field }) => LATE[field]), others = r.actions.filter(({ field }) => !LATE[field]);
    const deeds = r.activity === 'CASE_CREATED' ? r.actions.some(({ field }) => field === 'split_from') ? r.actions.flatMap((action) => deedsOf(action, actor)) : [say('created')] : r.activity === 'CASE_DELETED' ? [say('deleted')] : others.flatMap((action) => deedsOf(action, actor));
    if (!deeds.length && (!late.length || others.length)) deeds.push(say(r.activity === 'CASE_RULE_FIRED' ? 'fired' : 'changed_it'));
    const name = person ? isolated(person) : causeText(r.cause);
    return [
      ...(deeds.length ? [activitySay('sentence', { name, deeds: listed(deeds) })] : []),
      ...late.map(({ field, new_value }) => activitySay(LATE[field]!, { time: new_value ? fullTime(new_value) : '' })),
    ].join(' · ');
  };
  /** The number of another conversation is a link to it. */
  const other = () => row()?.actions.find(({ field }) => LEADS.includes(field))?.new_object?.id;
  const parts = () => { const id = other(); return id ? text().split(`#${id}`) : [text()]; };
  return <span><For each={parts()}>{(part, i) => <>{i() > 0 && <a href={href(`/cases/${other()}`)}>#{other()}</a>}{part}</>}</For></span>;
};
