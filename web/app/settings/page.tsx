// An area that is one page, in place of a list of rows: a heading and sections.
import { createUniqueId, onMount, Show, type JSX } from 'solid-js';
import { href } from '../../kit/route';
import { say, type SettingsWord } from './words';

export const Page = (props: { title: SettingsWord; why?: SettingsWord; children: JSX.Element }) => {
  const id = createUniqueId();
  let heading!: HTMLHeadingElement;
  onMount(() => { document.title = `${say(props.title)} · deskd`; heading.focus(); });
  return (
    <section class="settings-page region" aria-labelledby={id} tabindex="-1" data-region>
      <a class="button narrow" href={href('/settings')}>{say('to_settings')}</a>
      <h1 ref={heading} id={id} tabindex="-1">{say(props.title)}</h1>
      <Show when={props.why}><p class="soft">{say(props.why!)}</p></Show>
      {props.children}
    </section>
  );
};

/** A part of a page. */
export const Part = (props: { title: SettingsWord; why?: SettingsWord | undefined; children: JSX.Element }) => {
  const id = createUniqueId();
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{say(props.title)}</h2>
      <Show when={props.why}><p class="soft">{say(props.why!)}</p></Show>
      {props.children}
    </section>
  );
};
