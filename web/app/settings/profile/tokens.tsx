// Tokens for programs that act for the person.
import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { tell, tellWrong } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { createForm } from '../form';
import { Form } from '../form_view';
import { Once } from '../once';
import { Page, Part } from '../page';
import { scopeChoices, scopeText } from '../scopes';
import { say, type SettingsWord } from '../words';

type Token = Schemas['api_token'];
const PATH = '/profile/api_tokens';
const DAYS: Record<string, SettingsWord> = { 30: 'days_30', 90: 'days_90', 365: 'days_365' };
const DAY_MS = 86_400_000;

const Tokens = () => {
  const [rows, { refetch }] = createRead(async () => rowsOf(await get(PATH, { limit: 100 })) as unknown as Token[]);
  const [made, setMade] = createSignal<string>(), [turn, setTurn] = createSignal({}), [doomed, setDoomed] = createSignal<Token>(), title = createUniqueId();
  let question!: HTMLDialogElement;
  const make = () => createForm({
    key: 'tokens/new', operation: 'POST /profile/api_tokens', path: PATH,
    initial: { scopes: ['conversations:read'], expires_at: '90' },
    wrap: (body) => ({ ...body, ...(body['expires_at'] ? { expires_at: new Date(Date.now() + Number(body['expires_at']) * DAY_MS).toISOString() } : {}) }),
    fields: [
      { name: 'name', label: 'token_name', help: 'token_name_help', required: true },
      { name: 'scopes', label: 'token_scopes', help: 'token_scopes_help', among: scopeChoices, required: true },
      { name: 'expires_at', label: 'token_ends', empty: 'token_endless', among: () => Object.entries(DAYS).map(([id, word]) => ({ id, label: say(word) })) },
    ],
    saved: (row) => { setMade(String(row['token'])); setTurn({}); void refetch(); },
  });
  const revoke = async () => {
    question.close();
    await call('DELETE', `${PATH}/${doomed()!.id}`).then(() => { tell(say('token_revoked')); void refetch(); }, (error: Error) => tellWrong(error.message));
  };
  return (
    <Page title="tokens" why="tokens_why">
      <Show when={made()}>{(text) => <Once label="token_made" text={text()} onKept={() => setMade(undefined)} />}</Show>
      <Part title="tokens_yours">
        <Show when={rows()?.length === 0}><p class="soft">{say('tokens_none')}</p></Show>
        <ul class="plain-rows">
          <For each={rows()}>
            {(row) => (
              <li>
                <span class="plain-text"><b dir="auto">{row.name}</b>
                  <span class="soft">{(row.scopes ?? []).map((scope) => scopeText(String(scope))).join(' · ')}</span>
                  <span class="soft">{row.last_used_at ? say('token_used', { time: shortTime(row.last_used_at) }) : say('token_unused')} · {row.expires_at ? say('token_until', { time: fullTime(row.expires_at) }) : say('token_endless')}</span></span>
                <button type="button" class="danger" aria-label={`${say('token_revoke')}: ${row.name}`} onClick={() => { setDoomed(row); question.showModal(); }}>{say('token_revoke')}</button>
              </li>
            )}
          </For>
        </ul>
      </Part>
      <Part title="token_new"><Show when={turn()} keyed>{(_) => <Form form={make()} submit="token_create" />}</Show></Part>
      <dialog ref={question} class="card" aria-labelledby={title}>
        <h2 id={title} dir="auto">{say('token_question', { name: doomed()?.name ?? '' })}</h2>
        <p>{say('token_question_why')}</p>
        <form method="dialog" class="settings-foot"><button type="submit">{say('cancel')}</button><button type="button" class="danger" onClick={() => void revoke()}>{say('token_revoke')}</button></form>
      </dialog>
    </Page>
  );
};
export default Tokens;
