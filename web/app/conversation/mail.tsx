// The HTML of a mail, in a frame of its own. The server cleaned it when it came, and its page has a policy and a sandbox that let no script
// run (src/res/post_document.c). The sandbox keeps the origin, so that this page can read the height of the contents and pass keys on.
import { createEffect, createSignal, onCleanup, Show } from 'solid-js';
import { prefix } from '../../kit/api';
import { onKey } from '../../kit/keys';
import { say } from '../../kit/words';
import { theme } from '../frame/look';

// ---- the choice for a sender: of this browser --------------------------------------------------

const CHOSEN_MOST = 500;
const readChosen = (): number[] => { try { return JSON.parse(localStorage.getItem('pictures') ?? '[]') as number[]; } catch { return []; } };
const [chosen, setChosen] = createSignal(readChosen());
const choose = (senderId: number) => {
  setChosen((former) => [...former.filter((id) => id !== senderId), senderId].slice(-CHOSEN_MOST));
  try { localStorage.setItem('pictures', JSON.stringify(chosen())); } catch { /* full or forbidden: it holds until the page is left */ }
};

// ---- dark or paper -----------------------------------------------------------------------------

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const [systemIsDark, setSystemIsDark] = createSignal(darkSystem.matches);
darkSystem.addEventListener('change', () => setSystemIsDark(darkSystem.matches));
const isDark = () => theme() === 'dark' || (theme() === 'system' && systemIsDark());

/** Contents with grounds of their own were made for paper; the colours of others are left out in the dark. */
const hasGround = (doc: Document) => doc.querySelector('[bgcolor], [style*="background"], mark') !== null;

/** Pictures that the reader can't see are there to be counted: nobody misses them. */
const isSeen = (picture: Element) => ['width', 'height'].every((side) => Number(picture.getAttribute(side) ?? 3) > 2);

export const Mail = (props: { id: number; senderId: number; sender: string; title: string }) => {
  const [asked, setAsked] = createSignal(false), [blocked, setBlocked] = createSignal(false), [failed, setFailed] = createSignal(false), [ready, setReady] = createSignal(false);
  const [doc, setDoc] = createSignal<Document>();
  const remote = () => asked() || chosen().includes(props.senderId);
  const address = () => `${prefix}/api/v1/cases/posts/${props.id}/document${remote() ? '?remote_pictures=true' : ''}`;
  let frame!: HTMLIFrameElement;

  const sizes = new ResizeObserver(() => fit());
  onCleanup(() => sizes.disconnect());
  const fit = () => {
    const page = frame.contentDocument, root = page?.documentElement;
    if (!page?.body || !root) return;
    const bar = root.scrollWidth > root.clientWidth ? 16 : 0; // of a table that is wider than the page
    frame.style.blockSize = `${Math.ceil(page.body.getBoundingClientRect().height) + bar}px`;
  };
  const loaded = () => {
    const page = frame.contentDocument;
    if (!page?.querySelector('body > div')) { setFailed(page === null || frame.contentWindow?.location.href !== 'about:blank'); return; }
    setFailed(false);
    setDoc(page);
    setBlocked([...page.querySelectorAll('img[data-src^="https:"]')].some(isSeen));
    sizes.disconnect();
    sizes.observe(page.body);
    page.addEventListener('keydown', onKey);
    fit();
    setReady(true);
  };
  createEffect(() => {
    const page = doc();
    if (!page) return;
    page.documentElement.dataset['theme'] = !isDark() ? 'light' : hasGround(page) ? 'paper' : 'dark';
    frame.dataset['theme'] = page.documentElement.dataset['theme'];
    fit();
  });

  return (
    <div class="mail">
      <Show when={blocked() && !remote()}>
        <p class="mail-pictures">
          <span>{say('pictures_blocked')}</span>
          <button type="button" onClick={() => setAsked(true)}>{say('pictures_show')}</button>
          <button type="button" onClick={() => choose(props.senderId)}><span dir="auto">{say('pictures_always', { name: props.sender })}</span></button>
        </p>
      </Show>
      <Show when={failed()}><p class="wrong" role="alert">{say('mail_failed')} <button type="button" onClick={() => frame.contentWindow?.location.replace(address())}>{say('retry')}</button></p></Show>
      <iframe ref={frame} sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" title={props.title} src={address()} onLoad={loaded} classList={{ ready: ready() }} hidden={failed()} />
    </div>
  );
};
