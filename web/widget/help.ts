// The search of the help center, and an article.
import { call, get, type Row } from './api';
import { desk } from './desk';
import { fill, h, icon } from './dom';
import { drawn } from './files';
import { go, type View } from './frame';
import { nodesOf, type Shown } from './html';
import { language, say } from './words';

const TYPING_MS = 250, LONGEST = 200;
let base = '', asked = '';
export const useHelp = (address: string) => { base = address; };

/** The locale of the desk for the language of the visitor. */
const locale = () => desk.settings.locales.find((one) => one.toLowerCase().split('-')[0] === language()) ?? desk.settings.locale;
const inLocale = (texts: Row[] | undefined): Row | undefined => texts?.find((one) => one.locale === locale()) ?? texts?.find((one) => one.locale === desk.settings.locale) ?? texts?.[0];
const isRight = (tag: string) => /^(ar|fa|he|ur)\b/.test(tag);

/** How HTML of the desk is shown. Pictures of conversations need the fingerprint. */
export const shown = (): Shown => ({
  base: `${base}/`,
  article: (id) => go('article', id),
  picture: (address, alt) => (address.startsWith(`${base}/api/v1/conversations`) ? drawn(address, alt, h('span', { class: 'picture' })) : h('img', { src: address, alt, loading: 'lazy', referrerpolicy: 'no-referrer' })),
});

const line = (title: string, id: number, snippet?: string) => h('li', {}, h('button', { class: 'row found', onclick: () => go('article', id) },
  h('span', { class: 'row-text' }, h('b', { dir: 'auto' }, title), snippet && h('span', { class: 'snippet', dir: 'auto' }, nodesOf(snippet, shown()))), icon('on')));

/** The field, and below it what it finds: titles while the visitor types, all articles after Enter. */
export const results = (often: HTMLElement) => {
  const list = h('ul', { class: 'rows' }), said = h('p', { class: 'said', role: 'status' });
  const field = h('input', { type: 'search', 'aria-label': say('search'), placeholder: say('search'), maxlength: LONGEST, autocomplete: 'off', enterkeyhint: 'search' });
  let timer: ReturnType<typeof setTimeout> | undefined, going: AbortController | undefined;
  const find = async (whole: boolean) => {
    clearTimeout(timer);
    going?.abort();
    const text = asked = field.value.trim(), own = going = new AbortController();
    often.hidden = !!text;
    if (!text) { fill(list); fill(said); return; }
    try {
      const path = whole ? 'search?limit=10&' : 'search/suggestions?';
      let { data } = await get(`/helpcenter/${path}query=${encodeURIComponent(text)}&locale=${encodeURIComponent(locale())}`, 'none', own.signal);
      if (own.signal.aborted) return;
      data = data.slice(0, whole ? 10 : 5);
      fill(list, data.map((one: Row) => line(one.title, one.original.id, one.contents)));
      fill(said, data.length ? say('found', { n: data.length }) : whole ? say('nothing', { text }) : '');
      said.classList.toggle('unseen', !!data.length);
    } catch { if (!own.signal.aborted) { said.classList.remove('unseen'); fill(list); fill(said, say('failed')); } }
  };
  field.value = asked;
  field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => void find(false), field.value ? TYPING_MS : 0); });
  const form = h('form', { role: 'search', class: 'search', onsubmit: (event: Event) => { event.preventDefault(); void find(true); } }, icon('search'), field);
  const element = h('div', { class: 'find', onkeydown: (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0, stops = [field, ...element.querySelectorAll<HTMLElement>('button')].filter((one) => one.offsetParent);
    if (!step) return;
    const at = stops.indexOf((element.getRootNode() as ShadowRoot).activeElement as HTMLElement);
    if (at >= 0) event.preventDefault(), stops[at + step]?.focus();
  } }, form, said, list, often);
  if (asked) void find(true);
  return {
    element,
    popular: (rows: Row[]) => {
      const titled = rows.map((one) => [one.id, inLocale(one.titles)?.translation] as const).filter(([, title]) => title);
      fill(often, titled.length ? [h('h3', {}, say('popular')), h('ul', { class: 'rows' }, titled.map(([id, title]) => line(title, id)))] : '');
    },
  };
};

export const article = (id: number): View => {
  const text = h('article', { class: 'text' }, h('p', { class: 'loading' })), vote = h('div', { class: 'vote' }), body = h('div', { class: 'scroll' }, text, vote), more = h('span');
  const answer = (good: boolean) => {
    void call('POST', `/articles/${id}/${good ? 'up' : 'down'}vote`, { who: 'made' }).catch(() => undefined);
    fill(vote, h('p', { role: 'status' }, say(good ? 'thanks' : 'sorry')), !good && h('button', { class: 'main', onclick: () => go('new', id) }, say('write')));
  };
  const read = async () => {
    try {
      const { data } = await get(`/articles/${id}?fields=titles,contents,helpcenter_url&include=locale_field`);
      const title = inLocale(data.titles), contents = inLocale(data.contents);
      text.lang = String(contents?.locale ?? '');
      text.dir = isRight(text.lang) ? 'rtl' : 'ltr';
      fill(text, h('h1', {}, title?.translation), nodesOf(contents?.translation ?? '', shown()));
      if (data.helpcenter_url) fill(more, h('a', { class: 'plain', href: data.helpcenter_url, target: '_blank', rel: 'noopener', 'aria-label': say('new_tab'), title: say('new_tab') }, icon('out')));
      fill(vote, h('p', {}, say('answered')), [true, false].map((good) => h('button', { class: 'choice', onclick: () => answer(good) }, icon(good ? 'good' : 'bad'), say(good ? 'yes' : 'no'))));
    } catch {
      fill(text, h('p', { role: 'alert' }, say('failed')), h('button', { class: 'link', onclick: read }, say('again')));
    }
  };
  void read();
  return { title: desk.settings.name, body, more };
};
