// The clean HTML of the desk as elements (src/files/html_clean.h): (1) no parser of the browser reads it, so no text of a reply can become
// a script, (2) an element or an attribute that is not listed here is left out, (3) links are http, mailto or tel.
import { h } from './dom';

const KEPT = new Set('b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i kbd li mark ol p pre s small span strong sub summary sup table tbody td th thead tr u ul'.split(' '));
const ALONE = new Set(['br', 'hr', 'img', 'wbr', 'col']);
const ATTRIBUTES = new Set(['alt', 'colspan', 'dir', 'height', 'lang', 'rowspan', 'start', 'title', 'width']);
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*\/?>|[^<]+|</g, ATTRIBUTE = /([a-z-]+)="([^"]*)"/g;
const ESCAPES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };
const plain = (text: string) => text.replace(/&(\w+);/g, (all, name: string) => ESCAPES[name] ?? all);

export interface Shown {
  /** Addresses without a host are below this one. */
  base: string;
  /** Shows a picture. Returns undefined: it is left out. */
  picture(address: string, alt: string): Node | undefined;
  /** What a link to an article of the desk does, in place of leading to its page. */
  article(id: number): void;
}

const addressOf = (text: string, base: string) => { try { return new URL(text, base); } catch { return undefined; } };

const link = (text: string, { base, article }: Shown) => {
  const url = addressOf(text, base);
  if (!url || !/^(https?|mailto|tel):$/.test(url.protocol)) return h('span');
  const id = url.href.startsWith(base) && /\/helpcenter\/[^/]+\/articles\/(\d+)/.exec(url.pathname)?.[1];
  return h('a', { href: url.href, target: '_blank', rel: 'noopener', onclick: id ? (event: Event) => { event.preventDefault(); article(Number(id)); } : undefined });
};

export const nodesOf = (html: string, shown: Shown) => {
  const root = document.createDocumentFragment(), open: Node[] = [root];
  for (const [text, end, name, list = ''] of html.matchAll(TOKEN)) {
    const parent = open.at(-1)!;
    if (!name) parent.appendChild(document.createTextNode(plain(text)));
    else if (end) { if (open.length > 1) open.pop(); }
    else {
      const given = new Map([...list.matchAll(ATTRIBUTE)].map(([, key, value]) => [key!, plain(value!)]));
      let made: Node | undefined;
      if (name === 'a') made = link(given.get('href') ?? '', shown);
      else if (name === 'img') {
        const url = addressOf(given.get('src') ?? '', shown.base);
        if (url && given.get('src') && /^https?:$/.test(url.protocol)) made = shown.picture(url.href, given.get('alt') ?? '');
      } else if (KEPT.has(name)) made = document.createElement(name);
      if (made instanceof Element) for (const [key, value] of given) if (ATTRIBUTES.has(key)) made.setAttribute(key, value);
      if (made) parent.appendChild(made);
      if (!ALONE.has(name)) open.push(made ?? parent);
    }
  }
  return root;
};
