// A conversation that was merged into another one has no posts any more. Who opens it is led to the other one; who had it open when it was
// merged stays, with a link.
import { createEffect, createResource, Show, untrack } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { go, href, place } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { tell } from '../../kit/strip';
import { say as sayOfAll } from '../../kit/words';
import type { Conversation } from './data';
import { say } from './merge_words';

interface Action { field: string; new_value: string | null }

/** The conversation that has the posts now, if the person may see it. The newest activity names it, also after a second merge; the list begins with it. */
const readSurvivor = async (id: number): Promise<number | undefined> => {
  const activities = rowsOf(await get(`/cases/${id}/activities`, { limit: 100 }));
  const merge = activities.flatMap(({ actions }) => (actions ?? []) as Action[]).find(({ field }) => field === 'merged_into');
  return merge?.new_value ? keepReply(await get(`/cases/${merge.new_value}`, { fields: 'subject' }))[0] : undefined;
};
const addressOf = (id: number) => {
  const { screen, ids, query } = place();
  return screen === 'views' ? `/views/${ids[0]}/${id}` : screen === 'search' ? `/search/${id}?${query}` : `/cases/${id}`;
};

export const Merged = (props: { conversation: Conversation; opened: boolean }) => {
  const c = props.conversation;
  const [survivor] = createResource(() => readSurvivor(c.id).catch(() => undefined)); // gone or out of sight: the notice stays
  createEffect(() => {
    const to = survivor();
    if (!to || !props.opened) return;
    go(untrack(() => addressOf(to)), { replace: true });
    tell(say('merged_led', { from: `#${c.id}` }));
  });
  return (
    <p class="notice warning">{say('was_merged')} <Show when={survivor()}>{(to) => <a href={href(addressOf(to()))} dir="auto">#{to()} {rowOf('case', to())?.subject || sayOfAll('no_subject')}</a>}</Show></p>
  );
};
