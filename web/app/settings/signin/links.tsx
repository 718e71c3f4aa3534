// Accounts at providers by which people log in: those of a provider, or the own ones.
import { type Schemas } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { shortTime } from '../../../kit/words';
import { EndableList } from '../programs/endable_list';
import { say, type SettingsWord } from '../words';

type Link = Schemas['signin_link'];

export const LinkList = (props: { query: Record<string, string | number | undefined>; none: SettingsWord }) => {
  const isOwn = () => 'user_id' in props.query;
  const nameOf = (row: Link) => (isOwn() ? row.provider_name : rowOf('user', row.user)?.full_name) ?? row.subject ?? '';
  const facts = (row: Link) => <span class="soft" dir="auto">{say('signin_link_facts', { subject: row.subject ?? '', time: shortTime(row.last_used_at ?? '') })}</span>;
  return (
    <EndableList type="signin_link" path="/signin/links" query={props.query} none={props.none} name={nameOf} facts={facts}
      button="signin_link_remove" title="signin_link_question" why="signin_link_question_why" ended="signin_link_removed" />
  );
};
