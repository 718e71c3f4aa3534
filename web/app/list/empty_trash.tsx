// Empties the trash for good, after a question that states the number. A job of the server deletes the conversations.
import { createSignal, createUniqueId, onCleanup, Show } from 'solid-js';
import { call, get, rowsOf } from '../../kit/api';
import { tell } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { say } from './trash_words';

const POLL_MS = 500, POLLS_MOST = 60;

export const EmptyTrash = (props: { view: number; onEmptied: () => void }) => {
  const id = createUniqueId(), [count, setCount] = createSignal<number>(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  let dialog!: HTMLDialogElement, gone = false;
  onCleanup(() => { gone = true; });
  const read = async () => (await get(`/views/${props.view}/cases`, { limit: 1, fields: 'subject' })).total_count ?? 0;
  /** The list is read again when the job has begun to delete. */
  const follow = async (before: number) => {
    for (let i = 0; i < POLLS_MOST && !gone && await read() >= before; i++) await new Promise((done) => setTimeout(done, POLL_MS));
    if (!gone) props.onEmptied();
  };
  /** The number may have grown since the list was read. */
  const ask = async () => {
    setWrong('');
    setCount(undefined);
    dialog.showModal();
    try { setCount(await read()); } catch (error) { setWrong((error as Error).message); }
  };
  const empty = async () => {
    if (busy()) return;
    setBusy(true);
    setWrong('');
    try {
      const job = rowsOf(await call('DELETE', '/cases/trash'))[0];
      dialog.close();
      tell(say('begun', { n: Number(job?.['total'] ?? 0) }));
      void follow(count()!).catch(() => undefined);
    } catch (error) { setWrong((error as Error).message); } finally { setBusy(false); }
  };
  return (
    <div class="pad">
      <button type="button" class="danger" onClick={() => void ask()}>{say('empty')}</button>
      <dialog ref={dialog} class="card" aria-labelledby={id}>
        <h2 id={id}><Show when={count() !== undefined} fallback={say('empty')}>{say('question', { n: count()! })}</Show></h2>
        <p>{say('why')}</p>
        <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
        <form method="dialog" class="dialog-foot">
          <button type="submit">{sayCommon('cancel')}</button>{' '}
          <button type="button" class="danger" disabled={busy() || !count()} onClick={() => void empty()}>{say('empty')}</button>
        </form>
      </dialog>
    </div>
  );
};
