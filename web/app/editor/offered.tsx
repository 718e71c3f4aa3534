// A draft that another tab or machine has saved since: the person chooses between both texts.
import { Show } from 'solid-js';
import { dictionary } from '../../kit/words';
import { en } from '../../words/offered/en';
import type { Draft } from './draft';

const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/offered/de')).de, ar: async () => (await import('../../words/offered/ar')).ar });

export const loadOffered = async () => { await ready(); return { default: Offered }; };
const Offered = (props: { draft: Draft; title?: string | undefined }) => (
  <Show when={props.draft.offered()}>
    <div class="offered" role="alert">
      <p>{say('draft_elsewhere')}</p>
      <blockquote dir="auto"><Show when={props.title}><b>{props.title}</b></Show>{props.draft.offeredText()}</blockquote>
      <p class="offered-do"><button type="button" onClick={() => props.draft.choose(true)}>{say('draft_take')}</button> <button type="button" onClick={() => props.draft.choose(false)}>{say('draft_keep')}</button></p>
    </div>
  </Show>
);
