// In place of a screen that failed, or was refused something that it needs. The other screens work.
import { createEffect, ErrorBoundary, on, type ParentProps } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { place } from '../../kit/route';
import { say } from '../../kit/words';

const Failed = (props: { error: Error; retry: () => void; within: 'main' | 'section' }) => {
  createEffect(on(place, () => props.retry(), { defer: true }));
  return <Dynamic component={props.within} class="pad"><h1>{say('screen_failed')}</h1><p class="wrong" role="alert">{props.error.message}</p><p><button type="button" onClick={() => props.retry()}>{say('retry')}</button></p></Dynamic>;
};

/** `within`: the element of the failed part: `main` in place of a whole screen. */
export const Apart = (props: ParentProps<{ within: 'main' | 'section' }>) => <ErrorBoundary fallback={(error: Error, reset) => <Failed error={error} retry={reset} within={props.within} />}>{props.children}</ErrorBoundary>;
