// Teams: a name, and who belongs to them. Members change at once, and each change can be taken back.
import { For, Show } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { Combobox, type Option } from '../../../kit/combobox';
import { Face } from '../../../kit/marks';
import { createRead } from '../../../kit/read';
import { href } from '../../../kit/route';
import { tell, tellWrong } from '../../../kit/strip';
import { readCatalog } from '../../frame/catalog';
import { hourChoices, readHours, readStaff, staffChoices, type Person } from '../choices';
import { rows } from '../rows';
import { say } from '../words';

const Members = (props: { team: Schemas['team']; changed: () => Promise<unknown> }) => {
  const [members, { refetch }] = createRead(() => props.team.id, async (id) => rowsOf(await get(`/teams/${id}/members`, { limit: 1000, fields: 'full_name' })) as unknown as Person[]);
  void readStaff();
  let input: HTMLInputElement | undefined;
  const change = async (method: 'POST' | 'DELETE', id: number) => {
    const path = `/teams/${props.team.id}/members`;
    await (method === 'POST' ? call('POST', path, { body: { agent_ids: [id] } }) : call('DELETE', path, { query: { agent_ids: id } }));
    await Promise.all([refetch(), props.changed()]);
  };
  const turn = async (method: 'POST' | 'DELETE', id: number, name: string) => {
    try {
      await change(method, id);
      tell(say(method === 'POST' ? 'member_added' : 'member_removed', { name }), () => change(method === 'POST' ? 'DELETE' : 'POST', id));
    } catch (error) {
      tellWrong((error as Error).message);
    }
    if (input) { input.value = ''; input.focus(); }
  };
  const find = async (text: string): Promise<Option[]> => staffChoices()
    .filter(({ id, label }) => label.toLowerCase().includes(text.toLowerCase()) && !members()?.some((one) => one.id === id)).slice(0, 12);

  return (
    <section class="settings-more" aria-labelledby="members-title">
      <h2 id="members-title">{say('members')}</h2>
      <Combobox label={say('member_add')} placeholder={say('member_add')} find={find} onChoose={({ id, label }) => void turn('POST', Number(id), label)} ref={(element) => { input = element; }} />
      <Show when={members()?.length === 0}><p class="soft">{say('members_empty')}</p></Show>
      <ul class="members">
        <For each={members()}>
          {({ id, full_name }) => (
            <li><Face name={full_name ?? ''} /><a href={href(`/people/${id}`)} dir="auto">{full_name}</a><span class="grow" />
              <button type="button" aria-label={say('remove_word', { name: full_name ?? '' })} onClick={() => void turn('DELETE', id, full_name ?? '')}>×</button></li>
          )}
        </For>
      </ul>
    </section>
  );
};

const Teams = rows({
  name: 'teams', path: '/teams', type: 'team', title: 'teams', new: 'team_new', empty: 'teams_empty', emptyNext: 'teams_empty_next', deleteWhy: 'team_delete_why',
  fields: [{ name: 'title', label: 'name' }, { name: 'businesshour_id', label: 'team_hours', empty: 'team_hours_default', among: hourChoices }],
  sorted: true,
  label: (team) => team.title ?? '',
  note: (team) => say('member_count', { n: team.member_count ?? 0 }),
  changed: readCatalog,
  below: (props) => <Show when={props.row} keyed>{(team) => <Members team={team} changed={props.form.read} />}</Show>,
});

export default () => { void readHours(); return <Teams />; };
