// Which program may act for whom, and since when. Each access can be withdrawn.
import { type Ref, type Row } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { shortTime } from '../../../kit/words';
import { scopeText } from '../scopes';
import { say, type SettingsWord } from '../words';
import { EndableList } from './endable_list';

interface Props { path: '/oauth/grants' | '/oauth/my_grants'; query?: Record<string, number | undefined>; none: SettingsWord }

export const GrantList = (props: Props) => {
  const type = props.path === '/oauth/grants' ? 'oauth_grant' : 'my_oauth_grant';
  const nameOf = (row: Row) => {
    const own = row['client'] as { name?: string | null } | null, person = rowOf('user', row['user'] as Ref | null)?.full_name;
    const program = (type === 'my_oauth_grant' ? own?.name : rowOf('oauth_client', row['client'] as Ref | null)?.name) ?? '';
    return type === 'my_oauth_grant' ? program : say('grant_for', { program, person: person ?? say('grant_gone') });
  };
  const facts = (row: Row) => (
    <>
      <span class="soft">{((row['scopes'] ?? []) as string[]).map(scopeText).join(' · ')}</span>
      <span class="soft">{[say('grant_since', { time: shortTime(String(row['created_at'])) }), row['last_activity_at'] ? say('used_last', { time: shortTime(String(row['last_activity_at'])) }) : say('used_never')].join(' · ')}</span>
    </>
  );
  return (
    <EndableList type={type} path={props.path} query={{ ...props.query, ...(type === 'oauth_grant' ? { include: 'user,user_minimal,oauth_client' } : {}) }} none={props.none}
      name={nameOf} facts={facts} button="grant_withdraw" title="grant_question" why="grant_question_why" ended="grant_withdrawn" />
  );
};
