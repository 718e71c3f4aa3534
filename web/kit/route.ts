// The address of the page, and the screens that it names.
import { createMemo, createSignal } from 'solid-js';
import { prefix } from './api';

const root = `${prefix}/agent`;
const here = () => location.pathname.slice(root.length) + location.search;
const [address, setAddress] = createSignal(here());
addEventListener('popstate', () => setAddress(here()));

export { address };

export const go = (to: string, { replace = false } = {}) => {
  if (to === address()) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', root + to);
  setAddress(to);
};

export const href = (to: string) => root + to;

/** Follows links inside of the console without loading the page again. For the event `click` of the document. */
export const followLink = (event: MouseEvent) => {
  const link = (event.target as Element).closest?.('a');
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith(`${root}/`)) return;
  event.preventDefault();
  go(link.pathname.slice(root.length) + link.search);
};

/** The address in parts: /views/3/1881?q=x is {screen: "views", parts: ["3", "1881"], ids: [3, 1881], query}. */
export const place = createMemo(() => {
  const url = new URL(address() || '/', 'http://desk'), [screen = '', ...rest] = url.pathname.slice(1).split('/');
  return { screen, parts: rest, ids: rest.map(Number).filter(Number.isSafeInteger), query: url.searchParams };
});
