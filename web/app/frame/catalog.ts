// Rows that all screens choose from: statuses, priorities, teams, staff. Read once after the login, and again when they may have changed.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Schemas } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { now } from '../../kit/words';

const [statuses, setStatuses] = createSignal<Schemas['case_status'][]>([]);
const [priorities, setPriorities] = createSignal<Schemas['case_priority'][]>([]);
const [types, setTypes] = createSignal<Schemas['case_type'][]>([]);
const [teams, setTeams] = createSignal<Schemas['team'][]>([]);
export { statuses, priorities, types, teams };

export const readCatalog = async () => {
  const lists: [string, (rows: never[]) => void][] = [['/cases/statuses', setStatuses], ['/cases/priorities', setPriorities], ['/cases/types', setTypes], ['/teams', setTeams]];
  await Promise.all(lists.map(async ([path, set]) => {
    const reply = await get(path, { limit: 100 });
    keepReply(reply);
    set(rowsOf(reply) as never[]);
  }));
};

type Agent = { id: number; full_name: string };
const STAFF_KEPT_MS = 600_000;
let staffRead: { at: number; list: Promise<Agent[]> } | undefined;
/** Staff to whom conversations may be assigned. Read again after ten minutes, not with each conversation. */
export const readStaff = () => {
  if (!staffRead || now() - staffRead.at > STAFF_KEPT_MS)
    staffRead = { at: now(), list: get('/users', { role: 'AGENT,ADMIN,OWNER,COLLABORATOR', is_enabled: true, limit: 100, fields: 'full_name' })
      .then((reply) => rowsOf(reply) as unknown as Agent[], (error) => { staffRead = undefined; throw error; }) };
  return staffRead.list;
};

/** The body that takes a change back. No conversation returns to New, so one that was new stays open. */
export const returning = (former: Record<string, unknown>): Record<string, unknown> => {
  const open = statuses().find(({ type }) => type === 'OPEN'), wasNew = statuses().some(({ id, type }) => id === former['status_id'] && type === 'NEW');
  return wasNew && open ? { ...former, status_id: open.id } : former;
};
