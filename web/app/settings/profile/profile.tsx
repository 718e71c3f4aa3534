// The own profile: what colleagues and customers see, the picture, the addresses.
import { createSignal, For, Show } from 'solid-js';
import { call, get, Refused, rowsOf, type Row } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { keepReply } from '../../../kit/store';
import { tell, tellWrong } from '../../../kit/strip';
import { Identities } from '../../people/identities';
import { me, refresh } from '../../session/session';
import { zoneChoices } from '../choices';
import { createForm } from '../form';
import { Form } from '../form_view';
import { Page, Part } from '../page';
import { say } from '../words';

const ADDRESS = { path: '/profile/identities/emails', query: { limit: 100 } };

const Picture = () => {
  const [turn, setTurn] = createSignal(0), [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  const source = () => { turn(); const avatar = me()?.avatar; return avatar ? new URL(avatar).pathname + new URL(avatar).search : undefined; };
  const done = async (work: Promise<unknown>) => {
    setBusy(true);
    setWrong(undefined);
    try { await work; await refresh(); setTurn((n) => n + 1); } catch (error) { setWrong((error as Error).message); } finally { setBusy(false); }
  };
  const send = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = '';
    if (!file) return;
    const body = new FormData();
    body.append('avatar', file);
    void done(call('PUT', '/profile', { body }));
  };
  return (
    <div class="picture">
      <Show when={source()}>{(at) => <img src={at()} alt={say('picture_now')} width="64" height="64" />}</Show>
      <div>
        <div class="settings-foot">
          <label class="button">{say('picture_choose')}<input class="hidden" type="file" accept="image/png,image/jpeg,image/gif,image/webp" disabled={busy()} onChange={(event) => send(event.currentTarget)} /></label>
          <button type="button" disabled={busy()} onClick={() => void done(call('DELETE', '/profile/avatar'))}>{say('picture_remove')}</button>
        </div>
        <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
      </div>
    </div>
  );
};

/** The own addresses. Mails of conversations come to the primary one; a new one is verified by a mail first. */
export const Addresses = () => {
  const [rows, { refetch }] = createRead(async () => rowsOf(await get(ADDRESS.path, ADDRESS.query)));
  const [wrong, setWrong] = createSignal<string>(), [notice, setNotice] = createSignal<string>();
  let input!: HTMLInputElement, alert!: HTMLParagraphElement;
  const done = async (work: Promise<unknown>) => {
    try { await work; await refetch(); } catch (error) { tellWrong((error as Error).message); }
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    setWrong(undefined);
    try {
      const reply = await call('POST', ADDRESS.path, { body: { email: input.value.trim() } });
      setNotice(say(reply.notifications?.length ? 'address_waits' : 'address_sent', { address: input.value.trim() }));
      input.value = '';
      await refetch();
    } catch (error) {
      if (!(error instanceof Refused)) return tellWrong(say('no_answer'));
      setWrong(error.message);
      alert.focus();
    }
  };
  const at = (row: Row, rest = '') => `${ADDRESS.path}/${row.id}${rest}`;
  return (
    <>
      <ul class="plain-rows">
        <For each={rows()}>
          {(row) => (
            <li>
              <span class="plain-text"><span dir="ltr">{String(row['email'])}</span>
                <span class="soft">{say(row['is_primary'] ? 'address_primary' : row['is_validated'] ? 'address_good' : 'address_unverified')}</span></span>
              <Show when={!row['is_primary']}>
                <Show when={row['is_validated']} fallback={<button type="button" onClick={() => void done(call('PUT', at(row, '/verification')).then(() => tell(say('address_sent', { address: String(row['email']) }))))}>{say('address_again')}</button>}>
                  <button type="button" onClick={() => void done(call('PUT', at(row, '/primary')))}>{say('address_make_primary')}</button>
                </Show>
                <button type="button" class="danger" aria-label={say('remove_word', { name: String(row['email']) })} onClick={() => void done(call('DELETE', at(row)))}>{say('delete')}</button>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <form class="settings-form" noValidate onSubmit={(event) => void add(event)}>
        <p ref={alert} class="wrong" role="alert" tabindex="-1" hidden={!wrong()}>{wrong()}</p>
        <div><label class="label" for="own-address">{say('address_new')}</label>
          <div class="typed-line"><input ref={input} id="own-address" type="email" dir="ltr" autocomplete="email" /><button type="submit">{say('add')}</button></div></div>
        <p role="status" class="soft" hidden={!notice()}>{notice()}</p>
      </form>
    </>
  );
};

const Profile = () => {
  const [locales] = createRead(async () => rowsOf(await get('/locales', { limit: 100, fields: 'native_name,is_enabled' })).filter((row) => row['is_enabled']));
  const form = createForm({
    key: 'profile/own', operation: 'PUT /profile', path: '/profile', read: async () => ({ ...await get('/profile'), etag: null }), // the version also counts pictures and addresses, which this page changes, too
    fields: [
      { name: 'full_name', label: 'profile_name', required: true },
      { name: 'designation', label: 'profile_position' },
      { name: 'locale_id', label: 'profile_language', help: 'profile_language_help', among: () => (locales() ?? []).map((row) => ({ id: row.id, label: String(row['native_name']) })) },
      { name: 'time_zone', label: 'profile_zone', help: 'profile_zone_help', empty: 'profile_zone_desk', among: () => zoneChoices(me()?.time_zone ?? undefined) },
      { name: 'signature', label: 'profile_signature', help: 'profile_signature_help', long: true },
    ],
    saved: (_, reply) => { keepReply(reply); void refresh(); },
  });
  return (
    <Page title="profile">
      <Part title="picture"><Picture /></Part>
      <Part title="profile_about"><Show when={locales()}><Form form={form} /></Show></Part>
      <Part title="addresses" why="addresses_why"><Addresses /></Part>
      <Part title="card_phones" why="card_phones_why"><Identities kind="phones" untitled /></Part>
      <Identities kind="twitter" ifAny />
      <Identities kind="facebook" ifAny />
    </Page>
  );
};
export default Profile;
