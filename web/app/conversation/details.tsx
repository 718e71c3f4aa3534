// The properties of a conversation, and the person who asks.
import { createMemo, createResource, For, Show, type JSX } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { StatusMark } from '../../kit/marks';
import { fullTime, now, say, shortTime, type Word } from '../../kit/words';
import { priorities, statuses, teams, types } from '../frame/catalog';
import { detailsOpen, setDetailsOpen } from '../frame/look';
import { me } from '../session/session';
import { tagNames, type Conversation } from './data';

type RefTo = { id: number } | null | undefined;

const Choice = (props: { word: Word; value: number | undefined; options: { id: number; label: string }[]; none?: boolean; onChoose: (id: number | null) => void; ref?: (e: HTMLSelectElement) => void }): JSX.Element => (
  <label class="choice">
    <span>{say(props.word)}</span>
    <select ref={(element) => props.ref?.(element)} onChange={(event) => props.onChoose(event.currentTarget.value ? Number(event.currentTarget.value) : null)}>
      <Show when={props.none || props.value === undefined}><option value="" selected={props.value === undefined}>{say(props.word === 'agent' ? 'nobody' : 'none')}</option></Show>
      <For each={props.options}>{(o) => <option value={o.id} selected={o.id === props.value}>{o.label}</option>}</For>
    </select>
  </label>
);

type Agent = { id: number; full_name: string };
const STAFF_KEPT_MS = 600_000;
let staffRead: { at: number; list: Promise<Agent[]> } | undefined;
/** Staff who may be chosen. Read again after ten minutes, not with each conversation. */
const readStaff = () => {
  if (!staffRead || now() - staffRead.at > STAFF_KEPT_MS)
    staffRead = { at: now(), list: get('/users', { role: 'AGENT,ADMIN,OWNER,COLLABORATOR', is_enabled: true, limit: 100, fields: 'full_name' })
      .then((reply) => rowsOf(reply) as unknown as Agent[], (error) => { staffRead = undefined; throw error; }) };
  return staffRead.list;
};

export const Details = (props: { conversation: Conversation }) => {
  const c = props.conversation, selects: Partial<Record<string, HTMLSelectElement>> = {};
  let tagInput!: HTMLInputElement;
  const idOf = (member: 'status' | 'priority' | 'type' | 'assigned_team' | 'assigned_agent') => (c.row()?.[member] as RefTo)?.id;
  const setRef = (member: string, type: string, word: Word) => (id: number | null) =>
    void c.update({ [member]: id === null ? null : { id, resource_type: type } }, { [`${member}_id`]: id }, say(word));
  /** A key of a property also opens the drawer. */
  const focus = (element: HTMLElement | undefined) => { setDetailsOpen(true); queueMicrotask(() => element?.focus()); };
  const setTags = (tags: string[]) => void c.update({}, { tags }, say('tags'));
  const mine = () => setRef('assigned_agent', 'user', 'agent')(me()?.id ?? null);
  useKeys([
    { key: 's', word: 'key_status', run: () => focus(selects['status']) },
    { key: 'p', word: 'key_priority', run: () => focus(selects['priority']) },
    { key: 'a', word: 'key_assign', run: () => focus(selects['agent']) },
    { key: 'i', word: 'key_mine', run: mine },
    { key: 't', word: 'key_tags', run: () => focus(tagInput) },
  ]);

  const [staff] = createResource(readStaff);
  const agents = createMemo(() => {
    const list = (staff() ?? []).map(({ id, full_name }) => ({ id, label: full_name })), chosen = idOf('assigned_agent');
    if (chosen && !list.some(({ id }) => id === chosen)) list.push({ id: chosen, label: rowOf('user', chosen)?.full_name ?? '' });
    return list.sort((a, b) => a.label.localeCompare(b.label));
  });
  const person = () => rowOf('user', c.row()?.requester as RefTo);
  const [others] = createResource(() => (c.row()?.requester as RefTo)?.id, async (id) => {
    const reply = await get(`/users/${id}/cases`, { limit: 5, fields: 'subject,status,updated_at', include: 'case_status', _flat: true });
    return keepReply(reply).filter((one) => one !== c.id);
  });
  const clocks = () => ((c.row()?.sla_metrics ?? []) as { id: number }[]).map((ref) => rowOf('sla_metric', ref)).filter((m) => m !== undefined);
  const CLOCKS: Record<string, Word> = { FIRST_REPLY_TIME: 'clock_first', NEXT_REPLY_TIME: 'clock_next', RESOLUTION_TIME: 'clock_resolution' };
  const clockText = (m: ReturnType<typeof clocks>[number]) =>
    m.stage === 'COMPLETED' ? say(m.is_breached ? 'clock_broken' : 'clock_kept')
      : m.stage === 'PAUSED' || !m.due_at ? say('clock_paused')
      : say(Date.parse(m.due_at) < now() ? 'overdue' : 'due', { time: shortTime(m.due_at) });

  return (
    <aside class="details region" id="details" aria-label={say('details')} tabindex="-1" data-region data-open={detailsOpen() ? '' : undefined}>
      <button type="button" class="narrow" onClick={() => setDetailsOpen(false)}>{say('close')}</button>
      <section class="details-part" aria-label={say('properties')}>
        <Choice word="status" value={idOf('status')} options={statuses().map((s) => ({ id: s.id, label: s.label ?? '' }))} onChoose={setRef('status', 'case_status', 'status')} ref={(e) => { selects['status'] = e; }} />
        <Choice word="agent" value={idOf('assigned_agent')} options={agents()} none onChoose={setRef('assigned_agent', 'user', 'agent')} ref={(e) => { selects['agent'] = e; }} />
        <Show when={idOf('assigned_agent') !== me()?.id}><button type="button" class="link" onClick={mine}>{say('assign_me')} <kbd>i</kbd></button></Show>
        <Choice word="team" value={idOf('assigned_team')} options={teams().map((t) => ({ id: t.id, label: t.title ?? '' }))} none onChoose={setRef('assigned_team', 'team', 'team')} />
        <Choice word="priority" value={idOf('priority')} options={priorities().map((p) => ({ id: p.id, label: p.label ?? '' }))} none onChoose={setRef('priority', 'case_priority', 'priority')} ref={(e) => { selects['priority'] = e; }} />
        <Choice word="type" value={idOf('type')} options={types().map((t) => ({ id: t.id, label: t.label ?? '' }))} none onChoose={setRef('type', 'case_type', 'type')} />
        <div class="choice">
          <span id="tags-label">{say('tags')}</span>
          <ul class="tags" aria-labelledby="tags-label">
            <For each={tagNames(c.row())}>{(tag) => <li class="tag" dir="auto">{tag} <button type="button" aria-label={say('remove_tag', { tag })} onClick={() => setTags(tagNames(c.row()).filter((t) => t !== tag))}>×</button></li>}</For>
          </ul>
          <input ref={tagInput} aria-label={say('add_tag')} placeholder={say('add_tag')} onKeyDown={(event) => {
            const tag = tagInput.value.trim();
            if (event.key !== 'Enter' || !tag) return;
            event.preventDefault();
            tagInput.value = '';
            setTags([...new Set([...tagNames(c.row()), tag])]);
          }} />
        </div>
      </section>
      <Show when={clocks().length}>
        <section class="details-part" aria-labelledby="clocks-title">
          <h3 id="clocks-title">{say('service')}</h3>
          <dl>
            <For each={clocks()}>{(m) => <><dt>{say(CLOCKS[m.metric_type ?? ''] ?? 'service')}</dt><dd classList={{ late: !!m.is_breached }} title={m.due_at ? fullTime(m.due_at) : undefined}>{clockText(m)}</dd></>}</For>
          </dl>
        </section>
      </Show>
      <section class="details-part" aria-labelledby="person-title">
        <h3 id="person-title">{say('requester')}</h3>
        <Show when={person()}>{(p) => <p><a href={href(`/people/${p().id}`)} dir="auto">{p().full_name}</a></p>}</Show>
        <Show when={others()?.length}>
          <h4>{say('other_conversations')}</h4>
          <ul class="others">
            <For each={others()}>{(id) => <Show when={rowOf('case', id)}>{(r) => <li><a href={href(`/cases/${id}`)} dir="auto">{r().subject || say('no_subject')}</a> <StatusMark id={(r().status as RefTo)?.id} /></li>}</Show>}</For>
          </ul>
        </Show>
      </section>
    </aside>
  );
};
