// Accounts at providers by which people log in: those of a provider, or the own ones.
import { createUniqueId, For, Show } from 'solid-js';
import { call, type Schemas } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { shortTime } from '../../../kit/words';
import { createPages } from '../programs/pages';
import { Question } from '../programs/question';
import { say, type SettingsWord } from '../words';

type Link = Schemas['signin_link'];

export const LinkList = (props: { query: Record<string, string | number | undefined>; none: SettingsWord }) => {
  const id = createUniqueId(), isOwn = () => 'user_id' in props.query;
  const pages = createPages(() => '/signin/links', () => props.query, 'signin_link');
  const link = (one: number) => rowOf('signin_link', one) as Link | undefined;
  const nameOf = (row: Link) => (isOwn() ? row.provider_name : rowOf('user', row.user)?.full_name) ?? row.subject ?? '';
  const end = async (one: number) => {
    await call('DELETE', `/signin/links/${one}`);
    tell(say('signin_link_removed'));
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
            <Show when={link(one)}>
              {(row) => (
                <li>
                  <span class="plain-text"><b dir="auto">{nameOf(row())}</b>
                    <span class="soft" dir="auto">{say('signin_link_facts', { subject: row().subject ?? '', time: shortTime(row().last_used_at ?? '') })}</span></span>
                  <Question button="signin_link_remove" name={nameOf(row())} title="signin_link_question" why="signin_link_question_why" danger act={() => end(one)} />
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
