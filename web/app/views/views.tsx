// The views with their counts.
import { createEffect, createSignal, For, on, onMount, Show } from 'solid-js';
import { get, rowsOf, surely, type Schemas } from '../../kit/api';
import { follow } from '../../kit/live';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { numberText, say } from '../../kit/words';
import { closesOutside, leave, opened } from '../frame/drawers';

type View = Schemas['view'];
const [views, setViews] = createSignal<View[]>([]);
export { views };

export const readViews = async () => {
  const reply = await get('/views', { limit: 100 });
  keepReply(reply);
  setViews(rowsOf(reply) as unknown as View[]);
};

export const defaultView = () => views().find((v) => v.is_default) ?? views()[0];
export const viewOf = (id: number | undefined) => rowOf('view', id);

export const ViewList = (props: { view: number | undefined }) => {
  const [counts, setCounts] = createSignal<Record<number, Schemas['view_count']>>({});
  const read = async () => {
    const rows = rowsOf(await get('/views/counts'));
    setCounts(Object.fromEntries(rows.map((row) => [(row['view'] as { id: number }).id, row as unknown as Schemas['view_count']])));
  };
  onMount(() => void surely(read));
  createEffect(on(() => props.view, () => { if (opened() === 'views') leave(); }, { defer: true }));
  const count = (id: number) => counts()[id]?.count;

  return (
    <nav class="views region" id="views" ref={(element) => closesOutside('views', element)} aria-label={say('views')} tabindex="-1" data-region data-open={opened() === 'views' ? '' : undefined}>
      <ul>
        <For each={views()}>
          {(view) => {
            if (view.realtime_channel) follow(view.realtime_channel, (event, { changed_properties: { count: n } }) => {
              if (event === 'RESYNC') void surely(read);
              if (typeof n === 'number') setCounts((all) => ({ ...all, [view.id]: { ...all[view.id], count: n } as Schemas['view_count'] }));
            });
            return (
              <li>
                <a href={href(`/views/${view.id}`)} aria-current={view.id === props.view ? 'page' : undefined}>
                  <span dir="auto">{view.title}</span>
                  <Show when={typeof count(view.id) === 'number'}><span class="count">{numberText(count(view.id)!)}</span></Show>
                </a>
              </li>
            );
          }}
        </For>
      </ul>
    </nav>
  );
};
