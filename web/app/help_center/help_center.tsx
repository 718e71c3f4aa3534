// The help center: the tree beside what is chosen in it. On narrow screens the address decides which of them is shown.
import { createEffect, createResource, Match, Show, Suspense, Switch } from 'solid-js';
import { useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { go, href, place } from '../../kit/route';
import { numberText } from '../../kit/words';
import { permitted } from '../settings/rights';
import { begin, mayManage } from './data';
import { Branch } from './branch';
import { BASE, openFirst, Tree } from './tree';
import { counts, readCounts } from './moderation';
import { say } from './words';

const Comments = lazy(async () => { const [{ Comments }, words] = await Promise.all([import('./comments'), import('./moderation_words')]); await words.ready(); return { default: Comments }; });
const Searches = lazy(async () => { const [{ Searches }, words] = await Promise.all([import('./searches'), import('./moderation_words')]); await words.ready(); return { default: Searches }; });
const ArticleForm = lazy(() => import('./article_screen'));

export const HelpCenter = () => {
  const [ready, { refetch }] = createResource(async () => { await begin(); openFirst(); void readCounts('WAITING').catch(() => undefined); return true; });
  const part = () => place().parts[0], id = () => place().parts[1];
  createEffect(() => { if (!part()) document.title = `${say('help_center')} · deskd`; });
  useKeys([{ key: 'Escape', word: 'key_list', run: () => go(part() ? BASE : '/') }]);
  const key = () => `${part()} ${id()} ${id() === 'new' ? place().query.toString() : ''}`;

  return (
    <main class="help" data-open={part() ? '' : undefined}>
      <Show when={!ready.error} fallback={<p class="wrong pad" role="alert">{say('read_failed')} <button type="button" onClick={() => void refetch()}>{say('try_again')}</button></p>}>
        <nav class="help-tree region" aria-label={say('help_center')} tabindex="-1" data-region>
          <header class="settings-head">
            <Show when={part()} fallback={<h1>{say('help_center')}</h1>}><p class="settings-title">{say('help_center')}</p></Show><span class="grow" />
            <Show when={ready() && mayManage()}><a class="button" href={href(`${BASE}/categories/new`)}>{say('new_category')}</a></Show>
          </header>
          <Show when={ready()}>
            <p class="help-parts">
              <a href={href(`${BASE}/comments`)} aria-current={part() === 'comments' ? 'page' : undefined}>{say('comments')}<Show when={counts().WAITING}>{(n) => <> <span class="badge">{numberText(n())}</span></>}</Show></a>
              <Show when={permitted('insights.access')}><a href={href(`${BASE}/searches`)} aria-current={part() === 'searches' ? 'page' : undefined}>{say('searches')}</a></Show>
            </p>
            <Tree />
          </Show>
        </nav>
        <Show when={ready()}>
          <Suspense>
            <Switch fallback={<section class="empty help-none" aria-label={say('help_center')}><p>{say('choose')}</p><p>{say('choose_why')}</p></section>}>
              <Match when={part() === 'comments'}><Comments /></Match>
              <Match when={part() === 'searches'}><Searches /></Match>
              <Match when={(part() === 'categories' || part() === 'sections') && id() && key()} keyed>{(_key) => <Branch kind={part() === 'sections' ? 'section' : 'category'} id={id() === 'new' ? 'new' : Number(id())} />}</Match>
              <Match when={part() === 'articles' && id() && key()} keyed>{(_key) => <ArticleForm id={id() === 'new' ? 'new' : Number(id())} />}</Match>
            </Switch>
          </Suspense>
        </Show>
      </Show>
    </main>
  );
};
