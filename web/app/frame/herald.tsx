// Says what came new, for readers of the screen who do not see it: one polite region of the page. At most one sentence in five seconds,
// and none while a person types; the newest waits.
import { createEffect, createSignal, onCleanup, Show } from 'solid-js';
import { follow, type Change } from '../../kit/live';
import { place } from '../../kit/route';
import { rowOf } from '../../kit/store';
import { say } from '../../kit/words';
import { me } from '../session/session';
import { inboxChannel } from './inbox_channel';

const PAUSE_MS = 5000, TYPING_MS = 2000, SILENCE_MS = 100;
const [sentence, setSentence] = createSignal('');
let next = '', saidAt = 0, typedAt = 0, timer: ReturnType<typeof setTimeout> | undefined;

const speakWhenQuiet = () => {
  let wait = Math.max(saidAt + PAUSE_MS, typedAt + TYPING_MS) - Date.now();
  clearTimeout(timer);
  if (wait <= 0 && sentence()) setSentence(''), wait = SILENCE_MS; // the same sentence is said again; a person may begin to type meanwhile
  if (wait > 0) { timer = setTimeout(speakWhenQuiet, wait); return; }
  saidAt = Date.now();
  setSentence(next);
};
const announce = (text: string) => { next = text; speakWhenQuiet(); };

export const Herald = () => {
  const typed = (event: Event) => { if ((event.target as Element).matches('textarea, input, [contenteditable]')) typedAt = Date.now(); };
  addEventListener('input', typed);
  onCleanup(() => { removeEventListener('input', typed); clearTimeout(timer); });

  // A post of the open conversation is said when the page has read it.
  const [awaited, setAwaited] = createSignal<number>();
  const opened = () => { const { screen, ids } = place(); return screen === 'cases' ? ids[0] : ids[1]; };
  const heard = (event: string, { case_id, resource_id }: Change) => { if (event === 'NEW_POST' && case_id === opened()) setAwaited(resource_id); };
  createEffect(() => {
    const post = rowOf('post', awaited()), id = (post?.creator as { id: number } | null | undefined)?.id;
    if (!post) return;
    setAwaited(undefined);
    const kind = (post.original as { resource_type?: string } | null | undefined)?.resource_type;
    if (id !== undefined && id !== me()?.id && kind !== 'activity') announce(say(kind === 'note' ? 'said_note' : 'said_reply', { name: rowOf('user', id)?.full_name ?? say('server') }));
  });
  const toldOf = (event: string, { changed_properties: told }: Change) => {
    if (event === 'NEW_NOTIFICATION' && told['case'] !== opened()) announce(say('said_notification'));
  };
  const own = (me() as { notification_channel?: string } | null | undefined)?.notification_channel;
  if (own) follow(own, toldOf, { events: ['NEW_NOTIFICATION'] });
  return (
    <>
      <Show when={inboxChannel()} keyed>{(channel) => { follow(channel, heard); return undefined; }}</Show>
      <p class="hidden" role="status" id="herald">{sentence()}</p>
    </>
  );
};
