// Monitors: they look at all conversations from time to time, for what no change says.
import { Show, Suspense } from 'solid-js';
import { lazy } from '../../../kit/lazy';
import { createRead } from '../read';
import { rows } from '../rows';
import { note, prepare, ruleFields } from './rules';

const Firings = lazy(async () => ({ default: (await import('./firings')).Firings }));

const Monitors = rows({
  name: 'monitors', path: '/monitors', type: 'monitor', title: 'monitors', new: 'monitor_new', empty: 'monitors_empty', emptyNext: 'monitors_empty_next', deleteWhy: 'monitor_delete_why',
  initial: () => ({ is_enabled: true, predicate_collections: [], actions: [] }),
  fields: [{ name: 'title', label: 'title' }, ...ruleFields('/monitors/definitions', 'monitor_conditions_empty')],
  label: (monitor) => monitor.title ?? '',
  note: (monitor) => note(monitor, monitor.last_executed_at, 'monitor_never', 'monitor_last'),
  order: { path: '/monitors/reorder', member: 'monitor_ids' },
  below: (props) => <Show when={props.row?.id} keyed>{(id) => <Suspense><Firings path={`/monitors/${id}`} empty="firings_empty_monitor" /></Suspense>}</Show>,
});

export default () => { const [ready] = createRead(prepare); return <Show when={ready()}><Monitors /></Show>; };
