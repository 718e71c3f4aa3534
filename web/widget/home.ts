// The first view: conversations of the visitor, the way to a new one, and the search. And the list of all conversations.
import { Refused, get, type Row } from './api';
import { conversation, desk, isCompleted, unread } from './desk';
import { fill, h, icon } from './dom';
import { close, go, type View } from './frame';
import { results } from './help';
import { face } from './people';
import { fullTime, say, shortTime } from './words';

const RECENT = 2;

export const timeOf = (time: string) => h('time', { datetime: time, title: fullTime(time) }, shortTime(time));

const lineOf = (one: Row) => {
  const n = unread(one), other = one.last_agent_replier ?? undefined;
  return h('li', {}, h('button', { class: n ? 'row is-new' : 'row', onclick: () => go('talk', one.id) },
    face(other, other?.full_name ?? desk.settings.name),
    h('span', { class: 'row-text' },
      h('span', { class: 'row-top' }, h('b', { dir: 'auto' }, one.subject), timeOf(one.last_replied_at ?? one.updated_at)),
      h('span', { class: 'row-last' }, h('span', { dir: 'auto' }, one.last_message_preview ?? ''), n > 0 && h('span', { class: 'dot' }, h('span', { class: 'unseen' }, say('is_new', { n })))))));
};
const inOrder = () => [...desk.conversations].sort((a, b) => Date.parse(b.last_replied_at ?? b.updated_at) - Date.parse(a.last_replied_at ?? a.updated_at));
const drawList = (list: HTMLElement, rows: Row[]) => {
  const focused = (list.getRootNode() as ShadowRoot).activeElement, at = [...list.children].findIndex((one) => one.contains(focused));
  fill(list, rows.map(lineOf));
  if (at >= 0) list.children[at]?.querySelector('button')?.focus();
};

export const talks = (): View => {
  const list = h('ul', { class: 'rows' });
  const start = h('button', { class: 'main', onclick: () => go('new') }, say('write'));
  return { title: say('recent'), body: h('div', { class: 'scroll' }, list), foot: h('div', { class: 'foot' }, start), update: () => drawList(list, inOrder()) };
};

// What the first screen shows beside: read once for a page, and not shown if the desk does not give it.
let starter: { agents: Row[]; seconds: number } | undefined, popular: Row[] = [], asked = false;
const quietly = async (work: () => Promise<void>) => { try { await work(); } catch (error) { if (!(error instanceof Refused)) asked = false; } };

export const home = (): View => {
  const { name, greeting, logo } = desk.settings, faces = h('div', { class: 'faces' });
  const top = h('div', { class: 'brand' }, logo && h('img', { class: 'logo', src: logo, alt: '', referrerpolicy: 'no-referrer' }), h('bdi', {}, name));
  const recent = h('section', { class: 'card', 'aria-label': say('recent') }), often = h('div');
  const find = results(often);
  const write = h('button', { class: 'card write', onclick: () => go('new') }, h('b', {}, say('write')), h('small', {}), icon('send'));
  const body = h('div', { class: 'scroll home' },
    h('div', { class: 'hero' }, h('div', { class: 'hero-top' }, top, h('button', { class: 'plain close', 'aria-label': say('close'), onclick: close }, icon('close'))),
      h('p', { class: 'hello' }, say('greeting')), h('h2', {}, greeting || say('question')), faces),
    h('div', { class: 'cards' }, recent, write, h('section', { class: 'card', 'aria-label': say('search') }, find.element)));
  if (!asked) {
    asked = true;
    void quietly(async () => {
      const { data } = await get('/conversations/starter?fields=last_active_agents(full_name,avatar),average_reply_time&include=user_minimal');
      starter = { agents: data.last_active_agents, seconds: data.average_reply_time };
      view.update!();
    });
    void quietly(async () => {
      popular = (await get('/articles?filter=PINNED&limit=4&fields=titles&include=locale_field')).data;
      find.popular(popular);
    });
  }
  const list = h('ul', { class: 'rows' }), all = h('button', { class: 'link more', onclick: () => go('talks') }, say('all'));
  fill(recent, h('h3', {}, say('recent')), list, all);
  const view: View = {
    title: '', body, update() {
      const rows = inOrder(), first = rows.filter((one) => unread(one) || !isCompleted(one));
      drawList(list, (first.length ? first : rows).slice(0, RECENT));
      recent.hidden = !rows.length;
      all.hidden = rows.length <= RECENT;
      write.hidden = !desk.settings.is_anonymous_allowed && !desk.visitor;
      const { agents = [], seconds = 0 } = starter ?? {};
      fill(faces, agents.map((one) => face(one, one.full_name)));
      const word = !seconds ? undefined : seconds <= 600 ? 'soon' : seconds <= 3600 ? 'hour' : seconds <= 6 * 3600 ? 'hours' : seconds <= 86_400 ? 'day' : undefined;
      fill(write.children[1]!, word ? say(word) : say('email_why'));
    },
  };
  find.popular(popular);
  return view;
};

export const subjectOf = (id: number | string) => (typeof id === 'number' ? conversation(id)?.subject : undefined) ?? desk.settings.name;
