// Groups of a property with their numbers of both periods: tags and organizations.
import { get } from '../../kit/api';
import { periodQuery, type Ask, type Total } from './ask';
import { percentText } from './forms';
import { say } from './words';

export interface Rank { key: number | null; total: Total; previous: Total }
interface Ranking { groups: Rank[]; group_count: number; tags: { id: number; name: string }[]; organizations: { id: number; name: string }[]; total: Total }
export const RANKS_MOST = 20, RANKS_ALL = 1000, GROUPS_PATH = '/insights/cases/groups';

/** The groups of the period. A year before is another period than the previous one, so it is asked for by itself. */
export const readRanking = async (ask: Ask, metric: string, group: 'TAG' | 'ORGANIZATION', signal: AbortSignal, most = RANKS_MOST) => {
  const shifted = typeof ask.shift === 'number' ? { ...ask, start: ask.start - ask.shift, end: ask.end - ask.shift } : undefined, asked = { metric, group };
  const [reply, former] = await Promise.all([
    get(GROUPS_PATH, { ...periodQuery(ask), ...asked, most, ...(group === 'ORGANIZATION' && most === RANKS_MOST ? { include: 'organization' } : {}) }, signal),
    shifted && get(GROUPS_PATH, { ...periodQuery(shifted), ...asked, most: RANKS_ALL }, signal),
  ]);
  const ranking = reply.data as unknown as Ranking, then = former && new Map((former.data as unknown as Ranking).groups.map((rank) => [rank.key, rank.total]));
  const names = new Map([...ranking.tags, ...ranking.organizations].map(({ id, name }) => [id, name])), of = new Map(ranking.groups.map((rank) => [rank.key, rank]));
  return { ...ranking, names, of, before: (rank: Rank) => (then ? then.get(rank.key)?.['value'] : rank.previous['value']) ?? 0 };
};

/** "+20%", "−5%", "±0", "new" */
export const changeText = (now: number, was: number) => {
  if (was === 0) return now === 0 ? '–' : say('tags_new');
  const percent = percentText(Math.round(Math.abs(100 * (now - was) / was)));
  return now === was ? '±0' : now > was ? `+${percent}` : `−${percent}`;
};
