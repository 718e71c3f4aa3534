// Whether staff may log in with passwords. Owners always may: that is the way in if a provider fails.
import { Match, Show, Switch } from 'solid-js';
import { call, get, rowsOf } from '../../../kit/api';
import { tell } from '../../../kit/strip';
import { Page, Part } from '../page';
import { Question } from '../programs/question';
import { createRead } from '../read';
import { rank } from '../rights';
import { say } from '../words';

const NAME = 'security.staff_passwords';

export default () => {
  const [state, again] = createRead(async () => {
    const [settings, providers] = await Promise.all([get('/settings', { limit: 500 }), get('/signin/providers', { limit: 1000 })]);
    const setting = rowsOf(settings).find((row) => `${row['category']}.${row['name']}` === NAME);
    return { on: setting?.['value'] === '1', providers: rowsOf(providers).filter((row) => row['is_enabled'] && row['is_for_staff']).length };
  });
  const turn = async (on: boolean) => {
    await call('PUT', '/settings', { body: { values: { [NAME]: on } } });
    tell(say('saved'));
    await again();
  };
  return (
    <Page title="staff_passwords" why="passwords_why">
      <Part title="passwords_now">
        <Show when={state()}>
          {(now) => (
            <>
              <p role="status"><b>{say(now().on ? 'passwords_on' : 'passwords_off')}</b></p>
              <Switch>
                <Match when={rank() !== 'OWNER'}><p class="soft">{say('signin_owner_only')}</p></Match>
                <Match when={!now().on}><p><Question button="passwords_turn_on" title="passwords_question_on" why="passwords_question_on_why" act={() => turn(true)} /></p></Match>
                <Match when={now().providers === 0}><p class="warning">{say('passwords_no_provider')}</p></Match>
                <Match when={now().on}><p><Question button="passwords_turn_off" title="passwords_question_off" why="passwords_question_off_why" danger act={() => turn(false)} /></p></Match>
              </Switch>
            </>
          )}
        </Show>
      </Part>
      <Part title="passwords_break"><p>{say('passwords_break_why')}</p></Part>
    </Page>
  );
};
