// Macros: chosen by name, shown in the editor before anything happens. The text is in the editor; the properties are set when it is sent.
import { For, Show } from 'solid-js';
import { get, rowsOf, type Reply, type Row, type Schemas } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { useFinder } from '../../kit/finders';
import { say, type Word } from '../../kit/words';

export interface Chosen { id: number; title: string; contents: string; isNote: boolean; sets: { word: Word; value: string }[]; /** what the macro would set, and what does not exist any more */ gone: Word[] }

type RefTo = { id: number } | null | undefined;
interface Macro { id: number; title: string; reply_contents: string | null; assignee: { type: string | null; team: RefTo; agent: RefTo }; status: RefTo; type: RefTo; priority: RefTo; priority_action: string | null; add_tags: Row[] | null; remove_tags: Row[] | null }
const FIELDS = 'title,reply_contents,assignee,status,type,priority,priority_action,add_tags,remove_tags';

const findMacros = async (text: string): Promise<Option[]> => {
  const wanted = text.toLowerCase();
  const rows = rowsOf(await get('/cases/macros', { limit: 100, fields: 'title,reply_contents' })) as unknown as Macro[];
  return rows.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, 12).map(({ id, title, reply_contents }) => ({ id, label: title, more: reply_contents?.slice(0, 60) ?? '' }));
};

const nameIn = (reply: Reply, types: string[], ref: RefTo) => {
  for (const type of types) {
    const row = ref ? reply.resources?.[type]?.[ref.id] : undefined;
    if (row) return String(row['label'] ?? row['title'] ?? row['full_name'] ?? row['name'] ?? '');
  }
  return '';
};

/** Compares what the macro names with what the server would set: it leaves out what does not exist any more. */
const readMacro = async (id: number, title: string, caseId: number): Promise<Chosen> => {
  const [macroReply, reply] = await Promise.all([
    get(`/cases/macros/${id}`, { fields: FIELDS, include: 'tag', _flat: true }),
    get(`/cases/macros/${id}/preview`, { case_id: caseId, include: 'case_status,case_type,case_priority,team,user_minimal,user', _flat: true }),
  ]);
  const macro = rowsOf(macroReply)[0] as unknown as Macro, preview = rowsOf(reply)[0] as unknown as Schemas['macro_preview'];
  const sets: Chosen['sets'] = [], gone: Word[] = [];
  const compare = (word: Word, lost: Word, wanted: RefTo, would: RefTo, types: string[]) => {
    if (wanted && would?.id === wanted.id) sets.push({ word, value: nameIn(reply, types, would) });
    else gone.push(lost);
  };
  if (macro.status) compare('status', 'macro_lost_status', macro.status, preview.status, ['case_status']);
  if (macro.type) compare('type', 'macro_lost_type', macro.type, preview.type, ['case_type']);
  if (macro.priority) compare('priority', 'macro_lost_priority', macro.priority, preview.priority, ['case_priority']);
  else if (macro.priority_action) sets.push({ word: 'priority', value: nameIn(reply, ['case_priority'], preview.priority) || say('none') });
  const { type, team, agent } = macro.assignee;
  if (type === 'UNASSIGNED') sets.push({ word: 'agent', value: say('nobody') });
  if (type === 'CURRENT_AGENT') sets.push({ word: 'agent', value: nameIn(reply, ['user_minimal', 'user'], preview.assigned_agent as RefTo) });
  if (type === 'TEAM' || team) compare('team', 'macro_lost_team', team, preview.assigned_team, ['team']);
  if (type === 'AGENT') compare('agent', 'macro_lost_agent', agent, preview.assigned_agent as RefTo, ['user_minimal', 'user']);
  const tags = (rows: Row[] | null, sign: string) => (rows ?? []).map((tag) => sign + nameIn(macroReply, ['tag'], tag));
  const tagNames = [...tags(macro.add_tags, '+'), ...tags(macro.remove_tags, '−')];
  if (tagNames.length) sets.push({ word: 'tags', value: tagNames.join(' ') });
  return { id, title, contents: preview.contents ?? '', isNote: preview.reply_type === 'NOTE', sets, gone };
};

interface Props { caseId: number; /** Its text is still on its way. */ onChoose: (macro: Promise<Chosen>) => void; ref: (input: HTMLInputElement) => void }

export const MacroField = (props: Props) => {
  let input!: HTMLInputElement;
  const choose = ({ id, label }: Option) => {
    input.value = '';
    props.onChoose(readMacro(Number(id), label, props.caseId));
  };
  useFinder({ word: 'macro', searches: true, find: async (text) => (await findMacros(text)).map((option) => ({ label: option.label, run: () => choose(option) })) });
  return <Combobox label={say('macro')} placeholder={say('macro')} find={findMacros} onChoose={choose} ref={(element) => { input = element; props.ref(element); }} />;
};

/** What the macro sets when the text is sent. */
export const MacroLine = (props: { macro: Chosen; onDrop: () => void }) => (
  <div class="macro-line" role="status">
    <Show when={props.macro.sets.length} fallback={<p class="soft">{say('macro_only_text', { title: props.macro.title })}</p>}>
      <p><span class="soft">{say('macro_chosen', { title: props.macro.title })}</span>{' '}
        <For each={props.macro.sets}>{(one) => <span class="tag">{say(one.word)}: <bdi>{one.value}</bdi></span>}</For>{' '}
        <button type="button" class="link" onClick={props.onDrop}>{say('macro_without')}</button></p>
    </Show>
    <For each={props.macro.gone}>{(word) => <p class="warning">{say(word)}</p>}</For>
  </div>
);
