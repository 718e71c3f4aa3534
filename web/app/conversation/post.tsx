// A post of the timeline: a message, a note or an activity.
import { createMemo, createSignal, For, Show, Suspense } from 'solid-js';
import type { Schemas } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { Face } from '../../kit/marks';
import { fullTime, say, shortTime } from '../../kit/words';
import { isAdmin } from '../session/rank';
import { inlineIds, isOwn, kindOf, postOf } from './posts';
import { forward, type Conversation } from './data';

const Mail = lazy(async () => ({ default: (await import('./mail')).Mail }));
const ActivityText = lazy(async () => { const [{ ActivityText }, words] = await Promise.all([import('./activity'), import('./activity_words')]); await words.activityWordsReady(); return { default: ActivityText }; });
const DropNote = lazy(async () => (await import('./drop_note')).loadDropNote());
const Forwarded = lazy(async () => (await import('./forwarded')).loadForwarded());
const Pictures = lazy(async () => ({ default: (await import('./pictures')).Pictures }));

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/;

/** Text with its addresses as links. The split puts each address at an odd place. */
const Text = (props: { text: string }) => (
  <For each={props.text.split(ADDRESS)}>
    {(part, i) => i() % 2 ? <a href={part} target="_blank" rel="noopener noreferrer nofollow">{part}</a> : part}
  </For>
);

const sizeText = (bytes: number) => {
  const [unit, size] = bytes < 1000 ? ['byte', 1] : bytes < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  return new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit: String(unit), maximumFractionDigits: unit === 'megabyte' ? 1 : 0 }).format(bytes / Number(size));
};

/** The desk may be reached by another name than the configured one: the path is that of the same server. */
const here = (url: string | null | undefined) => { try { return url ? new URL(url, location.href).pathname : ''; } catch { return ''; } };

type File = Schemas['attachment'];
const thumbnailOf = (file: File) => (file.thumbnails as { url?: string; width?: number; height?: number }[] | undefined)?.[0];

const Files = (props: { files: File[]; onOpen: (file: File) => void }) => (
  <ul class="files" aria-label={say('files')}>
    <For each={props.files}>
      {(f) => (
        <li>
          <Show when={thumbnailOf(f)} fallback={<a href={here(f.url_download)} target="_self" download={f.name ?? ''} dir="auto">{f.name}</a>}>
            {(small) => (
              <button type="button" class="thumbnail" onClick={() => props.onOpen(f)}>
                <img src={here(small().url)} width={small().width} height={small().height} alt="" loading="lazy" /><span dir="auto">{f.name}</span>
              </button>
            )}
          </Show>
          <span class="soft">{sizeText(f.size ?? 0)}</span>
        </li>
      )}
    </For>
  </ul>
);

export const PostItem = (props: { id: number; conversation: Conversation }) => {
  const c = props.conversation;
  return (
    <Show when={postOf(props.id)}>
      {(p) => {
        const person = () => rowOf('user', p().creator as { id: number } | null);
        const name = () => person()?.full_name ?? say('server');
        const time = () => <time dateTime={p().created_at!} title={fullTime(p().created_at!)}>{shortTime(p().created_at!)}</time>;
        const kind = createMemo(() => kindOf(p()));
        const files = createMemo(() => {
          const inline = inlineIds(p());
          return ((p().attachments ?? []) as unknown as { id: number }[]).filter(({ id }) => !inline.has(id)).map((ref) => rowOf('attachment', ref)).filter((f): f is File => f !== undefined);
        });
        const [dropping, setDropping] = createSignal(false);
        const pinned = () => c.pinned().includes(props.id);
        const pin = async () => {
          const to = !pinned();
          try {
            await c.pin(props.id, to);
            tell(say(to ? 'pinned' : 'unpinned'), () => c.pin(props.id, !to));
          } catch (error) { tellWrong(say('not_changed', { reason: (error as Error).message })); }
        };
        return (
          <Show when={kind() !== 'activity'} fallback={<p class="activity"><Suspense><ActivityText id={props.id} post={p()} /></Suspense> {time()}</p>}>
            <article class="post" classList={{ own: !p().is_requester, 'is-note': kind() === 'note' }} aria-label={`${name()}, ${fullTime(p().created_at!)}`}>
              <header>
                <Face name={name()} />
                <b class="post-name" dir="auto">{name()}</b>
                <Show when={kind() === 'note'} fallback={<button type="button" class="quiet" onClick={() => forward(c, props.id)}>{say('forward')}</button>}>
                  <span class="tag">{say('note')}</span>
                  <button type="button" class="quiet" aria-pressed={pinned()} onClick={() => void pin()}>{say(pinned() ? 'unpin' : 'pin')}</button>
                  <Show when={isOwn(props.id) || isAdmin()}><button type="button" class="quiet" onClick={() => setDropping(true)}>{say('drop_note')}</button></Show>
                  <Show when={dropping()}><Suspense><DropNote conversation={c} id={props.id} text={p().contents ?? ''} onClose={() => setDropping(false)} /></Suspense></Show>
                </Show>
                {time()}
              </header>
              <Show when={p().forward || p().answers_note}><Suspense><Forwarded id={props.id} conversation={c} /></Suspense></Show>
              <Show when={p().is_html} fallback={<div class="post-text" dir="auto"><Text text={p().contents ?? ''} /></div>}>
                <Suspense><Mail id={props.id} senderId={person()?.id ?? 0} sender={name()} title={say('message_of', { name: name(), time: fullTime(p().created_at!) })} /></Suspense>
              </Show>
              <Show when={files().length}><Files files={files()} onOpen={c.setPicture} /></Show>
              <Show when={p().post_status === 'REJECTED'}><p class="wrong">{say('delivery_failed', { reason: p().post_status_reject_reason ?? '' })}</p></Show>
              <Show when={c.picture() && files().includes(c.picture()!)}>
                <Suspense><Pictures files={files().filter(thumbnailOf)} file={c.picture()!} onShow={c.setPicture} onClose={() => c.setPicture(undefined)} address={(f) => here(f.url)} /></Suspense>
              </Show>
            </article>
          </Show>
        );
      }}
    </Show>
  );
};
