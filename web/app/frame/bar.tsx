// The bar: name of the desk, search, keys, the person.
import { createSignal, Show, Suspense } from 'solid-js';
import { lazy } from '../../kit/lazy';
import { connected } from '../../kit/live';
import { go, href, place } from '../../kit/route';
import { useKeys } from '../../kit/keys';
import { say } from '../../kit/words';
import { Face } from '../../kit/marks';
import { isAdmin, rank } from '../session/rank';
import { logOut, me } from '../session/session';
import { startIsOpen } from '../start/offer';
import { opened, toggle } from './drawers';
import { compact, setCompact, setTheme, theme, type Theme } from './look';
import { views } from '../views/views';
import { Bell } from '../notifications/bell';
import { showKeys } from './keys_list';
import { updated } from './version';

const Consents = lazy(async () => {
  const [{ Consents: shown }, { ready }] = await Promise.all([import('./consents'), import('./consent_words')]);
  await ready();
  return { default: shown };
});
const [online, setOnline] = createSignal(navigator.onLine);
addEventListener('online', () => setOnline(true));
addEventListener('offline', () => setOnline(false));

const goView = (type: string) => { const view = views().find((one) => one.type === type); go(view ? `/views/${view.id}` : '/'); };
const goSearch = (query: string) => go(`/search?q=${encodeURIComponent(`${query} -is:completed -is:closed`)}`);

/** The screens that have the views. */
const INBOX = new Set(['', 'views', 'cases', 'search']);

export const Bar = () => {
  let search!: HTMLInputElement;
  useKeys([
    { key: '/', word: 'key_search', run: () => search.focus() },
    { key: 'c', word: 'key_new', run: () => go('/new') },
    { key: '?', word: 'key_help', run: showKeys },
    { key: 'g i', word: 'go_inbox', run: () => goView('INBOX') },
    { key: 'g u', word: 'go_unassigned', run: () => goSearch('is:unassigned') },
    { key: 'g m', word: 'go_mine', run: () => goSearch('is:mine') },
    { key: 'g t', word: 'go_trash', run: () => goView('TRASH') },
    { key: 'g r', word: 'go_reports', run: () => go('/reports') },
    { key: 'g h', word: 'to_help_center', run: () => go('/help-center') },
    ...(rank() === 'COLLABORATOR' ? [] : [{ key: '', word: 'organization_new' as const, run: () => go('/organizations/new') }]),
  ]);
  return (
    <header class="bar">
      <Show when={INBOX.has(place().screen)}>
        <button type="button" class="views-button" aria-label={say('views')} aria-controls="views" aria-expanded={opened() === 'views'} onClick={() => toggle('views')}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" /></svg>
        </button>
      </Show>
      <a class="brand" href={href('/')}>deskd</a>
      <form role="search" onSubmit={(event) => { event.preventDefault(); const q = search.value.trim(); if (q) go(`/search?q=${encodeURIComponent(q)}`); }}>
        <input ref={search} type="search" aria-label={say('search_hint')} placeholder={say('search_hint')} value={place().query.get('q') ?? ''} />
      </form>
      <span class="grow" />
      <Show when={isAdmin()}><Suspense><Consents /></Suspense></Show>
      <Show when={updated()}><span class="notice">{say('new_version')} <button type="button" onClick={() => location.reload()}>{say('reload')}</button></span></Show>
      <Show when={!connected() || !online()}><span class="notice wrong" role="status">{say(online() ? 'reconnecting' : 'offline')}</span></Show>
      <Bell />
      <a class="button" href={href('/new')}>{say('new')} <kbd>c</kbd></a>
      <button type="button" class="only-keys" onClick={showKeys}>{say('keys')} <kbd>?</kbd></button>
      <details class="menu">
        <summary><Face name={me()?.full_name ?? ''} /><span class="hidden">{me()?.full_name ?? say('me')}</span></summary>
        <div class="card">
          <p dir="auto"><b>{me()?.full_name}</b></p>
          <label class="choice"><span>{say('theme')}</span>
            <select onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
              <option value="system" selected={theme() === 'system'}>{say('theme_system')}</option>
              <option value="light" selected={theme() === 'light'}>{say('theme_light')}</option>
              <option value="dark" selected={theme() === 'dark'}>{say('theme_dark')}</option>
            </select>
          </label>
          <label class="choice"><span>{say('density')}</span>
            <select onChange={(event) => setCompact(event.currentTarget.value === 'compact')}>
              <option value="normal" selected={!compact()}>{say('density_normal')}</option>
              <option value="compact" selected={compact()}>{say('density_compact')}</option>
            </select>
          </label>
          <Show when={startIsOpen()}><a class="button" href={href('/start')}>{say('first_steps')}</a></Show>
          <Show when={isAdmin()}><a class="button" href={href('/settings/people/new')}>{say('invite')}</a></Show>
          <a class="button" href={href('/reports')}>{say('reports')}</a>
          <a class="button" href={href('/help-center')}>{say('to_help_center')}</a>
          <a class="button" href={href('/settings')}>{say('settings')}</a>
          <button type="button" onClick={() => void logOut()}>{say('log_out')}</button>
        </div>
      </details>
    </header>
  );
};
