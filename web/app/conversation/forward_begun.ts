// Conversations whose forward was begun, sent or thrown away in this page: the server's list of drafts was read before.
import { createSignal } from 'solid-js';

const [known, setKnown] = createSignal<ReadonlyMap<number, boolean>>(new Map());
/** undefined: as the server says. */
export const isBegun = (caseId: number) => known().get(caseId);
export const setBegun = (caseId: number, begun: boolean) => { setKnown((former) => new Map([...former, [caseId, begun]])); };
