import { rowOf } from '../../kit/store';

/** The names of included tags. */
export const tagTitles = (tags: unknown): string[] =>
  ((tags ?? []) as { id: number; name?: string }[]).map((ref) => (rowOf('tag', ref) as { name?: string } | undefined)?.name ?? ref.name ?? '').filter(Boolean);
