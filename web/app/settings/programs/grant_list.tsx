// Which program may act for whom, and since when. Each access can be withdrawn.
import { createUniqueId, For, Show } from 'solid-js';
import { call, type Ref, type Row } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { shortTime } from '../../../kit/words';
import { scopeText } from '../scopes';
import { say, type SettingsWord } from '../words';
import { createPages } from './pages';
import { Question } from './question';

interface Props { path: '/oauth/grants' | '/oauth/my_grants'; query?: Record<string, number | undefined>; none: SettingsWord }

export const GrantList = (props: Props) => {
  const type = props.path === '/oauth/grants' ? 'oauth_grant' : 'my_oauth_grant', id = createUniqueId();
  const pages = createPages(() => props.path, () => ({ ...props.query, ...(type === 'oauth_grant' ? { include: 'user,user_minimal,oauth_client' } : {}) }));
  const grant = (one: number) => rowOf(type, one) as Row | undefined;
  const nameOf = (row: Row) => {
    const own = row['client'] as { name?: string | null } | null, person = rowOf('user', row['user'] as Ref | null)?.full_name;
    const program = (type === 'my_oauth_grant' ? own?.name : rowOf('oauth_client', row['client'] as Ref | null)?.name) ?? '';
    return type === 'my_oauth_grant' ? program : say('grant_for', { program, person: person ?? say('grant_gone') });
  };
  const withdraw = async (one: number) => {
    await call('DELETE', `${props.path}/${one}`);
    tell(say('grant_withdrawn'));
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
            <Show when={grant(one)}>
              {(row) => (
                <li>
                  <span class="plain-text"><b dir="auto">{nameOf(row())}</b>
                    <span class="soft">{((row()['scopes'] ?? []) as string[]).map(scopeText).join(' · ')}</span>
                    <span class="soft">{[say('grant_since', { time: shortTime(String(row()['created_at'])) }), row()['last_activity_at'] ? say('used_last', { time: shortTime(String(row()['last_activity_at'])) }) : say('used_never')].join(' · ')}</span></span>
                  <Question button="grant_withdraw" name={nameOf(row())} title="grant_question" why="grant_question_why" danger act={() => withdraw(one)} />
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
