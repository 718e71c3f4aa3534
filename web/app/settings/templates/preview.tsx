// How the e-mail or page looks: the server fills the text with sample values, and a frame shows it.
//
// The frame opens the page of the saved template (GET .../document), whose own policy and sandbox let no script run. A text that is not saved
// replaces the contents of that page. The policy of this page, which takes no text as HTML, does not hold in the frame.
import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { call, prefix, Refused, rowsOf } from '../../../kit/api';
import { onKey } from '../../../kit/keys';
import { say, type SettingsWord } from '../words';

const PAUSE_MS = 400;

/** Asks the server for each text, when nothing was typed for a moment. `wrong` is what it has against the text. */
export const createPreview = (path: string, text: () => string) => {
  const [html, setHtml] = createSignal(''), [wrong, setWrong] = createSignal(''), [failed, setFailed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined, turn = 0;
  const ask = async () => {
    const mine = ++turn;
    try {
      const reply = await call('POST', `${path}/preview`, { body: { contents: text() }, own: true });
      if (mine !== turn) return;
      setHtml(String(rowsOf(reply)[0]?.['html'] ?? ''));
      setWrong('');
      setFailed(false);
    } catch (error) {
      if (mine !== turn) return;
      if (error instanceof Refused && error.reply.status === 400) setWrong(error.message); else setFailed(true);
    }
  };
  createEffect(on(text, (_, former) => { clearTimeout(timer); turn++; if (text()) timer = setTimeout(() => void ask(), former ? PAUSE_MS : 0); }));
  onCleanup(() => { clearTimeout(timer); turn++; });
  return { html, wrong, failed, ask };
};

export const Preview = (props: { path: string; title: SettingsWord; of: ReturnType<typeof createPreview> }) => {
  const [page, setPage] = createSignal<Document>(), [title, setTitle] = createSignal('');
  let frame!: HTMLIFrameElement;
  const loaded = () => {
    const doc = frame.contentDocument;
    if (!doc?.location.pathname.endsWith('/document')) return;
    doc.addEventListener('click', (event) => event.preventDefault());
    doc.addEventListener('keydown', onKey);
    setPage(doc);
  };
  createEffect(() => {
    const doc = page(), html = props.of.html();
    if (!doc || !html) return;
    doc.documentElement.innerHTML = html;
    setTitle(doc.title);
  });
  return (
    <section class="template-preview" aria-label={say('template_preview')}>
      <p><b>{say('template_preview')}</b> <span class="soft">{say(props.of.wrong() ? 'template_preview_old' : 'template_preview_why')}</span></p>
      <Show when={props.of.failed()}><p class="wrong" role="alert">{say('template_preview_failed')} <button type="button" onClick={() => void props.of.ask()}>{say('try_again')}</button></p></Show>
      <p class="template-subject"><span class="soft">{say(props.title)}</span> <span dir="auto">{title()}</span></p>
      <iframe ref={frame} sandbox="allow-same-origin" referrerpolicy="no-referrer" title={say('template_preview')} src={`${prefix}/api/v1${props.path}/document`} onLoad={loaded} />
    </section>
  );
};
