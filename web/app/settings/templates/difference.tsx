// Two texts compared: removed and added lines have a sign and a name, and their changed words are struck or underlined, so nothing depends on colour.
import { createMemo, For, Show } from 'solid-js';
import { say } from '../words';
import { compareLines, type Line, type Part } from './diff';

const SIGNS = { same: ' ', gone: '−', new: '+' } as const, AROUND = 2;

const Words = (props: { part: Part; line: Line }) => {
  const isMarked = () => props.part.kind !== 'same' && props.line.parts.length > 1;
  return <Show when={isMarked()} fallback={props.part.text}><b>{props.part.text}</b></Show>;
};

const One = (props: { line: Line }) => {
  const text = () => <For each={props.line.parts}>{(part) => <Words part={part} line={props.line} />}</For>;
  return (
    <li data-kind={props.line.kind}>
      <span aria-hidden="true" class="diff-sign">{SIGNS[props.line.kind]}</span>
      <Show when={props.line.kind !== 'same'}><span class="hidden">{say(props.line.kind === 'gone' ? 'diff_gone' : 'diff_new')}: </span></Show>
      <Show when={props.line.kind === 'gone'} fallback={<Show when={props.line.kind === 'new'} fallback={<span>{text()}</span>}><ins>{text()}</ins></Show>}><del>{text()}</del></Show>
    </li>
  );
};

/** Runs of equal lines that are far from a change are one line that counts them; a single one is shown. */
const folded = (lines: Line[]): (Line | number)[] => {
  const isNear = (at: number) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same');
  const all: (Line | number)[] = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (end < lines.length && !isNear(end)) end++;
    if (end - i > 1) { all.push(end - i); i = end; } else all.push(lines[i++]!);
  }
  return all;
};

export const Difference = (props: { from: string; to: string }) => {
  const lines = createMemo(() => compareLines(props.from, props.to)), count = (kind: string) => lines().filter((line) => line.kind === kind).length;
  return (
    <div class="diff">
      <p class="soft">{say('diff_title')} · {props.from === props.to ? say('diff_same') : say('diff_counts', { gone: count('gone'), new: count('new') })}</p>
      <Show when={props.from !== props.to}>
        <ol class="sheet" dir="ltr" tabindex="0" aria-label={say('diff_title')}>
          <For each={folded(lines())}>{(line) => typeof line === 'number' ? <li class="soft">{say('diff_folded', { n: line })}</li> : <One line={line} />}</For>
        </ol>
      </Show>
    </div>
  );
};
