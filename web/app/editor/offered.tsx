// A draft that another tab or machine has saved since: the person chooses between both texts.
import { Show } from 'solid-js';
import { say } from '../../kit/words';
import type { Draft } from './draft';

export const Offered = (props: { draft: Draft; title?: string | undefined }) => (
  <Show when={props.draft.offered()}>
    <div class="offered" role="alert">
      <p>{say('draft_elsewhere')}</p>
      <blockquote dir="auto"><Show when={props.title}><b>{props.title}</b></Show>{props.draft.offeredText()}</blockquote>
      <p class="offered-do"><button type="button" onClick={() => props.draft.choose(true)}>{say('draft_take')}</button> <button type="button" onClick={() => props.draft.choose(false)}>{say('draft_keep')}</button></p>
    </div>
  </Show>
);
