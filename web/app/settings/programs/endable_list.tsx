// A list of rows that a person can end, each after a question: accesses of programs, accounts at providers.
import { createUniqueId, For, Show, type JSX } from 'solid-js';
import { call, type Kind } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { say, type SettingsWord } from '../words';
import { createPages } from './pages';
import { Question } from './question';

interface Props<R> {
  type: Kind;
  path: string;
  query?: Record<string, string | number | undefined>;
  none: SettingsWord;
  name: (row: R) => string;
  facts: (row: R) => JSX.Element;
  button: SettingsWord;
  title: SettingsWord;
  why: SettingsWord;
  ended: SettingsWord;
}

export const EndableList = <R,>(props: Props<R>) => {
  const id = createUniqueId(), pages = createPages(() => props.path, () => props.query ?? {}, props.type);
  const row = (one: number) => rowOf(props.type, one) as R | undefined;
  const end = async (one: number) => {
    await call('DELETE', `${props.path}/${one}`);
    tell(say(props.ended));
    document.getElementById(id)?.focus();
    await pages.again();
  };
  return (
    <div id={id} tabindex="-1">
      <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()} <button type="button" onClick={() => void pages.again()}>{say('try_again')}</button></p>
      <Show when={pages.ids()?.length === 0}><p class="soft">{say(props.none)}</p></Show>
      <ul class="plain-rows">
        <For each={pages.ids()}>
          {(one) => (
            <Show when={row(one)}>
              {(shown) => (
                <li>
                  <span class="plain-text"><b dir="auto">{props.name(shown())}</b>{props.facts(shown())}</span>
                  <Question button={props.button} name={props.name(shown())} title={props.title} why={props.why} danger act={() => end(one)} />
                </li>
              )}
            </Show>
          )}
        </For>
      </ul>
      <Show when={pages.hasMore()}><button type="button" onClick={() => void pages.more()}>{say('more')}</button></Show>
    </div>
  );
};
