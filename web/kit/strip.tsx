// The strip at the bottom: says what was done, and takes it back for eight seconds.
import { createSignal, Show } from 'solid-js';
import { useKeys } from './keys';
import { say } from './words';

interface Done { text: string; undo?: () => Promise<void>; wrong?: boolean }
const [done, setDone] = createSignal<Done | undefined>();
export const SHOWN_MS = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** `most`: milliseconds after which it can't be taken back any more. */
export const tell = (text: string, undo?: () => Promise<void>, most = SHOWN_MS) => {
  clearTimeout(timer);
  setDone(undo ? { text, undo } : { text });
  timer = setTimeout(() => setDone(undefined), Math.min(most, SHOWN_MS));
};
export const tellWrong = (text: string) => { tell(text); setDone({ text, wrong: true }); };

const undo = () => {
  const taken = done();
  if (!taken?.undo) return;
  setDone(undefined);
  taken.undo().then(() => tell(say('undone')), (error: Error) => tellWrong(error.message));
};

export const Strip = () => {
  useKeys([{ key: 'z', word: 'key_undo', run: undo }]);
  return (
    <div class="strip" role="status">
      <Show when={done()}>
        {(d) => (
          <p class="strip-text" classList={{ wrong: d().wrong ?? false }}>
            {d().text}
            <Show when={d().undo}><button type="button" onClick={undo}>{say('undo')} <kbd>z</kbd></button></Show>
          </p>
        )}
      </Show>
    </div>
  );
};
