// Cells of a table that the arrow keys reach: Tab enters the table at one cell and leaves it. A cell has data-cell="row,column" and the tabindex of `tab`.
import { createSignal } from 'solid-js';

const STEPS: Record<string, readonly [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const FARTHEST = 200;

/** The place of the event in the table. */
export const cellOf = (target: EventTarget | null): readonly [number, number] | undefined => {
  const [row, column] = (target as HTMLElement | null)?.closest<HTMLElement>('[data-cell]')?.dataset['cell']?.split(',').map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : [row, column];
};

export const createCells = (first = '0,0') => {
  const [at, setAt] = createSignal(first);
  return {
    tab: (row: number, column: number) => at() === `${row},${column}` ? 0 : -1,
    onFocusIn: (event: FocusEvent) => { const cell = cellOf(event.target); if (cell) setAt(cell.join()); },
    /** Moves to the next cell in the direction of an arrow key; places without a cell are passed over. Returns that cell. */
    onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
      const step = STEPS[event.key], from = cellOf(event.target);
      if (!step || !from || event.ctrlKey || event.metaKey || event.altKey) return undefined;
      const far = document.documentElement.dir === 'rtl' ? -1 : 1;
      for (let n = 1; n < FARTHEST; n++) {
        const to = [from[0] + n * step[0], from[1] + n * step[1] * far] as const;
        if (Math.min(...to) < 0) return undefined;
        const cell = event.currentTarget.querySelector<HTMLElement>(`[data-cell="${to.join()}"]`);
        if (!cell) continue;
        event.preventDefault();
        cell.focus();
        return to;
      }
      return undefined;
    },
  };
};
