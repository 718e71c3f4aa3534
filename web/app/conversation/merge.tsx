// Merges two conversations: finds the other one, says what will happen, and asks, because it can't be taken back.
import { createSignal, For, onMount, Show } from 'solid-js';
import { call, get } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { keyText } from '../../kit/keys';
import { StatusMark } from '../../kit/marks';
import { createRead } from '../../kit/read';
import { keepReply, rowOf } from '../../kit/store';
import { tell } from '../../kit/strip';
import { say as sayOfAll, shortTime } from '../../kit/words';
import type { Conversation, RefTo } from './data';
import { say } from './merge_words';

const MEMBERS = 'subject,requester,status,updated_at,post_count,is_merged';
const FIELDS = { fields: MEMBERS, include: 'user_minimal,case_status', _flat: true };
const RESULTS = { resources: 'CASES', fields: `data(${MEMBERS})`, include: 'case,user_minimal,case_status', _flat: true };
interface Other { id: number; is_merged: boolean; subject: string | null; requester: RefTo; status: RefTo; updated_at: string; post_count: number }

export const Merge = (props: { conversation: Conversation; onClose: () => void; onMerged: (survivor: number) => void }) => {
  const c = props.conversation;
  const [otherId, setOtherId] = createSignal<number>(), [intoOther, setIntoOther] = createSignal(false), [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  const row = (id: number | undefined) => rowOf('case', id) as unknown as Other | undefined;
  const person = (ref: RefTo) => rowOf('user', ref)?.full_name ?? '';
  const requester = () => c.row()?.requester as RefTo;
  const usable = (ids: number[]) => ids.filter((id) => id !== c.id && row(id) && !row(id)!.is_merged);
  const [near] = createRead(() => requester()?.id, async (id) => {
    return usable(keepReply(await get(`/users/${id}/cases`, { ...FIELDS, limit: 6 }))).slice(0, 5);
  });
  /** By words, or by the number of the conversation. */
  const find = async (text: string): Promise<Option[]> => {
    const number = /^#?(\d+)$/.exec(text)?.[1];
    const found = keepReply(number ? await get('/cases', { ...FIELDS, ids: number }) : await get('/search', { ...RESULTS, query: text, limit: 8 }));
    return usable(found).map((id) => ({ id, label: subject(id), more: `#${id} · ${person(row(id)!.requester)}` }));
  };
  const differ = () => row(otherId())?.requester?.id !== requester()?.id;
  const survivor = () => intoOther() ? otherId()! : c.id;
  const subject = (id: number | undefined) => row(id)?.subject || sayOfAll('no_subject');
  const merge = async () => {
    setBusy(true);
    setWrong(undefined);
    try {
      const gone = intoOther() ? c.id : otherId()!;
      await call('POST', `/cases/${survivor()}/merge`, { body: { case_ids: [gone], force: differ() } });
      tell(say('merged'));
      dialog.close();
      props.onMerged(survivor());
    } catch (error) { setWrong(sayOfAll('not_changed', { reason: (error as Error).message })); } finally { setBusy(false); }
  };

  return (
    <dialog ref={dialog} class="card merge" aria-labelledby="merge-title" onClose={props.onClose}
      onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && otherId() && !busy()) { event.preventDefault(); void merge(); } }}>
      <h2 id="merge-title">{say('merge_title')}</h2>
      <Combobox label={say('merge_find')} placeholder={say('merge_find_hint')} find={find} onChoose={(o) => { setOtherId(Number(o.id)); setWrong(undefined); }} />
      <Show when={!otherId() && near()?.length}>
        <h3>{say('merge_near', { name: person(requester()) })}</h3>
        <ul class="others">
          <For each={near()}>{(id) => <li><button type="button" class="link" onClick={() => setOtherId(id)}><span dir="auto">{subject(id)}</span></button> <span class="soft">#{id}</span> <StatusMark id={row(id)?.status?.id} /></li>}</For>
        </ul>
      </Show>
      <Show when={otherId()}>
        <fieldset class="merge-ways">
          <legend>{say('merge_stays')}</legend>
          <For each={[false, true]}>
            {(way) => {
              const id = () => way ? otherId()! : c.id;
              return (
                <label><input type="radio" name="survivor" checked={intoOther() === way} onChange={() => setIntoOther(way)} />
                  <span><b dir="auto">{subject(id())}</b> <span class="soft">#{id()} · <span dir="auto">{person(row(id())?.requester)}</span> · {say('posts_number', { n: row(id())?.post_count ?? 0 })} · {shortTime(row(id())?.updated_at ?? new Date().toISOString())}</span></span>
                </label>
              );
            }}
          </For>
        </fieldset>
        <ul class="merge-what">
          <li>{say('merge_posts', { subject: subject(intoOther() ? c.id : otherId()) })}</li>
          <li>{say('merge_closes')}</li>
          <Show when={differ()}><li class="warning">{say('merge_differs', { name: person(row(intoOther() ? c.id : otherId())?.requester) })}</li></Show>
          <li>{say('merge_for_ever')}</li>
        </ul>
      </Show>
      <Show when={wrong()}><p class="wrong" role="alert">{wrong()}</p></Show>
      <p class="dialog-foot">
        <button type="button" class="main" title={keyText('Ctrl+Enter')} disabled={!otherId() || busy()} onClick={() => void merge()}>{say('merge_do')}</button>
        <button type="button" onClick={() => dialog.close()}>{sayOfAll('cancel')}</button>
      </p>
    </dialog>
  );
};
