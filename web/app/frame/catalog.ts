// Rows that all screens choose from: statuses, priorities, teams, staff. Read once after the login, and again when they may have changed.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Schemas } from '../../kit/api';
import { keepReply } from '../../kit/store';

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
