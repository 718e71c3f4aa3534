// A picture of a post, as large as the window allows. Arrows lead to the other pictures of the post.
import { onMount, Show } from 'solid-js';
import type { Schemas } from '../../kit/api';
import { say } from '../../kit/words';

type File = Schemas['attachment'];

export const Pictures = (props: { files: File[]; file: File; onShow: (file: File) => void; onClose: () => void; address: (file: File) => string }) => {
  let dialog!: HTMLDialogElement;
  const opener = document.activeElement as HTMLElement | null;
  onMount(() => dialog.showModal());
  const at = () => props.files.findIndex(({ id }) => id === props.file.id);
  const step = (by: number) => { const next = props.files[at() + by]; if (next) props.onShow(next); };
  const onKey = (event: KeyboardEvent) => {
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') { event.preventDefault(); step(event.key === forward ? 1 : -1); }
  };
  return (
    <dialog ref={dialog} class="card pictures" aria-label={props.file.name ?? say('picture')} onKeyDown={onKey} onClose={() => { props.onClose(); opener?.focus(); }}>
      <img src={props.address(props.file)} width={props.file.width || undefined} height={props.file.height || undefined} alt={props.file.name ?? ''} />
      <p class="pictures-foot">
        <span class="grow" dir="auto">{props.file.name}</span>
        <Show when={props.files.length > 1}>
          <button type="button" disabled={at() <= 0} onClick={() => step(-1)}>{say('picture_former')}</button>
          <button type="button" disabled={at() >= props.files.length - 1} onClick={() => step(1)}>{say('picture_next')}</button>
        </Show>
        <a class="button" href={props.address(props.file)} target="_blank" rel="noopener">{say('picture_whole')}</a>
        <button type="button" autofocus onClick={() => dialog.close()}>{say('close')}</button>
      </p>
    </dialog>
  );
};
