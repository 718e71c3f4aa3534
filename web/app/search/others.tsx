// What a search finds besides conversations: people, organizations and articles, above the list.
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import { get, prefix, rowsOf } from '../../kit/api';
import { href } from '../../kit/route';
import { say, type Word } from '../../kit/words';
import { rank } from '../session/rank';

interface Result { id: number; title: string | null; resource: string }
const KINDS: { resource: string; asked: string; word: Word; to: (id: number) => string }[] = [
  { resource: 'user', asked: 'USERS', word: 'people', to: (id) => href(`/people/${id}`) },
  { resource: 'organization', asked: 'ORGANIZATIONS', word: 'organizations', to: (id) => href(`/organizations/${id}`) },
  { resource: 'article', asked: 'ARTICLES', word: 'articles', to: (id) => `${prefix}/helpcenter/articles/${id}` },
];
const EACH_MOST = 5;

export const OtherResults = (props: { query: string }) => {
  const [found, setFound] = createSignal<Record<string, Result[]>>({});
  createEffect(on(() => props.query, (query) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    setFound({});
    for (const { resource, asked } of KINDS)
      get('/search', { query, resources: asked, limit: EACH_MOST, fields: 'title,resource' }, stop.signal)
        .then((reply) => { const results = rowsOf(reply) as unknown as Result[]; setFound((all) => ({ ...all, [resource]: results })); }, () => undefined);
  }));
  return (
    <For each={KINDS}>
      {({ resource, word, to }) => (
        <Show when={found()[resource]?.length}>
          <section class="results" aria-labelledby={`results-${resource}`}>
            <h3 id={`results-${resource}`}>{say(word)}</h3>
            <Show when={resource === 'organization' && rank() !== 'COLLABORATOR'}><a href={href(`/organizations/new?name=${encodeURIComponent(props.query)}`)}>{say('organization_new')}</a></Show>
            <ul>
              <For each={found()[resource]}>{({ id, title }) => <li><a href={to(id)} target={resource === 'article' ? '_blank' : undefined} dir="auto">{title || say('no_subject')}</a></li>}</For>
            </ul>
          </section>
        </Show>
      )}
    </For>
  );
};
