// Addresses, phone numbers and accounts: of a person on the card, or one's own in the profile. Each is changed by itself. What can be added by hand is
// deleted with an undo, which adds it again; the rest is deleted after a question.
import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { call, get, Refused, rowsOf, type Row } from '../../kit/api';
import { tell, tellWrong } from '../../kit/strip';
import { isAdmin, rank } from '../session/rank';
import { Question } from '../settings/programs/question';
import { createRead } from '../settings/read';
import { say, type SettingsWord } from '../settings/words';

interface Kind { member: string; title: SettingsWord; add?: SettingsWord; type: string }
const KINDS = {
  emails: { member: 'email', title: 'card_emails', add: 'address_new', type: 'email' },
  phones: { member: 'number', title: 'card_phones', add: 'card_phone_new', type: 'tel' },
  twitter: { member: 'screen_name', title: 'card_twitter', add: 'card_twitter_new', type: 'text' },
  facebook: { member: 'user_name', title: 'card_facebook', type: 'text' },
} as const satisfies Record<string, Kind>;
export type IdentityKind = keyof typeof KINDS;
/** The operations of a person's, and of one's own. Nobody adds a Facebook account by hand, nor a Twitter account to oneself. */
const OF_PERSON = { emails: '/identities/emails', phones: '/identities/phones', twitter: '/identities/twitter', facebook: '/identities/facebook' };
const OWN = { emails: '/profile/identities/emails', phones: '/profile/identities/phones', twitter: '/profile/identities/twitter', facebook: '/profile/identities/facebook' };
const PHONE_TYPES = { NONE: 'phone_none', MOBILE: 'phone_mobile', WORK: 'phone_work', HOME: 'phone_home' } as const satisfies Record<string, SettingsWord>;

/** `user`: whose they are; absent: one's own. `changed` is called after each change. `ifAny`: nothing is shown as long as there is none. `untitled`: the place has a title. */
export const Identities = (props: { kind: IdentityKind; user?: number; changed?: () => void; ifAny?: boolean; untitled?: boolean }) => {
  const kind: Kind = KINDS[props.kind], isOwn = props.user === undefined, path = (isOwn ? OWN : OF_PERSON)[props.kind], id = createUniqueId();
  const adds = kind.add && !(isOwn && props.kind === 'twitter');
  const mayLead = isOwn || props.kind !== 'facebook' || isAdmin(), mayConfirm = !isOwn && rank() !== 'COLLABORATOR' && (props.kind !== 'facebook' || isAdmin());
  const [rows, again] = createRead(async () => rowsOf(await get(path, isOwn ? { limit: 100 } : { user_id: props.user, limit: 100 })));
  const [wrong, setWrong] = createSignal<string>(), [notice, setNotice] = createSignal<string>();
  let input: HTMLInputElement | undefined, type: HTMLSelectElement | undefined, alert!: HTMLParagraphElement, title: HTMLHeadingElement | undefined;

  const plain = (row: Row) => String(row[kind.member] || row['full_name'] || row['twitter_id'] || row['facebook_id'] || '');
  const textOf = (row: Row) => props.kind === 'twitter' && row['screen_name'] ? `@${plain(row)}` : plain(row);
  const notes = (row: Row) => [
    ...(row['is_primary'] ? [say('address_primary')] : row['is_validated'] ? [say('address_good')] : []), ...(row['is_validated'] || isOwn ? [] : [say('card_claimed')]),
    ...(row['type'] && row['type'] !== 'NONE' ? [say(PHONE_TYPES[row['type'] as keyof typeof PHONE_TYPES])] : []),
  ].join(' · ');
  const refresh = async () => { await again(); props.changed?.(); };
  const done = async (work: Promise<unknown>) => { try { await work; await refresh(); } catch (error) { tellWrong((error as Error).message); } };
  const create = (text: string, rest: object = {}) => call('POST', path, { body: { ...(isOwn ? {} : { user_id: props.user }), [kind.member]: text, ...rest } });
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    setWrong(undefined);
    setNotice(undefined);
    try {
      const reply = await create(input!.value.trim(), isOwn && type ? { type: type.value } : {});
      setNotice(reply.notifications?.map(({ message }) => message).join(' '));
      input!.value = '';
      await refresh();
    } catch (error) {
      if (!(error instanceof Refused)) return tellWrong(say('no_answer'));
      setWrong(error.message);
      alert.focus();
    }
  };
  const lead = (row: Row) => done(isOwn ? call('PUT', `${path}/${row.id}/primary`) : call('PUT', `${path}/${row.id}`, { body: { is_primary: true } }));
  const confirm = async (row: Row, is_validated: boolean) => { await call('PUT', `${path}/${row.id}`, { body: { is_validated } }); await refresh(); };
  const verify = (row: Row) => done(call('PUT', `${path}/${row.id}/send_verification_email`).then((reply) => setNotice(reply.notifications?.map(({ message }) => message).join(' ') || say('card_link_sent', { name: textOf(row) }))));
  const drop = (row: Row) => call('DELETE', `${path}/${row.id}`).then(async () => {
    const former = { is_primary: row['is_primary'], ...(isOwn ? { type: row['type'] } : { is_validated: row['is_validated'] }) };
    const { is_primary, ...rest } = former;
    tell(say('card_removed', { name: textOf(row) }), adds ? async () => { await create(plain(row), props.kind === 'twitter' ? rest : { ...rest, is_primary }); await refresh(); } : undefined);
    await refresh();
    (input ?? title)?.focus();
  });
  const named = (word: SettingsWord, row: Row) => `${say(word)}: ${textOf(row)}`;
  return (
    <Show when={!props.ifAny || rows()?.length}>
      <section class="details-part identities" aria-labelledby={props.untitled ? undefined : `${id}-title`}>
        <Show when={!props.untitled}><h3 ref={(element) => { title = element; }} id={`${id}-title`} tabindex="-1">{say(kind.title)}</h3></Show>
        <ul class="plain-rows">
          <For each={rows()}>
            {(row) => (
              <li>
                <span class="plain-text"><span dir="ltr">{textOf(row)}</span><span class="soft">{notes(row)}</span></span>
                <Show when={!row['is_primary'] && mayLead}><button type="button" aria-label={named('address_make_primary', row)} onClick={() => void lead(row)}>{say('address_make_primary')}</button></Show>
                <Show when={!row['is_validated'] && mayConfirm}><button type="button" aria-label={named('card_confirm', row)} onClick={() => void confirm(row, true).then(() => tell(say('card_confirmed', { name: textOf(row) }), () => confirm(row, false)), (error: Error) => tellWrong(error.message))}>{say('card_confirm')}</button></Show>
                <Show when={!isOwn && props.kind === 'emails' && !row['is_validated']}><button type="button" aria-label={named('card_send_link', row)} onClick={() => void verify(row)}>{say('card_send_link')}</button></Show>
                <Show when={adds} fallback={<Question button="delete" title="card_remove_title" why="card_remove_why" name={textOf(row)} danger act={() => drop(row)} />}>
                  <button type="button" class="danger" aria-label={named('delete', row)} onClick={() => void drop(row).catch((error: Error) => tellWrong(error.message))}>{say('delete')}</button>
                </Show>
              </li>
            )}
          </For>
        </ul>
        <Show when={adds}>
          <form noValidate onSubmit={(event) => void add(event)}>
            <label class="label" for={id}>{say(kind.add!)}</label>
            <div class="typed-line">
              <input ref={(element) => { input = element; }} id={id} type={kind.type} dir="ltr" autocomplete="off" aria-invalid={!!wrong()} aria-describedby={wrong() ? `${id}-wrong` : undefined} />
              <Show when={isOwn && props.kind === 'phones'}><select ref={(element) => { type = element; }} aria-label={say('phone_type')}><For each={Object.entries(PHONE_TYPES)}>{([value, word]) => <option value={value}>{say(word)}</option>}</For></select></Show>
              <button type="submit">{say('add')}</button>
            </div>
          </form>
        </Show>
        <p ref={alert} id={`${id}-wrong`} class="wrong" role="alert" tabindex="-1" hidden={!wrong()}>{wrong()}</p>
        <p role="status" class="soft" hidden={!notice()}>{notice()}</p>
      </section>
    </Show>
  );
};
