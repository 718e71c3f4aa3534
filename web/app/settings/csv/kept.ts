// What a check was asked for, so that its import asks for the same, also after the page was loaded again.
export interface Asked { kind: string; file_id: number; encoding: string; delimiter: string; existing: string; mapping: Record<string, string> }
interface Kept { name: string; asked: Asked }

const keyOf = (id: number) => `csv-import-${id}`;
export const keepAsked = (id: number, kept: Kept) => { try { sessionStorage.setItem(keyOf(id), JSON.stringify(kept)); } catch { /* the storage is full or off */ } };
export const askedOf = (id: number): Kept | undefined => { try { return JSON.parse(sessionStorage.getItem(keyOf(id)) ?? 'null') as Kept | null ?? undefined; } catch { return undefined; } };
