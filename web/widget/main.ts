// The widget of a site: <script src="https://desk/widget.js" async>. docs/WIDGET.md describes its attributes, its commands and its limits.
//
// It runs in the page of the site, in a shadow root of its own: no frame, so it needs no storage of a third party; no element of HTML text,
// and no style but its own sheet, so a strict Content Security Policy of the page holds.
import look from './look.css';
import { rename, shortTime, speak } from './words';
import { Refused, call, get, now, useApi } from './api';
import { isColour, readable, textOn, contrast } from './colour';
import { desk, flush, readConversations, setOffline, stirred, tell, unreadAll, watch, type Settings } from './desk';
import { close, go, open, panelIsOpen, redraw, restore, shell, useViews, whenOpened } from './frame';
import { article, useHelp } from './help';
import { home, talks } from './home';
import { listen, onEvent } from './live';
import { draft, fresh } from './new';
import { keep, kept, print, usePlace, useStore } from './store';
import { talk } from './talk';

type Command = [name: string, value?: unknown];
interface Queue { push(...commands: Command[]): void }
declare global { interface Window { deskd?: Command[] | Queue } }

const BRAND = '#0b57d0', LIGHT = '#ffffff', DARK = '#16181d', RENEW_MS = 3 * 86_400_000, ACTIVE_MS = 3 * 86_400_000, TRY_MS = 60_000, WORDS_MS = 30_000;

const script = (document.currentScript ?? document.querySelector('script[src*="/widget.js"]')) as HTMLScriptElement;
const given = script.dataset, base = new URL('.', script.src).href.replace(/\/$/, '');
const complain = (text: string) => console.warn(`deskd widget: ${text}`);

// ---- the look ------------------------------------------------------------------------------------

const paint = () => {
  const brand = [given['color'], desk.settings.color].find(isColour) ?? BRAND, sheet = new CSSStyleSheet(), rim = (ground: string) => (contrast(brand, ground) < 3 ? 'var(--edge)' : 'transparent');
  sheet.replaceSync(`.shell{--brand:${brand};--on-brand:${textOn(brand)};--deep:${textOn(brand) === '#ffffff' ? '#000' : '#fff'};`
    + `--link-light:${readable(brand, LIGHT)};--link-dark:${readable(brand, DARK)};--rim-light:${rim(LIGHT)};--rim-dark:${rim(DARK)}}`);
  return sheet;
};
const mount = () => {
  const host = document.createElement('deskd-widget'), root = host.attachShadow({ mode: 'open' }), sheet = new CSSStyleSheet();
  sheet.replaceSync(look);
  root.adoptedStyleSheets = [sheet, paint()];
  const night = matchMedia('(prefers-color-scheme: dark)'), shade = () => shell.classList.toggle('is-dark', given['theme'] ? given['theme'] === 'dark' : night.matches);
  night.addEventListener('change', shade);
  shade();
  if (given['position'] === 'start') shell.classList.add('at-start');
  if (given['launcher'] === 'none') shell.classList.add('no-launcher');
  root.append(shell);
  document.body.append(host);
};

// ---- the visitor ---------------------------------------------------------------------------------

/** The e-mail address in the token of the site's server. The desk checks the token; this only says whose storage it is. */
const personOf = (token: string): string => {
  try { return String(JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)))).email).toLowerCase(); } catch { return ''; }
};
const identify = async (token: string) => {
  const person = personOf(token), left = usePlace(base, person);
  if (left) void call('DELETE', '/widget/identity', { print: left }).catch(() => undefined);
  delete desk.visitor;
  desk.conversations = [];
  desk.isRead = false;
  if (token && !person) complain('the token of the visitor can not be read.');
  if (person) {
    const { name = '', email = '', until = 0 } = kept();
    if (until > now() + RENEW_MS) desk.visitor = { name, email };
    else try {
      print();
      const { data } = await call('POST', '/widget/identity', { who: 'known', body: { token } });
      keep((k) => { k.name = data.name; k.email = person; k.until = Date.parse(data.expires_at); }, true);
      desk.visitor = { name: data.name, email: data.email };
    } catch (error) {
      if (until > now()) desk.visitor = { name, email };
      else {
        complain(`the visitor is anonymous: ${error instanceof Error ? error.message : ''}`);
        usePlace(base, '');
      }
    }
  }
  await readConversations();
  void flush();
};

// ---- commands of the page ------------------------------------------------------------------------

const told = new Set<(n: number) => void>();
const COMMANDS: Record<string, (value: never) => void> = {
  open: () => open(),
  close: () => close(),
  message: (text?: string) => { if (text) draft('new', text); open(); go('new'); },
  article: (id: number) => { open(); go('article', id); },
  conversations: () => { open(); go('talks'); },
  identify: (token: string) => { void identify(token); },
  leave: () => { void identify(''); },
  language: (tag: string) => { speak(tag); redraw(); },
  unread: (hears: (n: number) => void) => { told.add(hears); hears(unreadAll()); },
};
const run = ([name, value]: Command) => {
  const command = COMMANDS[name];
  if (command) command(value as never); else complain(`there is no command “${name}”.`);
};

// ---- the start -----------------------------------------------------------------------------------

const useSettings = (settings: Settings) => {
  desk.settings = settings;
  speak(given['language'], document.documentElement.lang, ...navigator.languages, settings.locale);
  rename(Object.fromEntries(Object.entries(given).flatMap(([name, text]) => (name.startsWith('word') && text ? [[name.slice(4).replace(/[A-Z]/g, (c, at: number) => (at ? '_' : '') + c.toLowerCase()), text]] : []))));
};

/** Replies are followed while the visitor may expect one: the panel is open, or there was a message lately. */
const follow = () => listen(!document.hidden && (panelIsOpen() || desk.conversations.some((one) => now() - Date.parse(one.updated_at) < ACTIVE_MS)));

const start = async (): Promise<void> => {
  try {
    useSettings((await get('/widget/settings')).data);
  } catch (error) {
    if (error instanceof Refused || navigator.onLine) complain(`the desk gives no settings to ${location.origin}. Its owner lists the origins of sites. ${error instanceof Error ? error.message : ''}`);
    if (error instanceof Refused) return;
    addEventListener('online', () => void start(), { once: true });
    if (navigator.onLine) setTimeout(() => void start(), TRY_MS);
    return;
  }
  useViews({ home, talks, talk, new: fresh, article } as never);
  mount();
  let before = -1;
  watch(() => { const n = unreadAll(); if (n !== before) for (const hears of told) hears(n); before = n; follow(); });
  whenOpened(follow);
  onEvent(() => { void readConversations(); for (const hears of stirred) hears(); });
  document.addEventListener('visibilitychange', follow);
  setInterval(() => { for (const one of shell.querySelectorAll('time')) one.textContent = shortTime(one.dateTime); }, WORDS_MS);
  addEventListener('online', () => { setOffline(false); void readConversations(); void flush(); });
  addEventListener('offline', () => setOffline(true));
  if (!navigator.onLine) setOffline(true);
  const first = identify(given['user'] ?? '');
  tell();
  restore();
  await first;
  const queue = window.deskd;
  window.deskd = { push: (...commands) => commands.forEach(run) };
  if (Array.isArray(queue)) queue.forEach(run);
};

if (!document.querySelector('deskd-widget')) {
  useApi(base);
  useHelp(base);
  useStore(base, tell);
  if (document.body) void start(); else addEventListener('DOMContentLoaded', () => void start());
}
