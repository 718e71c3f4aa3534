// Files of a reply or note: chosen, pasted or dropped. Each is uploaded at once, and attached by its id when the text is sent.
import { createSignal, For, Show } from 'solid-js';
import { call, rowsOf } from '../../kit/api';
import { say } from '../../kit/words';

interface Attached { name: string; id?: number; wrong?: string }

export const createFiles = () => {
  const [files, setFiles] = createSignal<Attached[]>([]);
  const set = (one: Attached, now: Partial<Attached>) => setFiles((all) => all.map((f) => f === one || f.name === one.name && f.id === undefined && !f.wrong ? { ...f, ...now } : f));
  const add = async (chosen: Iterable<File>) => {
    for (const file of chosen) {
      const one: Attached = { name: file.name || say('picture') };
      setFiles((all) => [...all, one]);
      const form = new FormData();
      form.append('file', file, one.name);
      try {
        set(one, { id: rowsOf(await call('POST', '/files', { body: form }))[0]!.id });
      } catch (error) {
        set(one, { wrong: (error as Error).message });
      }
    }
  };
  return {
    files, add,
    remove: (index: number) => setFiles((all) => all.filter((_, i) => i !== index)),
    clear: () => setFiles([]),
    ids: () => files().map(({ id }) => id).filter((id) => id !== undefined),
    busy: () => files().some(({ id, wrong }) => id === undefined && !wrong),
  };
};
export type Files = ReturnType<typeof createFiles>;

export const FileList = (props: { files: Files }) => (
  <Show when={props.files.files().length}>
    <ul class="files" aria-label={say('files')}>
      <For each={props.files.files()}>
        {(file, i) => (
          <li classList={{ wrong: !!file.wrong }}>
            <span dir="auto">{file.name}</span> <Show when={file.wrong ?? (file.id === undefined ? say('uploading') : '')}>{(text) => <span class="soft">{text()}</span>}</Show>
            <button type="button" class="link" aria-label={say('remove_file', { name: file.name })} onClick={() => props.files.remove(i())}>×</button>
          </li>
        )}
      </For>
    </ul>
  </Show>
);
