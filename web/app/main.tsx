// The console of staff: the start of the page.
import { createEffect, createMemo, ErrorBoundary, Match, onMount, Show, Suspense, Switch } from 'solid-js';
import { Dynamic, render } from 'solid-js/web';
import { onKey } from '../kit/keys';
import { prefix, surely } from '../kit/api';
import { lazy } from '../kit/lazy';
import { followLink, go, place } from '../kit/route';
import { rowOf } from '../kit/store';
import { Strip } from '../kit/strip';
import { say } from '../kit/words';
import { Bar } from './frame/bar';
import { Apart } from './frame/failed';
import { Herald } from './frame/herald';
import { KeysList } from './frame/keys_list';
import { PaletteOnDemand } from './palette/open';
import { readCatalog } from './frame/catalog';
import { watchVersion } from './frame/version';
import { screens } from './screens';
import { begin, ended, logOut, me } from './session/session';
import { offerStart } from './start/offer';
import { readViews } from './views/views';

// Few pages begin with a login. The others load it later, because the server may have other files when the session ends.
const LOGIN_AFTER_MS = 30_000;
const loadLogin = async () => {
  const [login, words] = await Promise.all([import('./session/login'), import('./session/words')]);
  await words.ready();
  return login;
};
const Login = lazy(async () => ({ default: (await loadLogin()).Login }));

const Desk = () => {
  onMount(() => { setTimeout(() => void loadLogin().then(() => Login.preload()).catch(() => undefined), LOGIN_AFTER_MS); });
  onMount(() => { void surely(readCatalog); void surely(readViews); void offerStart().catch(() => undefined); watchVersion(); });
  createEffect(() => { if (place().screen === 'login') go('/', { replace: true }); });
  const screen = createMemo(() => screens[place().screen] ?? screens['']);
  return (
    <>
      <Show when={place().screen !== 'wall'}><Bar /></Show>
      <Apart within="main"><Suspense><Dynamic component={screen()} /></Suspense></Apart>
      <Strip />
      <Herald />
      <KeysList />
      <PaletteOnDemand />
    </>
  );
};

const isStaff = () => rowOf('role', me()?.role as { id: number } | null)?.type !== 'CUSTOMER';

const Console = () => (
  <ErrorBoundary fallback={(error: Error) => <main class="login"><p class="wrong">{error.message}</p><button type="button" onClick={() => location.reload()}>{say('reload')}</button></main>}>
    <Switch>
      <Match when={me() === null}><Suspense><Login /></Suspense></Match>
      <Match when={me() && !isStaff()}><main class="login"><h1 class="hidden">{say('console')}</h1><div class="card"><p>{say('staff_only')}</p><p><a href={`${prefix}/helpcenter`} target="_self">{say('to_help_center')}</a></p><p><button type="button" onClick={() => void logOut()}>{say('log_out')}</button></p></div></main></Match>
      <Match when={me()}><Desk /></Match>
    </Switch>
    <Show when={ended()}><div class="over"><Suspense><Login again /></Suspense></div></Show>
  </ErrorBoundary>
);

document.addEventListener('keydown', onKey);
document.addEventListener('click', followLink);
void begin().then(() => render(() => <Console />, document.body), (error: Error) => { document.body.textContent = error.message; });
