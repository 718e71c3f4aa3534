// A macro that was chosen: what it would set, compared with what it names, and the line that says so. Loaded with the first one.
import { For, Show } from 'solid-js';
import { get, rowsOf, type Reply, type Row, type Schemas } from '../../kit/api';
import { say as sayCommon, type Word } from '../../kit/words';
import { ready, say, type MacroWord } from './macro_words';

export interface Chosen { id: number; title: string; contents: string; isNote: boolean; sets: { word: Word; value: string }[]; /** what the macro would set, and what does not exist any more */ gone: MacroWord[] }

type RefTo = { id: number } | null | undefined;
interface Macro { id: number; assignee: { type: string | null; team: RefTo; agent: RefTo }; status: RefTo; type: RefTo; priority: RefTo; priority_action: string | null; add_tags: Row[] | null; remove_tags: Row[] | null }
const FIELDS = 'title,reply_contents,assignee,status,type,priority,priority_action,add_tags,remove_tags';

const nameIn = (reply: Reply, types: string[], ref: RefTo) => {
  for (const type of types) {
    const row = ref ? reply.resources?.[type]?.[ref.id] : undefined;
    if (row) return String(row['label'] ?? row['title'] ?? row['full_name'] ?? row['name'] ?? '');
  }
  return '';
};

/** Compares what the macro names with what the server would set: it leaves out what does not exist any more. */
export const readMacro = async (id: number, title: string, caseId: number): Promise<Chosen> => {
  const [macroReply, reply] = await Promise.all([
    get(`/cases/macros/${id}`, { fields: FIELDS, include: 'tag', _flat: true }),
    get(`/cases/macros/${id}/preview`, { case_id: caseId, include: 'case_status,case_type,case_priority,team,user_minimal,user', _flat: true }),
    ready(),
  ]);
  const macro = rowsOf(macroReply)[0] as unknown as Macro, preview = rowsOf(reply)[0] as unknown as Schemas['macro_preview'];
  const sets: Chosen['sets'] = [], gone: Chosen['gone'] = [];
  const compare = (word: Word, lost: MacroWord, wanted: RefTo, would: RefTo, types: string[]) => {
    if (wanted && would?.id === wanted.id) sets.push({ word, value: nameIn(reply, types, would) });
    else gone.push(lost);
  };
  if (macro.status) compare('status', 'lost_status', macro.status, preview.status, ['case_status']);
  if (macro.type) compare('type', 'lost_type', macro.type, preview.type, ['case_type']);
  if (macro.priority) compare('priority', 'lost_priority', macro.priority, preview.priority, ['case_priority']);
  else if (macro.priority_action) sets.push({ word: 'priority', value: nameIn(reply, ['case_priority'], preview.priority) || sayCommon('none') });
  const { type, team, agent } = macro.assignee;
  if (type === 'UNASSIGNED') sets.push({ word: 'agent', value: sayCommon('nobody') });
  if (type === 'CURRENT_AGENT') sets.push({ word: 'agent', value: nameIn(reply, ['user_minimal', 'user'], preview.assigned_agent as RefTo) });
  if (type === 'TEAM' || team) compare('team', 'lost_team', team, preview.assigned_team, ['team']);
  if (type === 'AGENT') compare('agent', 'lost_agent', agent, preview.assigned_agent as RefTo, ['user_minimal', 'user']);
  const tags = (rows: Row[] | null, sign: string) => (rows ?? []).map((tag) => sign + nameIn(macroReply, ['tag'], tag));
  const tagNames = [...tags(macro.add_tags, '+'), ...tags(macro.remove_tags, '−')];
  if (tagNames.length) sets.push({ word: 'tags', value: tagNames.join(' ') });
  return { id, title, contents: preview.contents ?? '', isNote: preview.reply_type === 'NOTE', sets, gone };
};

/** What the macro sets when the text is sent. */
export const MacroLine = (props: { macro: Chosen; onDrop: () => void }) => (
  <div class="macro-line" role="status">
    <Show when={props.macro.sets.length} fallback={<p class="soft">{say('only_text', { title: props.macro.title })}</p>}>
      <p><span class="soft">{say('chosen', { title: props.macro.title })}</span>{' '}
        <For each={props.macro.sets}>{(one) => <span class="tag">{sayCommon(one.word)}: <bdi>{one.value}</bdi></span>}</For>{' '}
        <button type="button" class="link" onClick={props.onDrop}>{say('without')}</button></p>
    </Show>
    <For each={props.macro.gone}>{(word) => <p class="warning">{say(word)}</p>}</For>
  </div>
);
