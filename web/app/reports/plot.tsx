// A picture of a series: bars or lines. uPlot draws it; patterns, dashes and the line of words beneath say without colour what is what.
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import uPlot from 'uplot';
import { language } from '../../kit/words';
import { theme } from '../frame/look';
import type { Numbers } from './ask';

export interface Line { label: string; values: Numbers }
export interface Picture { kind: 'bars' | 'lines'; lines: Line[]; text: (value: number) => string; steps?: number[]; most?: number; log?: boolean }

/** Colours by role and patterns, in the order of lines. */
const LOOKS = [['--action', 'plain'], ['--warning', 'rising'], ['--good', 'dots'], ['--wrong', 'falling'], ['--soft', 'level'], ['--edge', 'empty']] as const;
const DASHES = [[], [6, 4], [2, 3]];
const HEIGHT = 220, COUNT_STEPS = [1, 2, 5].flatMap((n) => Array.from({ length: 9 }, (_, i) => n * 10 ** i)).sort((a, b) => a - b);
/** Marks of a logarithmic axis of seconds: 1 s, 10 s, 1 and 10 min, 1 and 6 h, 1, 5, 20, 100 and 500 days. */
const LOG_STEPS = [1, 10, 60, 600, 3600, 21_600, 86_400, 432_000, 1_728_000, 8_640_000, 43_200_000, 432_000_000];
const X_STEPS = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 52, 84, 96, 104, 168, 240, 336, 480, 720, 1000];

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The pattern of a line on a small canvas, in device pixels. */
const tile = (at: number) => {
  const [role, pattern] = LOOKS[at % LOOKS.length]!, canvas = document.createElement('canvas'), size = 8 * devicePixelRatio, pen = canvas.getContext('2d')!;
  canvas.width = canvas.height = size;
  pen.fillStyle = pattern === 'plain' ? colour(role) : colour('--ground');
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = pen.fillStyle = colour(role);
  pen.lineWidth = size / 4;
  pen.beginPath();
  for (const n of [-1, 0, 1]) {
    if (pattern === 'rising') pen.moveTo(n * size, size), pen.lineTo((n + 1) * size, 0);
    if (pattern === 'falling') pen.moveTo(n * size, 0), pen.lineTo((n + 1) * size, size);
  }
  if (pattern === 'level') pen.moveTo(0, size / 2), pen.lineTo(size, size / 2);
  pen.stroke();
  if (pattern === 'dots') pen.fillRect(size / 4, size / 4, size / 2, size / 2);
  return canvas;
};

/** The mark of a line in the legend: its pattern or its dashes. */
const Mark = (props: { at: number; kind: Picture['kind'] }) => {
  let canvas!: HTMLCanvasElement;
  createEffect(on([theme, () => props.at], () => {
    const pen = canvas.getContext('2d')!, { width, height } = canvas;
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = colour(LOOKS[props.at % LOOKS.length]![0]);
    pen.lineWidth = 3;
    if (props.kind === 'bars') {
      pen.fillStyle = pen.createPattern(tile(props.at), 'repeat')!;
      pen.fillRect(0, 0, width, height);
      pen.strokeRect(1, 1, width - 2, height - 2);
      return;
    }
    pen.setLineDash(DASHES[props.at % DASHES.length]!);
    pen.beginPath();
    pen.moveTo(0, height / 2);
    pen.lineTo(width, height / 2);
    pen.stroke();
  }));
  return <canvas ref={canvas} class="report-mark" width="28" height="16" aria-hidden="true" />;
};

/** Bars are stacked: each line on the sum of those before it. The last sum is drawn first, so that the others lie over it. */
const sumsOf = (lines: Line[]) => {
  const sums: Numbers[] = [];
  lines.forEach(({ values }, i) => sums.push(values.map((v, k) => (v ?? 0) + (i ? sums[i - 1]![k] ?? 0 : 0))));
  return sums.map((line, i) => line.map((sum, k) => lines[i]!.values[k] ? sum : null)); // no outline of an empty bar
};

/** The marks around all values. A logarithm has no zero: less than a second is drawn at a second. */
const logSteps = (lines: Line[]) => {
  const values = lines.flatMap((line) => line.values).filter((v) => v !== null), least = Math.max(1, Math.min(...values)), most = Math.max(1, ...values);
  const from = LOG_STEPS.filter((step) => step <= least).at(-1)!, to = LOG_STEPS.find((step) => step >= most && step > from) ?? most;
  return LOG_STEPS.filter((step) => step >= from && step <= to);
};

interface Props { picture: Picture; buckets: string[]; short: string[]; label: string; hint: string; incomplete: boolean; open: ((at: number) => void) | undefined }

export const Plot = (props: Props) => {
  let box!: HTMLDivElement, plot: uPlot | undefined;
  const [at, setAt] = createSignal<number>();
  const last = () => props.buckets.length - 1;

  const options = (): uPlot.Options => {
    const { kind, lines, text, steps, most, log } = props.picture, marks = log ? logSteps(lines) : undefined, soft = colour('--soft'), edge = colour('--line'), font = '12px system-ui, sans-serif';
    const order = kind === 'bars' ? lines.map((_, i) => lines.length - 1 - i) : lines.map((_, i) => i);
    return {
      width: box.clientWidth || 300, height: HEIGHT, legend: { show: false }, padding: [12, 12, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: kind === 'lines' }, y: false },
      scales: { x: { time: false, range: [-0.6, last() + 0.6] }, y: marks ? { distr: 3, range: [marks[0]!, marks.at(-1)!] } : { range: (_, __, max) => [0, most ?? Math.max(steps ? 60 : 1, (max ?? 0) * 1.08)] } },
      axes: [
        { stroke: soft, font, grid: { show: false }, ticks: { stroke: edge, width: 1, size: 4 }, size: 28, space: 64, incrs: X_STEPS, values: (_, places) => places.map((n) => props.short[n] ?? '') },
        { stroke: soft, font, grid: { stroke: edge, width: 1 }, ticks: { show: false }, size: 64, space: 36, incrs: steps ?? COUNT_STEPS, values: (_, places) => places.map(text), ...(marks ? { splits: () => marks, filter: (_: uPlot, places: number[]) => places } : {}) },
      ],
      series: [{}, ...order.map((i): uPlot.Series => kind === 'bars'
        ? { stroke: colour(LOOKS[i % LOOKS.length]![0]), width: 1, fill: (u) => u.ctx.createPattern(tile(i), 'repeat')!, paths: uPlot.paths.bars!({ size: [0.8, 48] }), points: { show: false } }
        : { stroke: colour(LOOKS[i % LOOKS.length]![0]), width: 2, dash: DASHES[i % DASHES.length]!, spanGaps: false, points: { show: true, size: 6, fill: colour('--ground') } })],
      hooks: { setCursor: [(u) => { setAt(u.cursor.idx ?? undefined); }], draw: [shade] },
    };
  };
  /** The last bucket goes on: it is hatched with the ground. */
  const shade = (u: uPlot) => {
    if (!props.incomplete) return;
    const { ctx } = u, { top, height } = u.bbox, from = u.valToPos(last() - 0.5, 'x', true), to = u.valToPos(last() + 0.5, 'x', true), gap = 6 * devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(from, top, to - from, height);
    ctx.clip();
    ctx.strokeStyle = colour('--ground');
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    for (let x = from - height; x < to; x += gap) ctx.moveTo(x, top + height), ctx.lineTo(x + height, top);
    ctx.stroke();
    ctx.restore();
  };
  const draw = () => {
    plot?.destroy();
    const { kind, lines, log } = props.picture, values = kind === 'bars' ? sumsOf(lines).reverse() : lines.map((line) => log ? line.values.map((v) => v === null ? null : Math.max(1, v)) : line.values);
    plot = new uPlot(options(), [props.buckets.map((_, i) => i), ...values], box);
    plot.over.addEventListener('click', () => { if (at() !== undefined) props.open?.(at()!); });
  };
  onMount(() => {
    createEffect(on([() => props.picture, () => props.buckets, theme, language], draw));
    const observer = new ResizeObserver(() => { if (box.clientWidth && plot && plot.width !== box.clientWidth) plot.setSize({ width: box.clientWidth, height: HEIGHT }); });
    observer.observe(box);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    // On paper the grounds are white.
    const before = () => { document.documentElement.dataset['theme'] = 'light'; draw(); }, after = () => { document.documentElement.dataset['theme'] = theme(); draw(); };
    dark.addEventListener('change', draw);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    onCleanup(() => { observer.disconnect(); dark.removeEventListener('change', draw); removeEventListener('beforeprint', before); removeEventListener('afterprint', after); plot?.destroy(); });
  });

  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 7, PageDown: -7, Home: -Infinity, End: Infinity }, step = steps[event.key];
    if (event.key === 'Enter' && at() !== undefined) { event.preventDefault(); props.open?.(at()!); }
    if (step === undefined || !plot) return;
    event.preventDefault();
    const to = Math.min(Math.max(0, (at() ?? last()) + (at() === undefined && Math.abs(step) === 1 ? 0 : step)), last()); // the first key shows where one is
    plot.setCursor({ left: plot.valToPos(to, 'x'), top: 0 });
    setAt(to);
  };
  const words = () => {
    const i = at();
    if (i === undefined) return '';
    const { lines, text } = props.picture;
    return [props.buckets[i], ...lines.filter(({ values }) => values[i] !== null).map(({ label, values }) => `${label} ${text(values[i]!)}`)].join(' · ');
  };
  return (
    <div class="report-plot">
      <ul class="report-legend" aria-hidden="true"><For each={props.picture.lines}>{({ label }, i) => <li><Mark at={i()} kind={props.picture.kind} /> <span dir="auto">{label}</span></li>}</For></ul>
      <div class="report-box" dir="ltr" role="slider" tabindex="0" aria-label={props.label} aria-description={props.hint} aria-valuemin={0} aria-valuemax={Math.max(0, last())} aria-valuenow={at() ?? last()} aria-valuetext={words() || props.hint} onKeyDown={onKey}
        ref={(element) => { box = element; createEffect(() => element.classList.toggle('is-link', props.open !== undefined)); }} />
      <p class="report-words soft" aria-hidden="true"><Show when={words()} fallback={props.hint}>{words()}</Show></p>
    </div>
  );
};
