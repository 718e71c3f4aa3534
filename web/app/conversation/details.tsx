// The properties of a conversation, and the person who asks.
import { createMemo, createResource, createSignal, For, Show, Suspense, type JSX, type Resource } from 'solid-js';
import { get } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { createRead } from '../../kit/read';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { StatusMark } from '../../kit/marks';
import { say, type Word } from '../../kit/words';
import { priorities, readStaff, statuses, teams, types } from '../frame/catalog';
import { detailsOpen, setDetailsOpen } from '../frame/drawers';
import { me } from '../session/session';
import { fieldValues, type Conversation, type RefTo } from './data';
import { Tags } from './tags';

/** What a resource has by now. Reading it in another way would hide all properties until it has come. */
const now = <T,>(resource: Resource<T>): T | undefined => resource.state === 'ready' || resource.state === 'refreshing' ? resource.latest : undefined;

const Service = lazy(async () => ({ default: (await import('./service')).Service }));
const Fields = lazy(async () => ({ default: (await import('./fields')).Fields }));
const Visitor = lazy(async () => (await import('./visitor')).loadVisitor());
const Pinned = lazy(async () => ({ default: (await import('../people/pinned')).Pinned }));

const Choice = (props: { word: Word; value: number | undefined; options: { id: number; label: string }[]; none?: boolean; wrong?: string | undefined; onChoose: (id: number | null) => void; ref?: (e: HTMLSelectElement) => void }): JSX.Element => (
  <label class="choice">
    <span>{say(props.word)}</span>
    <select ref={(element) => props.ref?.(element)} onChange={(event) => props.onChoose(event.currentTarget.value ? Number(event.currentTarget.value) : null)}>
      <Show when={props.none || props.value === undefined}><option value="" selected={props.value === undefined}>{say(props.word === 'agent' ? 'nobody' : 'none')}</option></Show>
      <For each={props.options}>{(o) => <option value={o.id} selected={o.id === props.value}>{o.label}</option>}</For>
    </select>
    <Show when={props.wrong}><span class="wrong" role="alert">{props.wrong}</span></Show>
  </label>
);

/** The property that a key or the header asks for. */
export type Property = 'status' | 'agent' | 'tags' | 'priority';

const Others = (props: { title: Word; ids: number[] | undefined }) => (
  <Show when={props.ids?.length}>
    <h4>{say(props.title)}</h4>
    <ul class="others">
      <For each={props.ids}>{(id) => <Show when={rowOf('case', id)}>{(r) => <li><a href={href(`/cases/${id}`)} dir="auto">{r().subject || say('no_subject')}</a> <StatusMark id={(r().status as RefTo)?.id} /></li>}</Show>}</For>
    </ul>
  </Show>
);

export const Details = (props: { conversation: Conversation; ref?: (focus: (property: Property) => void) => void }) => {
  const c = props.conversation, controls: Partial<Record<Property, HTMLElement>> = {};
  const idOf = (member: 'status' | 'priority' | 'type' | 'assigned_team' | 'assigned_agent') => (c.row()?.[member] as RefTo)?.id;
  const setRef = (member: string, type: string, word: Word) => (id: number | null) =>
    void c.update({ [member]: id === null ? null : { id, resource_type: type } }, { [`${member}_id`]: id }, say(word));
  /** A key of a property also opens the drawer. */
  const focus = (property: Property) => { setDetailsOpen(true); queueMicrotask(() => controls[property]?.focus()); };
  props.ref?.(focus);
  const mine = () => setRef('assigned_agent', 'user', 'agent')(me()?.id ?? null);
  useKeys([
    { key: 's', word: 'key_status', run: () => focus('status') },
    { key: 'p', word: 'key_priority', run: () => focus('priority') },
    { key: 'a', word: 'key_assign', run: () => focus('agent') },
    { key: 'i', word: 'key_mine', run: mine },
    { key: 't', word: 'key_tags', run: () => focus('tags') },
  ]);

  const [staff] = createRead(readStaff);
  const agents = createMemo(() => {
    const list = (now(staff) ?? []).map(({ id, full_name }) => ({ id, label: full_name })), chosen = idOf('assigned_agent');
    if (chosen && !list.some(({ id }) => id === chosen)) list.push({ id: chosen, label: rowOf('user', chosen)?.full_name ?? '' });
    return list.sort((a, b) => a.label.localeCompare(b.label));
  });
  const person = () => rowOf('user', c.row()?.requester as RefTo);
  // One request for the conversations of the requester, and the organization behind it.
  const [others] = createResource(() => (c.row()?.requester as RefTo)?.id, async (id) => {
    const reply = await get(`/users/${id}/cases`, { limit: 6, fields: 'subject,status,updated_at,requester(organization,pinned_notes_count)', include: 'case_status,user,organization', _flat: true });
    const asks = Object.values(reply.resources?.['user'] ?? {}).find((user) => user.id === id);
    return { organization: asks?.['organization'] as RefTo, hasPinned: !!asks?.['pinned_notes_count'], ids: keepReply(reply).filter((one) => one !== c.id).slice(0, 5) };
  });
  const organization = () => now(others)?.organization;
  const [asked, setAsked] = createSignal(false); // a request that few need
  const [theirs] = createResource(() => asked() && organization()?.id, async (id) =>
    keepReply(await get(`/organizations/${id}/cases`, { limit: 10, fields: 'subject,status,updated_at', include: 'case_status', _flat: true })).filter((one) => one !== c.id && !now(others)?.ids.includes(one)).slice(0, 5));

  return (
    <aside class="details region" id="details" aria-label={say('details')} tabindex="-1" data-region data-open={detailsOpen() ? '' : undefined}>
      <button type="button" class="narrow" onClick={() => setDetailsOpen(false)}>{say('close')}</button>
      <section class="details-part" aria-label={say('properties')}>
        <Choice word="status" value={idOf('status')} options={statuses().map((s) => ({ id: s.id, label: s.label ?? '' }))} onChoose={setRef('status', 'case_status', 'status')} wrong={c.refused()['status_id']} ref={(e) => { controls.status = e; }} />
        <Choice word="agent" value={idOf('assigned_agent')} options={agents()} none onChoose={setRef('assigned_agent', 'user', 'agent')} wrong={c.refused()['assigned_agent_id']} ref={(e) => { controls.agent = e; }} />
        <Show when={idOf('assigned_agent') !== me()?.id}><button type="button" class="link" onClick={mine}>{say('assign_me')} <kbd>i</kbd></button></Show>
        <Choice word="team" value={idOf('assigned_team')} options={teams().map((t) => ({ id: t.id, label: t.title ?? '' }))} none onChoose={setRef('assigned_team', 'team', 'team')} wrong={c.refused()['assigned_team_id']} />
        <Choice word="priority" value={idOf('priority')} options={priorities().map((p) => ({ id: p.id, label: p.label ?? '' }))} none onChoose={setRef('priority', 'case_priority', 'priority')} wrong={c.refused()['priority_id']} ref={(e) => { controls.priority = e; }} />
        <Choice word="type" value={idOf('type')} options={types().map((t) => ({ id: t.id, label: t.label ?? '' }))} none onChoose={setRef('type', 'case_type', 'type')} wrong={c.refused()['type_id']} />
        <Tags conversation={c} ref={(e) => { controls.tags = e; }} />
      </section>
      <Show when={fieldValues(c.row()).length}><Suspense><Fields conversation={c} /></Suspense></Show>
      <Show when={(c.row()?.sla_metrics as unknown[] | null)?.length}><Suspense><Service conversation={c} /></Suspense></Show>
      <section class="details-part" aria-labelledby="person-title">
        <h3 id="person-title">{say('requester')}</h3>
        <Show when={person()}>{(p) => <p><a href={href(`/people/${p().id}`)} dir="auto">{p().full_name}</a></p>}</Show>
        <Show when={c.row()?.visitor}>{(kind) => <Suspense><Visitor kind={kind() as string} /></Suspense>}</Show>
        <Show when={now(others)?.hasPinned}><Suspense><Pinned path={`/users/${person()?.id}/notes`} /></Suspense></Show>
        <Others title="other_conversations" ids={others.error ? [] : now(others)?.ids} />
      </section>
      <Show when={organization()}>
        {(o) => (
          <section class="details-part" aria-labelledby="organization-title">
            <h3 id="organization-title">{say('organization')}</h3>
            <p><a href={href(`/organizations/${o().id}`)} dir="auto">{rowOf('organization', o().id)?.name}</a></p>
            <Show when={rowOf('organization', o().id)?.pinned_notes_count}><Suspense><Pinned path={`/organizations/${o().id}/notes`} /></Suspense></Show>
            <Show when={asked()} fallback={<button type="button" class="link" onClick={() => setAsked(true)}>{say('organization_conversations')}</button>}>
              <Others title="organization_conversations" ids={theirs.error ? [] : now(theirs)} />
            </Show>
          </section>
        )}
      </Show>
    </aside>
  );
};
