// The timeline of a conversation. What one reads stays where it is, whatever is added or grows around it: the first post on the screen is
// the anchor, and each change of sizes scrolls so that it has its place again. At the end, the end is the anchor.
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { say, type Word } from '../../kit/words';
import { rowOf } from '../../kit/store';
import type { Conversation } from './data';
import { PostItem } from './post';
import { createRuns, isOwn, kindOf, postOf } from './posts';

const NEAR_PX = 600, END_PX = 24;

const kept = () => { try { return localStorage.getItem('activities') !== 'off'; } catch { return true; } };
const [activities, setActivities] = createSignal(kept());
export { activities };
export const toggleActivities = () => {
  setActivities(!activities());
  try { localStorage.setItem('activities', activities() ? 'on' : 'off'); } catch { /* full or forbidden */ }
};

const Line = (props: { word: Word }) => <p class="line"><span>{say(props.word)}</span></p>;

export const Timeline = (props: { conversation: Conversation }) => {
  const c = props.conversation, t = c.timeline, runs = createRuns(t.ids);
  let box!: HTMLDivElement, list!: HTMLOListElement;
  let anchor: { element: Element; top: number } | 'end' = 'end', begun = false;

  const offset = (element: Element) => element.getBoundingClientRect().top - box.getBoundingClientRect().top;
  const isAtEnd = () => !t.hasNewer() && box.scrollHeight - box.scrollTop - box.clientHeight < END_PX;
  const hold = () => {
    if (isAtEnd()) { anchor = 'end'; return; }
    const element = [...list.children].find((item) => item.getBoundingClientRect().bottom > box.getBoundingClientRect().top && item.clientHeight);
    anchor = element ? { element, top: offset(element) } : 'end';
  };
  const restore = () => {
    if (!begun) return;
    if (anchor === 'end') box.scrollTop = box.scrollHeight;
    else if (anchor.element.isConnected) {
      const moved = offset(anchor.element) - anchor.top;
      if (Math.abs(moved) >= 1) box.scrollTop += moved;
    } else hold();
  };
  const more = () => {
    if (!begun || t.failed()) return;
    if (box.scrollTop < NEAR_PX && t.hasOlder()) void t.older().catch(() => undefined);
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX && t.hasNewer()) void t.newer().catch(() => undefined);
  };
  const toItem = (id: number, top: number) => {
    const element = list.querySelector(`[data-post="${id}"]`);
    if (!element) return;
    anchor = { element, top };
    restore();
  };

  onMount(() => {
    const sizes = new ResizeObserver(() => { restore(); more(); });
    sizes.observe(list);
    sizes.observe(box);
    onCleanup(() => sizes.disconnect());
  });
  createEffect(on(c.state, (state) => {
    if (state !== 'shown' || begun) return;
    begun = true;
    const first = t.unread();
    if (first) toItem(first, 8); else restore();
    more();
  }));
  // Posts that come as others go may leave the size as it is, so their observer does not notice. A post of one's own shows the end.
  createEffect(on(t.ids, (ids, former) => {
    const last = ids.at(-1);
    if (former?.length && last !== undefined && last !== former.at(-1) && !t.hasNewer() && isOwn(last) && kindOf(postOf(last)) !== 'activity') anchor = 'end';
    restore();
  }));

  t.goTo = async (id) => {
    await t.around('note', id).catch(() => undefined);
    toItem(id, 8);
    list.querySelector<HTMLElement>(`[data-post="${id}"]`)?.focus({ preventScroll: true });
  };

  return (
    <>
      <Show when={c.pinned().length}>
        <ul class="pinned" aria-label={say('pinned_notes')}>
          <For each={c.pinned()}>{(id) => <li><button type="button" class="quiet" onClick={() => void t.goTo(id)}><b>{say('note')}</b> <span dir="auto">{rowOf('note', id)?.body_text}</span></button></li>}</For>
        </ul>
      </Show>
      <div class="timeline" ref={box} tabindex="0" role="region" aria-label={say('posts')} onScroll={() => { hold(); more(); }}>
        <Show when={t.hasOlder()}><button type="button" class="older" onClick={() => void t.older().catch(() => undefined)}>{say('older')}</button></Show>
        <Show when={c.state() === 'reading'}><div class="skeleton" aria-hidden="true"><i /><i /><i /></div></Show>
        <ol class="posts" ref={list} aria-label={say('posts')} aria-busy={c.state() === 'reading'} data-activities={activities() ? undefined : 'off'}>
          <For each={t.ids()}>
            {(id) => (
              <li data-post={id} data-kind={kindOf(postOf(id))} hidden={runs.folded(id) === 0} tabindex="-1">
                <Show when={t.unread() === id}><Line word="line_new" /></Show>
                <Show when={t.during() === id}><Line word="line_during" /></Show>
                <Show when={runs.folded(id)} fallback={<PostItem id={id} conversation={c} />}>
                  {(n) => <p class="activity"><button type="button" class="quiet" aria-expanded="false" onClick={() => runs.open(id)}>{say('activities_folded', { n: n() })}</button></p>}
                </Show>
              </li>
            )}
          </For>
        </ol>
        <Show when={t.failed()}><p class="wrong" role="alert">{say('posts_failed')} <button type="button" onClick={() => void (t.hasNewer() ? t.newer() : t.older()).catch(() => undefined)}>{say('retry')}</button></p></Show>
        <Show when={t.hasNewer()}><button type="button" class="newest" onClick={() => { anchor = 'end'; void t.toNewest().catch(() => undefined); }}>{say('to_newest')}</button></Show>
      </div>
    </>
  );
};
