// Triggers and monitors: when the conditions hold, the actions are done.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Schemas } from '../../../kit/api';
import { shortTime } from '../../../kit/words';
import type { Choice, Field } from '../fields';
import { readStaff } from '../choices';
import { say, type SettingsWord } from '../words';
import { Actions, actionsOf } from './actions';
import { conditionsOf, groupsOf } from './conditions';
import * as labels from './labels';

const CHANNELS: Record<string, SettingsWord> = { SYSTEM: 'channel_system', API: 'channel_api', HELPCENTER: 'channel_helpcenter', MAIL: 'channel_mail', MESSENGER: 'channel_messenger', TWITTER: 'channel_twitter', FACEBOOK: 'channel_facebook' };
const EVENTS: Record<string, SettingsWord> = {
  SLA_BREACHED: 'event_breach', TRIGGER: 'event_trigger', MONITOR: 'event_monitor', INCOMING_MAIL: 'event_mail', MENTION: 'event_mention', DIRECT_MESSAGE: 'event_direct', SAVED_SEARCH: 'event_search',
  WALL_POST: 'event_wall', MESSAGE: 'event_message',
};
const worded = (words: Record<string, SettingsWord>) => (id: string): Choice => ({ id, label: words[id] ? say(words[id]!) : id });

const [channels, setChannels] = createSignal<{ name: string; events: string[] }[]>([]);
export const channelChoices = () => channels().map(({ name }) => worded(CHANNELS)(name));
export const eventsOf = (channel: unknown) => (channels().find(({ name }) => name === channel)?.events ?? []).map(worded(EVENTS));
export const readChannels = async () => setChannels(rowsOf(await get('/triggers/channels')) as unknown as { name: string; events: string[] }[]);
export const prepare = async () => { await Promise.all([labels.ready(), readStaff()]); return true; };

const counted = (word: SettingsWord) => (value: unknown) => say(word, { n: (value as unknown[] | null)?.length ?? 0 });

/** The fields that triggers and monitors have in common. */
export const ruleFields = (path: '/triggers/definitions' | '/monitors/definitions', empty: SettingsWord) => [
  { name: 'predicate_collections', label: 'conditions', from: groupsOf, control: conditionsOf({ path, empty }), shown: counted('condition_count') },
  { name: 'actions', label: 'actions', required: true, from: actionsOf, control: Actions, shown: counted('action_count') },
  { name: 'is_enabled', label: 'rule_enabled' },
] as const satisfies readonly Field[];

export const note = (row: { is_enabled?: boolean | null }, last: string | null | undefined, never: SettingsWord, at: SettingsWord) =>
  [row.is_enabled ? '' : say('rule_off'), last ? say(at, { time: shortTime(last) }) : say(never)].filter(Boolean).join(' · ');
/** What a trigger saw: the event, or else the channel of the change. */
export const seenText = (channel: string | null, event: string | null) => event ? worded(EVENTS)(event).label : channel ? worded(CHANNELS)(channel).label : '';
export type Trigger = Schemas['trigger'];
