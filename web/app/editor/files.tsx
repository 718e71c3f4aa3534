// Files of a text: chosen, pasted or dropped. Each is uploaded at once, and attached by its id when the text is sent. Pictures stand in the
// text, others in a list below it.
import { createSignal, For, onCleanup, Show } from 'solid-js';
import { call, get, rowsOf } from '../../kit/api';
import { say } from '../../kit/words';

interface Attached { key: number; name: string; id?: number; wrong?: string; /** a picture that stands in the text */ inText?: boolean }

const PICTURE = /^image\/(png|jpeg|gif|webp)$/;
/** A text that can show a picture. */
export interface Shows { picture: (url: string, name: string) => void; ready: (url: string, file?: number) => void }

export const createFiles = (changed: () => void) => {
  const [files, setFiles] = createSignal<Attached[]>([]);
  let keys = 0, uploads: Promise<unknown> = Promise.resolve();
  const set = (key: number, now: Partial<Attached>) => setFiles((all) => all.map((f) => f.key === key ? { ...f, ...now } : f));
  const urls: string[] = [];
  onCleanup(() => urls.forEach((url) => URL.revokeObjectURL(url)));

  const upload = async (file: File, shows: Shows | undefined) => {
    const isShown = shows && PICTURE.test(file.type), name = file.name || say('picture'), key = ++keys;
    const url = isShown ? URL.createObjectURL(file) : undefined;
    if (url) urls.push(url);
    setFiles((all) => [...all, { key, name, inText: !!url }]);
    if (url) shows!.picture(url, name);
    const form = new FormData();
    form.append('file', file, name);
    try {
      const id = rowsOf(await call('POST', '/files', { body: form }))[0]!.id;
      set(key, { id });
      if (url) shows!.ready(url, id);
      changed();
    } catch (error) {
      set(key, { inText: false, wrong: (error as Error).message });
      if (url) shows!.ready(url);
    }
  };
  /** The files of a draft that another page has begun: their names are at the server. Other files go. */
  const find = async (ids: number[], isShown: (id: number) => boolean) => {
    setFiles((all) => all.filter(({ id, wrong }) => id === undefined ? !wrong : ids.includes(id)));
    const known = new Set(files().map(({ id }) => id));
    await Promise.all(ids.filter((id) => !known.has(id)).map(async (id) => {
      try {
        const name = String(rowsOf(await get(`/files/${id}`, { fields: 'name' }))[0]?.['name'] ?? '');
        setFiles((all) => all.some((f) => f.id === id) ? all : [...all, { key: ++keys, id, name, inText: isShown(id) }]);
      } catch { /* it has expired */ }
    }));
  };
  return {
    files, find,
    /** `shows`: the text that shows pictures; undefined: they become files like others. */
    add: (chosen: Iterable<File>, shows?: Shows) => { uploads = Promise.all([uploads, ...[...chosen].map((file) => upload(file, shows))]); },
    remove: (key: number) => { setFiles((all) => all.filter((f) => f.key !== key)); changed(); },
    restore: (kept: { id: number; name: string }[], isShown: (id: number) => boolean) => { setFiles(kept.map(({ id, name }) => ({ key: ++keys, id, name, inText: isShown(id) }))); },
    /** Those of the list, and those that the text shows. */
    ids: (isShown: (id: number) => boolean) => files().filter((f) => f.id !== undefined && (!f.inText || isShown(f.id))).map(({ id }) => id!),
    named: (ids: number[]) => files().filter((f) => f.id !== undefined && ids.includes(f.id)).map(({ id, name }) => ({ id: id!, name })),
    /** All that are being uploaded have come, or have failed. */
    settled: () => uploads,
    busy: () => files().some(({ id, wrong }) => id === undefined && !wrong),
  };
};
export type Files = ReturnType<typeof createFiles>;

export const FileList = (props: { files: Files }) => {
  const listed = () => props.files.files().filter((f) => !f.inText);
  return (
    <Show when={listed().length}>
      <ul class="files" aria-label={say('files')}>
        <For each={listed()}>
          {(file) => (
            <li classList={{ wrong: !!file.wrong }}>
              <span dir="auto">{file.name}</span> <Show when={file.wrong ?? (file.id === undefined ? say('uploading') : '')}>{(text) => <span class="soft">{text()}</span>}</Show>
              <button type="button" class="link" aria-label={say('remove_file', { name: file.name })} onClick={() => props.files.remove(file.key)}>×</button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
};
