// A conversation, as a chat: messages with their authors and files, those that wait to be sent, the reply, and the rating.
import { Refused, call, get, type Row } from './api';
import { begun, conversation, desk, drop, isCompleted, post, readConversations, retry, stirred, unread, waitingFor } from './desk';
import { fill, h, icon } from './dom';
import { attached, picker, takeDropped } from './files';
import { go, renamePlace, type View } from './frame';
import { shown } from './help';
import { subjectOf, timeOf } from './home';
import { nodesOf } from './html';
import { draft, grow, pageUrl } from './new';
import { face } from './people';
import { kept, uuid, type Sent, type Waiting } from './store';
import { say, sizeText } from './words';

const PAGE = 20, GROUP_MS = 5 * 60_000, NEAR = 80;
const MEMBERS = 'client_id,content_text,content_html,creator(full_name,avatar),attachments(name,size,url_download,thumbnails),created_at&include=user,attachment';

export const talk = (of: number | string): View => {
  let id = typeof of === 'number' ? of : begun.get(of), messages: Row[] = [], more = false, ended = false, seen = 0, failed = false, rating: Row | undefined | null = null;
  const made = new Map<string, { node: HTMLElement; text: string }>();
  const list = h('div', { class: 'log', role: 'log' }), state = h('div', { class: 'state' });
  const earlier = h('button', { class: 'link more', hidden: true, onclick: () => void read(messages.length) }, say('earlier'));
  const body = h('div', { class: 'scroll chat', tabindex: '0' }, earlier, list, state);

  // ---- messages ----------------------------------------------------------------------------------

  /** Reads the newest messages, or an earlier page. */
  const read = async (offset = 0) => {
    if (id === undefined) return;
    try {
      const { data, total_count = 0 } = await get(`/conversations/${id}/messages?limit=${PAGE}&offset=${offset}&fields=${MEMBERS}`, 'known');
      if (ended) return;
      const known = new Map([...messages, ...(data as Row[])].map((one) => [one.id, one]));
      messages = [...known.values()].sort((a, b) => a.id - b.id);
      more = messages.length < total_count;
      failed = false;
      const height = body.scrollHeight;
      draw();
      if (offset) body.scrollTop += body.scrollHeight - height;
      else mark();
    } catch (error) {
      failed = !messages.length && error instanceof Refused;
      draw();
    }
  };
  /** Tells the desk what the visitor has seen. */
  const mark = () => {
    const last = messages.at(-1), one = conversation(id!);
    if (!last || last.id === seen || document.hidden || (one && !unread(one))) return;
    seen = last.id;
    call('PUT', `/conversations/${id}/messages/${last.id}`, { who: 'known', body: { message_status: 'SEEN' } }).then(readConversations, () => { seen = 0; });
  };

  const isOwn = (message: Row) => message.creator?.id === conversation(id!)?.requester?.id;
  const bubble = (key: string, text: string, build: () => HTMLElement) => {
    const before = made.get(key);
    if (before?.text === text) return before.node;
    const node = build();
    made.set(key, { node, text });
    return node;
  };
  const line = (message: Row, at: number) => {
    const own = isOwn(message), before = messages[at - 1], after = messages[at + 1], name = own ? say('you') : message.creator?.full_name ?? desk.settings.name;
    const begins = !before || before.creator?.id !== message.creator?.id, ends = !after || after.creator?.id !== message.creator?.id || Date.parse(after.created_at) - Date.parse(message.created_at) > GROUP_MS;
    return bubble(`m${message.id}`, `${begins} ${ends} ${own}`, () => h('div', { class: `${own ? 'own' : 'other'}${begins ? ' begins' : ''}` },
      !own && begins && face(message.creator, name),
      h('span', { class: begins && !own ? 'who' : 'unseen' }, name),
      (message.content_html || message.content_text) && h('div', { class: message.content_html ? 'bubble text' : 'bubble plain-text', dir: 'auto' }, message.content_html ? nodesOf(message.content_html, shown()) : message.content_text),
      message.attachments?.length > 0 && h('div', { class: 'tiles' }, message.attachments.map(attached)),
      ends && h('small', { class: 'when' }, timeOf(message.created_at))));
  };
  const waits = (one: Waiting) => bubble(`w${one.id}`, `${one.refused} ${desk.isOffline}`, () => h('div', { class: one.refused ? 'own begins failed' : 'own begins waits' },
    h('span', { class: 'unseen' }, say('you')), one.text && h('div', { class: 'bubble plain-text', dir: 'auto' }, one.text),
    one.files.length > 0 && h('div', { class: 'tiles' }, one.files.map((file: Sent) => h('span', { class: 'tile' }, icon('file'), h('span', { class: 'tile-name' }, h('b', { dir: 'auto' }, file.name), h('small', {}, sizeText(file.size)))))),
    h('small', { class: 'when' }, one.refused ? [say('not_sent'), one.refused.length > 1 ? ` ${one.refused} ` : ' ', h('button', { class: 'link', onclick: () => retry(one.id) }, say('again')), ' ',
      h('button', { class: 'link', onclick: () => drop(one.id) }, say('drop'))] : say(desk.isOffline ? 'waiting' : 'sending'))));

  const draw = () => {
    const isLow = body.scrollHeight - body.scrollTop - body.clientHeight < NEAR, sent = new Set(messages.map((one) => one.client_id));
    const wanted = [...messages.map(line), ...(id ? waitingFor(id) : []).concat(typeof of === 'string' ? waitingFor(of) : []).filter((one, at, all) => !sent.has(one.id) && all.indexOf(one) === at).map(waits)];
    let at = list.firstChild;
    for (const node of wanted) if (node === at) at = at.nextSibling; else list.insertBefore(node, at); // a reader of the screen is told of new ones only
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
    earlier.hidden = !more;
    drawState();
    if (isLow) body.scrollTop = body.scrollHeight;
  };

  // ---- the end: rating, closed -------------------------------------------------------------------

  const rate = (score: string) => {
    const why = h('textarea', { rows: '2', 'aria-label': say('why'), placeholder: say('why') });
    const store = (comment?: string) => call(rating ? 'PUT' : 'POST', `/conversations/${id}/ratings${rating ? `/${rating.id}` : ''}`, { who: 'known', body: { score, comment: comment ?? rating?.comment ?? null } })
      .then(({ data }) => { rating = data; });
    const done = h('form', { class: 'why', onsubmit: (event: Event) => { event.preventDefault(); void store(why.value.trim()).then(() => { fill(done); fill(said, say('thanks')); }, () => fill(said, say('failed'))); } },
      why, h('button', { type: 'submit', class: 'main' }, say('send')));
    const said = h('p', { role: 'status' });
    store().then(() => { drawState(true); state.append(done, said); why.focus(); }, () => { state.append(h('p', { class: 'wrong', role: 'alert' }, say('failed'))); });
  };
  let drawn = '';
  const drawState = (anew = false) => {
    const one = id === undefined ? undefined : conversation(id), done = !!one && isCompleted(one), key = `${failed} ${done} ${one?.is_closed} ${rating === null} ${rating?.score} ${one?.last_agent_replier?.id}`;
    if (done && rating === null) {
      rating = undefined;
      get(`/conversations/${id}/ratings`, 'known').then(({ data }) => { rating = data.at(-1); drawState(true); }, () => undefined);
    }
    if (key === drawn && !anew) return;
    drawn = key;
    foot.hidden = !!one?.is_closed;
    fill(state, failed && [h('p', { role: 'alert' }, say('failed')), h('button', { class: 'link', onclick: () => void read() }, say('again'))],
      done && h('p', { class: 'hint' }, say(one.is_closed ? 'closed' : 'completed')),
      done && one.last_agent_replier && h('div', { class: 'rate', role: 'group', 'aria-label': say('rate') }, h('b', {}, say('rate')),
        ['GOOD', 'BAD'].map((score) => h('button', { class: 'choice', 'aria-pressed': String(rating?.score === score), onclick: () => rate(score) }, icon(score === 'GOOD' ? 'good' : 'bad'), say(score === 'GOOD' ? 'good' : 'bad')))),
      one?.is_closed && h('button', { class: 'main', onclick: () => go('new', undefined, true) }, say('write')));
  };

  // ---- the reply ---------------------------------------------------------------------------------

  const key = () => `talk ${id ?? of}`;
  const files = picker(() => enable());
  const text = h('textarea', {
    rows: '1', 'aria-label': say('reply'), placeholder: say('reply'), enterkeyhint: 'send',
    oninput: () => { draft(key(), text.value); grow(text); enable(); },
    onkeydown: (event: KeyboardEvent) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) event.preventDefault(), send(); },
  });
  text.value = kept().drafts[key()] ?? '';
  takeDropped(body, files.add);
  const button = h('button', { type: 'submit', class: 'round', 'aria-label': say('send') }, icon('send'));
  const enable = () => { button.disabled = !files.sent() || (!text.value.trim() && !files.count()); };
  const send = () => {
    const sent = files.sent();
    if (!sent || (!text.value.trim() && !sent.length)) return;
    draft(key(), '');
    post({ id: uuid(), to: id ?? of, text: text.value.trim(), files: sent, at: new Date().toISOString(), page: pageUrl() });
    text.value = '';
    files.clear();
    grow(text);
    enable();
    text.focus();
    body.scrollTop = body.scrollHeight;
  };
  const foot = h('form', { class: 'foot reply', onsubmit: (event: Event) => { event.preventDefault(); send(); } }, files.list, files.wrong, h('div', { class: 'line' }, files.button, text, button));
  enable();

  const title = h('span', { dir: 'auto' }, subjectOf(id ?? of));
  const stir = () => { void read(); };
  stirred.add(stir);
  const resumed = () => { if (id) mark(); };
  document.addEventListener('visibilitychange', resumed);
  void read();
  return {
    title, body, foot, focus: text,
    update() {
      const now = typeof of === 'string' && id === undefined ? begun.get(of) : undefined;
      if (now) {
        id = now;
        renamePlace('talk', String(of), now);
        void read();
      }
      const subject = subjectOf(id ?? of);
      if (title.textContent !== subject) title.textContent = subject;
      grow(text);
      draw();
      mark(); // the number of unread messages may come after them
    },
    close() { ended = true; stirred.delete(stir); document.removeEventListener('visibilitychange', resumed); },
  };
};
