// Triggers: they act as soon as a conversation changes.
import { Show, Suspense } from 'solid-js';
import { get, rowsOf } from '../../../kit/api';
import { lazy } from '../../../kit/lazy';
import { createRead } from '../read';
import { rows } from '../rows';
import type { Definition } from './conditions';
import { isOfDesk } from './conditions';
import { titleText } from './labels';
import { channelChoices, eventsOf, note, prepare, readChannels, ruleFields } from './rules';

// They stand below one trigger, so they are loaded with the first one.
const DryRun = lazy(async () => ({ default: (await import('./dry_run')).DryRun }));
const Firings = lazy(async () => ({ default: (await import('./firings')).Firings }));

const Below = (props: { id: number }) => {
  const [definitions] = createRead(async () => rowsOf(await get('/triggers/definitions')) as unknown as Definition[]);
  const labelOf = (field: string) => { const label = definitions()?.find((one) => one.field === field)?.label ?? field; return isOfDesk(field) ? label : titleText(label); };
  return <Suspense><DryRun id={props.id} labelOf={labelOf} /><Firings path={`/triggers/${props.id}`} empty="firings_empty" /></Suspense>;
};

const Triggers = rows({
  name: 'triggers', path: '/triggers', type: 'trigger', title: 'triggers', new: 'trigger_new', empty: 'triggers_empty', emptyNext: 'triggers_empty_next', deleteWhy: 'trigger_delete_why',
  initial: () => ({ is_enabled: true, predicate_collections: [], actions: [] }),
  fields: [
    { name: 'title', label: 'title' },
    ...ruleFields('/triggers/definitions', 'trigger_conditions_empty'),
    { name: 'channel', label: 'trigger_channel', help: 'trigger_channel_help', empty: 'trigger_channel_any', among: channelChoices },
    { name: 'event', label: 'trigger_event', empty: 'trigger_event_any', among: ({ channel }) => eventsOf(channel), when: ({ channel }) => eventsOf(channel).length > 0 },
  ],
  label: (trigger) => trigger.title ?? '',
  note: (trigger) => note(trigger, trigger.last_triggered_at, 'trigger_never', 'trigger_last'),
  order: { path: '/triggers/reorder', member: 'trigger_ids' },
  below: (props) => <Show when={props.row?.id}>{(id) => <Show when={id()} keyed>{(one) => <Below id={one} />}</Show>}</Show>,
});

export default () => { void readChannels(); const [ready] = createRead(prepare); return <Show when={ready()}><Triggers /></Show>; };
