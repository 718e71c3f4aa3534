// Open hours drawn as lines of 24 cells. The mouse paints over cells; arrow keys move, Space turns a cell, and Shift with an arrow key paints.
import { createMemo, For, Index, onCleanup } from 'solid-js';
import { language } from '../../../kit/words';
import { cellOf, createCells } from '../cells';
import { say } from '../words';

/** An open hour of 9 means from 9:00 to 10:00. */
export interface Line { name: string; short?: string; hours: readonly number[] }

const HOURS = [...Array(24).keys()];
export const hourText = (hour: number) => new Intl.DateTimeFormat(language(), { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1, hour % 24));
const shortHour = (hour: number) => new Intl.NumberFormat(language(), { minimumIntegerDigits: 2 }).format(hour);

/** "9:00 – 17:00, 18:00 – 20:00" */
export const spansText = (hours: readonly number[]) => {
  const spans: [number, number][] = [];
  for (const hour of [...hours].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last?.[1] === hour) last[1]++; else spans.push([hour, hour + 1]);
  }
  return spans.length ? spans.map(([from, to]) => from === 0 && to === 24 ? say('hours_all_day') : `${hourText(from)} – ${hourText(to)}`).join(', ') : say('hours_closed');
};

export const Hours = (props: { label: string; lines: Line[]; set: (line: number, hours: number[]) => void }) => {
  const cells = createCells('0,9'), names = createMemo(() => props.lines.map(({ name }) => name));
  let painting: boolean | undefined;
  const stop = () => { painting = undefined; };
  addEventListener('pointerup', stop);
  addEventListener('pointercancel', stop);
  onCleanup(() => { removeEventListener('pointerup', stop); removeEventListener('pointercancel', stop); });
  const isOpen = (line: number, hour: number) => props.lines[line]?.hours.includes(hour) ?? false;
  const paint = (line: number, hour: number, open: boolean) => {
    const hours = props.lines[line]?.hours ?? [];
    if (hours.includes(hour) !== open) props.set(line, open ? [...hours, hour].sort((a, b) => a - b) : hours.filter((one) => one !== hour));
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const from = cellOf(event.target), to = cells.onKeyDown(event);
    if (from && to && event.shiftKey) paint(...to, isOpen(...from));
  };
  return (
    <div class="week-box">
      <table class="week" aria-label={props.label} onKeyDown={onKeyDown} onFocusIn={cells.onFocusIn}>
        <thead aria-hidden="true"><tr><th /><For each={HOURS}>{(hour) => <th>{hour % 3 ? '' : shortHour(hour)}</th>}</For></tr></thead>
        <tbody>
          <Index each={names()}>
            {(name, line) => (
              <tr><th scope="row" dir="auto"><span aria-hidden="true">{props.lines[line]?.short ?? name()}</span><span class="hidden">{name()}</span></th>
                <For each={HOURS}>
                  {(hour) => (
                    <td><button type="button" class="week-cell" role="checkbox" data-cell={`${line},${hour}`} tabindex={cells.tab(line, hour)} aria-checked={isOpen(line, hour)} aria-label={`${name()} ${hourText(hour)} – ${hourText(hour + 1)}`}
                      onPointerDown={(event) => { if (event.button) return; painting = !isOpen(line, hour); paint(line, hour, painting); (event.target as Element).releasePointerCapture?.(event.pointerId); }}
                      onPointerEnter={() => { if (painting !== undefined) paint(line, hour, painting); }}
                      onClick={(event) => { if (event.detail === 0) paint(line, hour, !isOpen(line, hour)); }} /></td>
                  )}
                </For>
              </tr>
            )}
          </Index>
        </tbody>
      </table>
    </div>
  );
};
