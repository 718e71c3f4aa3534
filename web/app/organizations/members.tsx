// The people of an organization: found and added, removed, each with an undo.
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import { call, get, rowsOf, type Ref } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { say } from '../people/words';

const PAGE = 50, FOUND_MOST = 8;
/** What a removal of a person from an organization takes away. */
interface Membership { organization_id: number | null; organization_case_access?: string }
const nameOf = (person: number) => rowOf('user', person)?.full_name ?? '';

export const Members = (props: { organization: number; name: string; mayEdit: boolean }) => {
  const [people, setPeople] = createSignal<number[]>(), [count, setCount] = createSignal(0), [typed, setTyped] = createSignal('');
  let stop = new AbortController(), input: HTMLInputElement | undefined;
  const read = async (more = false) => {
    const offset = more ? people()?.length ?? 0 : 0;
    const reply = await get(`/organizations/${props.organization}/members`, { fields: 'full_name,organization,organization_case_access', limit: PAGE, ...(offset ? { offset } : {}) }, stop.signal);
    const found = keepReply(reply);
    setPeople((all) => more ? [...new Set([...all ?? [], ...found])] : found);
    setCount(reply.total_count ?? found.length);
  };
  createEffect(on(() => props.organization, () => {
    const mine = stop = new AbortController();
    onCleanup(() => mine.abort());
    setPeople(undefined);
    setCount(0);
    void read().catch(() => undefined);
  }));

  const membership = (person: number): Membership => {
    const row = rowOf('user', person), access = row?.organization_case_access;
    return { organization_id: (row?.organization as Ref | null)?.id ?? null, ...(access ? { organization_case_access: access } : {}) };
  };
  const put = async (person: number, body: Membership) => { keepReply(await call('PUT', `/users/${person}`, { body, query: { fields: 'full_name,organization,organization_case_access' } })); };
  /** Shows the list as it will be, and the former one again if the server refuses. */
  const move = async (person: number, body: Membership, next: number[], text: string) => {
    const former = people() ?? [], formerCount = count(), before = membership(person), organization = props.organization;
    setPeople(next);
    setCount(formerCount + next.length - former.length);
    try {
      await put(person, body);
      tell(text, async () => { await put(person, before); if (props.organization === organization) await read(); });
    } catch (error) {
      setPeople(former);
      setCount(formerCount);
      tellWrong(sayCommon('not_changed', { reason: (error as Error).message }));
    }
  };
  const find = async (text: string): Promise<Option[]> => {
    const reply = await get('/autocomplete/users', { name: text, limit: FOUND_MOST, fields: 'full_name,organization,organization_case_access', include: 'organization', _flat: true });
    keepReply(reply);
    return rowsOf(reply).filter(({ id }) => !people()?.includes(id)).map(({ id }) => ({ id, label: nameOf(id), more: rowOf('organization', rowOf('user', id)?.organization as Ref | null)?.name ?? '' }));
  };
  const add = (person: number) => {
    setTyped(' ');
    setTyped('');
    void move(person, { organization_id: props.organization }, [person, ...people() ?? []], say('member_added', { name: nameOf(person), organization: props.name }));
  };
  const drop = (person: number) => {
    input?.focus();
    void move(person, { organization_id: null }, (people() ?? []).filter((one) => one !== person), say('member_removed', { name: nameOf(person), organization: props.name }));
  };
  return (
    <section class="notes members-part" aria-labelledby="members-title">
      <h2 id="members-title">{say('people_count', { n: count() })}</h2>
      <Show when={people()?.length === 0}><p class="soft">{say(props.mayEdit ? 'members_none_add' : 'members_none')}</p></Show>
      <ul class="members">
        <For each={people()}>
          {(person) => (
            <li>
              <a href={href(`/people/${person}`)} dir="auto">{nameOf(person)}</a><span class="grow" />
              <Show when={props.mayEdit}><button type="button" aria-label={say('member_remove', { name: nameOf(person) })} onClick={() => drop(person)}>×</button></Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={people() && people()!.length < count()}><p><button type="button" onClick={() => void read(true).catch((error: Error) => tellWrong(error.message))}>{sayCommon('show_more')}</button></p></Show>
      <Show when={props.mayEdit}><Combobox label={say('member_add')} placeholder={say('member_add')} value={typed()} find={find} onChoose={({ id }) => add(Number(id))} ref={(element) => { input = element; }} /></Show>
    </section>
  );
};
