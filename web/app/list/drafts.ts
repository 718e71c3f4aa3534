// Which conversations have a draft of the person: read from the server once, and again for conversations that were left.
import { createSignal } from 'solid-js';
import { get, rowsOf } from '../../kit/api';

const DRAFTS_MOST = 1000, PAUSE_MS = 2500; // drafts are saved when a conversation is left
const [drafts, setDrafts] = createSignal<ReadonlySet<number>>(new Set());
export const hasDraft = (id: number) => drafts().has(id);

const read = async (ids?: number[]) => {
  const reply = await get('/profile/drafts', { fields: 'case', limit: DRAFTS_MOST, case_ids: ids?.join(',') });
  const found = rowsOf(reply).map((row) => (row['case'] as { id: number }).id);
  setDrafts((former) => new Set([...(ids ? [...former].filter((id) => !ids.includes(id)) : []), ...found]));
};
export const readDrafts = () => void read().catch(() => undefined);

let left = new Set<number>(), timer: ReturnType<typeof setTimeout> | undefined;
export const leftCase = (id: number) => {
  left.add(id);
  clearTimeout(timer);
  timer = setTimeout(() => { const ids = [...left]; left = new Set(); void read(ids).catch(() => undefined); }, PAUSE_MS);
};
