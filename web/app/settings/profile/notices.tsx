// Of what the person is notified, and where. Each choice is saved at once.
import { For, Show } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { tell, tellWrong } from '../../../kit/strip';
import { Page } from '../page';
import { say, type SettingsWord } from '../words';

type Preference = Schemas['notification_preference'];
const EVENTS: Record<string, SettingsWord> = {
  case_created: 'notice_case_created', reply_on_case: 'notice_reply', case_assigned_to_agent: 'notice_agent',
  case_assigned_to_team: 'notice_team', sla_breached: 'notice_breach', mentioned_in_conversation: 'notice_mention',
};
const PLACES = { desktop: 'notice_list', email: 'notice_email', mobile: 'notice_mobile' } as const satisfies Record<string, SettingsWord>;

const Notices = () => {
  const [rows, { mutate }] = createRead(async () => rowsOf(await get('/notification_preferences', { limit: 100 })) as unknown as Preference[]);
  const put = (type: string, place: keyof typeof PLACES, value: boolean) => mutate((all) => all?.map((row) => row.type === type ? { ...row, [place]: value } : row));
  const set = async (row: Preference, place: keyof typeof PLACES, value: boolean, isUndo = false): Promise<void> => {
    const type = row.type ?? '';
    put(type, place, value);
    try {
      await call('PUT', `/notification_preferences/${type}`, { body: { [place]: value } });
      if (!isUndo) tell(say('saved'), () => set(row, place, !value, true));
    } catch (error) {
      put(type, place, !value);
      tellWrong((error as Error).message);
    }
  };
  const wordOf = (row: Preference) => EVENTS[row.type ?? ''] ? say(EVENTS[row.type ?? '']!) : row.type ?? '';
  return (
    <Page title="notices" why="notices_why">
      <Show when={rows()}>
        <table class="grid-table">
          <thead><tr><th scope="col">{say('notice_event')}</th><For each={Object.values(PLACES)}>{(word) => <th scope="col">{say(word)}</th>}</For></tr></thead>
          <tbody>
            <For each={rows()?.map((row) => row.type ?? '')}>
              {(type) => {
                const row = () => rows()!.find((one) => one.type === type)!;
                return (
                  <tr><th scope="row">{wordOf(row())}</th>
                    <For each={Object.entries(PLACES) as [keyof typeof PLACES, SettingsWord][]}>
                      {([place, word]) => <td><label class="check"><input type="checkbox" aria-label={`${wordOf(row())}: ${say(word)}`} checked={row()[place] ?? false} onChange={(event) => void set(row(), place, event.currentTarget.checked)} /></label></td>}
                    </For>
                  </tr>
                );
              }}
            </For>
          </tbody>
        </table>
      </Show>
    </Page>
  );
};
export default Notices;
