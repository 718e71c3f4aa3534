// Small marks: a status is a word with a shape, never a colour alone.
import { Show } from 'solid-js';
import { rowOf } from './store';

const SHAPES: Record<string, string> = { NEW: '◆', OPEN: '●', PENDING: '◐', COMPLETED: '✓', CLOSED: '■' };

export const StatusMark = (props: { id: number | undefined }) => {
  const status = () => rowOf('case_status', props.id);
  return (
    <Show when={status()}>
      {(s) => <span class="status" data-type={s().type}><span aria-hidden="true">{SHAPES[s().type ?? ''] ?? '○'}</span> {s().label}</span>}
    </Show>
  );
};

const initials = (name: string) => name.split(/\s+/).filter(Boolean).slice(0, 2).map((part) => [...part][0]).join('');

export const Face = (props: { name: string }) => <span class="face" aria-hidden="true">{initials(props.name)}</span>;
