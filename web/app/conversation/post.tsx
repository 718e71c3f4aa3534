// A post of the timeline: a message, a note or an activity.
import { For, Show } from 'solid-js';
import { rowOf } from '../../kit/store';
import { Face } from '../../kit/marks';
import { fullTime, say, shortTime } from '../../kit/words';
import type { Post } from './data';

const kindOf = (post: Post) => (post.original as { resource_type?: string } | null)?.resource_type ?? 'case_message';

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/;

/** Text with its addresses as links. The split puts each address at an odd place. */
const Text = (props: { text: string }) => (
  <For each={props.text.split(ADDRESS)}>
    {(part, i) => i() % 2 ? <a href={part} target="_blank" rel="noopener noreferrer nofollow">{part}</a> : part}
  </For>
);

const sizeText = (bytes: number) => new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit: bytes < 1e6 ? 'kilobyte' : 'megabyte', maximumFractionDigits: bytes < 1e6 ? 0 : 1 }).format(bytes / (bytes < 1e6 ? 1e3 : 1e6));

export const PostItem = (props: { id: number }) => {
  const post = () => rowOf('post', props.id) as Post | undefined;
  return (
    <Show when={post()}>
      {(p) => {
        const person = () => rowOf('user', p().creator as { id: number } | null);
        const name = () => person()?.full_name ?? say('server');
        const time = () => <time dateTime={p().created_at!} title={fullTime(p().created_at!)}>{shortTime(p().created_at!)}</time>;
        return (
          <Show when={kindOf(p()) !== 'activity'} fallback={<li class="activity"><span dir="auto">{p().contents}</span> {time()}</li>}>
            <li>
              <article class="post" classList={{ own: !p().is_requester, 'is-note': kindOf(p()) === 'note' }} aria-label={`${name()}, ${fullTime(p().created_at!)}`}>
                <header>
                  <Face name={name()} />
                  <b dir="auto">{name()}</b>
                  <Show when={kindOf(p()) === 'note'}><span class="tag">{say('note')}</span></Show>
                  {time()}
                </header>
                <div class="post-text" dir="auto"><Text text={p().contents ?? ''} /></div>
                <Show when={(p().attachments as unknown[] | null)?.length}>
                  <ul class="files" aria-label={say('files')}>
                    <For each={p().attachments as unknown as { id: number }[]}>
                      {(ref) => <Show when={rowOf('attachment', ref)}>{(f) => <li><a href={f().url_download ?? ''} target="_self">{f().name}</a> <span class="soft">{sizeText(f().size ?? 0)}</span></li>}</Show>}
                    </For>
                  </ul>
                </Show>
                <Show when={p().post_status === 'REJECTED'}><p class="wrong">{say('delivery_failed', { reason: p().post_status_reject_reason ?? '' })}</p></Show>
              </article>
            </li>
          </Show>
        );
      }}
    </Show>
  );
};
