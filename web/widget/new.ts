// The form of a new conversation.
import { desk, post } from './desk';
import { fill, h, icon } from './dom';
import { limits, picker, takeDropped } from './files';
import { go, type View } from './frame';
import { keep, kept, uuid } from './store';
import { say, type Word } from './words';

const DRAFT = 'new', NAME_LONGEST = 255, ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
export const pageUrl = () => location.origin + location.pathname; // the rest may hold secrets of the site

/** The height of the text, between one line and the largest that the style allows. */
export const grow = (field: HTMLTextAreaElement) => {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
};
export const draft = (key: string, text: string) => keep((k) => { if (text) k.drafts[key] = text; else delete k.drafts[key]; }, true);

export const fresh = (about?: number): View => {
  const known = kept();
  const field = (word: Word, type: string, value: string, complete: string) => {
    const wrong = h('p', { class: 'wrong', id: `w-${word}`, role: 'alert' });
    const input = h('input', { id: `f-${word}`, name: word, type, maxlength: NAME_LONGEST, autocomplete: complete, 'aria-describedby': `w-${word}`, 'aria-required': 'true' });
    input.value = value;
    return { input, wrong, element: h('div', { class: 'field' }, h('label', { for: `f-${word}` }, say(word)), input, wrong) };
  };
  const name = field('name', 'text', known.name ?? '', 'name'), email = field('email', 'email', known.email ?? '', 'email');
  const wrong = h('p', { class: 'wrong', id: 'w-message', role: 'alert' });
  const text = h('textarea', { id: 'f-message', rows: '5', 'aria-describedby': 'w-message', 'aria-required': 'true', oninput: () => { draft(DRAFT, text.value); grow(text); } });
  text.value = known.drafts[DRAFT] ?? '';
  const files = picker(() => undefined);
  takeDropped(text, files.add);

  const check = (what: { input: HTMLElement; wrong: HTMLElement }, word: Word, holds: boolean) => {
    fill(what.wrong, holds ? '' : say(word));
    what.input.setAttribute('aria-invalid', String(!holds));
    return holds ? undefined : what.input;
  };
  const send = (event: Event) => {
    event.preventDefault();
    const sent = files.sent(), all = files.count();
    const first = [
      !desk.visitor && check(name, 'needed', !!name.input.value.trim()), !desk.visitor && check(email, 'need_email', ADDRESS.test(email.input.value.trim())),
      check({ input: text, wrong }, all && !sent ? 'sending' : 'needed', (!!text.value.trim() || all > 0) && !!sent),
    ].find((one) => one);
    if (first) { (first as HTMLElement).focus(); return; }
    const id = uuid(), who = { name: name.input.value.trim(), email: email.input.value.trim() };
    keep((k) => { if (!desk.visitor) Object.assign(k, who); delete k.drafts[DRAFT]; }, true);
    post({ id, to: '', text: text.value.trim(), files: sent!, at: new Date().toISOString(), page: pageUrl(), ...(desk.visitor ? {} : who), ...(about ? { article: about } : {}) });
    go('talk', id, true);
  };
  const form = h('form', { class: 'scroll form', novalidate: true, onsubmit: send },
    desk.visitor ? '' : [name.element, email.element, h('p', { class: 'hint' }, say('email_why'))],
    h('div', { class: 'field' }, h('label', { for: 'f-message' }, say('message')), text, wrong),
    files.list, files.wrong,
    h('div', { class: 'actions' }, files.button, h('small', { class: 'hint' }, limits()), h('button', { type: 'submit', class: 'main' }, say('send'), icon('send'))));
  return { title: say('write'), body: form, focus: desk.visitor || known.name ? text : name.input, update: () => grow(text) };
};
