// Tags are words: one exists as soon as it is used. Admins keep them in order (managed_tags.tsx); others find which words are in use, and where.
import { createSignal, createUniqueId, For, onCleanup, Show } from 'solid-js';
import { get, rowsOf } from '../../../kit/api';
import { lazy } from '../../../kit/lazy';
import { href } from '../../../kit/route';
import { mayDo } from '../rights';
import { say } from '../words';

interface Found { name: string; conversations: number }
const PAUSE_MS = 150, MOST = 12;
const searchFor = (name: string) => `tag:"${name.replaceAll('"', '')}"`;

const find = async (name: string): Promise<Found[]> => {
  const names = rowsOf(await get('/autocomplete/tags', { name, limit: MOST })).map((row) => String(row['name']));
  return Promise.all(names.map(async (one) => ({ name: one, conversations: (await get('/search', { query: searchFor(one), resources: 'CASES', limit: 1, fields: 'id' })).total_count ?? 0 })));
};

const Managed = lazy(() => import('./managed_tags'));
export default () => <Show when={mayDo('PUT /tags/{id}')} fallback={<Find />}><Managed /></Show>;

const Find = () => {
  const [found, setFound] = createSignal<Found[]>(), [wrong, setWrong] = createSignal(''), title = createUniqueId();
  let timer: ReturnType<typeof setTimeout> | undefined, turn = 0;
  onCleanup(() => { clearTimeout(timer); turn++; });
  document.title = `${say('tags')} · ${say('settings')} · deskd`;
  const typed = (text: string) => {
    const mine = ++turn;
    clearTimeout(timer);
    if (!text.trim()) { setFound(undefined); return; }
    timer = setTimeout(() => void find(text.trim()).then((all) => { if (mine === turn) { setFound(all); setWrong(''); } }, (error: Error) => setWrong(error.message)), PAUSE_MS);
  };
  return (
    <section class="settings-list region" aria-labelledby={title} tabindex="-1" data-region>
      <header class="settings-head"><a class="button narrow" href={href('/settings')}>{say('to_settings')}</a><h1 id={title}>{say('tags')}</h1></header>
      <p class="pad"><input type="search" class="settings-find" dir="auto" aria-label={say('tag_find')} placeholder={say('tag_find')} onInput={(event) => typed(event.currentTarget.value)} /></p>
      <p class="wrong pad" role="alert" hidden={!wrong()}>{wrong()}</p>
      <div role="status"><Show when={found()?.length === 0}><p class="empty">{say('find_none')}</p></Show></div>
      <Show when={!found()}><div class="empty"><p>{say('tags_why')}</p><p>{say('tags_fixed')}</p></div></Show>
      <ul class="settings-rows">
        <For each={found()}>
          {({ name, conversations }) => <li><a href={href(`/search?q=${encodeURIComponent(searchFor(name))}`)}><span dir="auto">{name}</span><span class="soft">{say('tag_count', { n: conversations })}</span></a></li>}
        </For>
      </ul>
    </section>
  );
};
