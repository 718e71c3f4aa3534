// The line between two regions, which is moved by the pointer or by arrow keys. The width is kept in the browser.
import { createEffect } from 'solid-js';
import { say, type Word } from '../../kit/words';
import { widths, setWidth, WIDTHS, type Region } from './look';

const STEP = 16;

export const Separator = (props: { region: Region; word: Word; controls: string; grows: 1 | -1 }) => {
  const [least, most] = WIDTHS[props.region].range;
  createEffect(() => document.documentElement.style.setProperty(`--${props.region}`, `${widths[props.region]}px`));
  /** 1 where the region grows towards the right of the screen. */
  const side = () => document.documentElement.dir === 'rtl' ? -props.grows : props.grows;
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement, from = event.clientX, width = widths[props.region];
    handle.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent) => setWidth(props.region, width + side() * (clientX - from));
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
    event.preventDefault();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: STEP, ArrowLeft: -STEP }[event.key];
    if (event.key === 'Home') setWidth(props.region, least);
    else if (event.key === 'End') setWidth(props.region, most);
    else if (step) setWidth(props.region, widths[props.region] + side() * step);
    else return;
    event.preventDefault();
  };
  return (
    <div class={`separator for-${props.region}`} role="separator" tabindex="0" aria-orientation="vertical" aria-label={say(props.word)} aria-controls={props.controls}
      aria-valuenow={widths[props.region]} aria-valuemin={least} aria-valuemax={most} onPointerDown={drag} onKeyDown={onKey} />
  );
};
