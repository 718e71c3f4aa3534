// Who gets a copy of a reply by mail: the chosen addresses, people by name or address, those who have written or got mail in the
// conversation, and the others of its last message ("reply to all").
import { createEffect, createSignal, For, on, Show, untrack } from 'solid-js';
import { get, rowsOf, type Reply } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { say } from '../../kit/words';

export const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/, ADDRESSES = /[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+/g;
const FOUND_MOST = 8, MESSAGES_READ = 10;

const emailsOf = (reply: Reply, refs: { id: number }[]) => refs.map(({ id }) => reply.resources?.['identity_email']?.[id]).filter((one) => one !== undefined)
  .sort((a, b) => Number(b['is_primary'] === true) - Number(a['is_primary'] === true)).map((one) => String(one['email'] ?? ''));

/** People whose name or address begins so. A whole address comes first, so that Enter takes what was typed. */
export const findPeople = async (text: string): Promise<Option[]> => {
  const [byAddress, byName] = await Promise.all([
    get('/autocomplete/emails', { address: text, limit: FOUND_MOST, include: 'identity_email,user_minimal', _flat: true }),
    text.includes('@') ? undefined : get('/autocomplete/users', { name: text, limit: FOUND_MOST, fields: 'full_name,emails', include: 'identity_email', _flat: true }),
  ]);
  const found = new Map<string, Option>();
  const keep = (email: string, more: string) => { if (email && !found.has(email.toLowerCase())) found.set(email.toLowerCase(), { id: email, label: email, more }); };
  if (ADDRESS.test(text)) keep(text, '');
  for (const row of byName ? rowsOf(byName) : []) keep(emailsOf(byName!, (row['emails'] ?? []) as { id: number }[])[0] ?? '', String(row['full_name'] ?? ''));
  for (const row of rowsOf(byAddress)) {
    const { identity, parent } = row as unknown as { identity: { id: number }; parent: { id: number } | null };
    keep(emailsOf(byAddress, [identity])[0] ?? '', String(byAddress.resources?.['user_minimal']?.[parent?.id ?? 0]?.['full_name'] ?? ''));
  }
  return [...found.values()].slice(0, FOUND_MOST);
};

interface Person { email: string; name: string }
interface Message { email: string | null; fullname: string | null; creation_mode: string; recipients: { email: string; name: string | null }[] }

/** Those who take part by mail, without these addresses. `last`: of the newest message. */
const peopleOf = (messages: Message[], without: Set<string>) => {
  const found = new Map<string, Person>();
  for (const { email, fullname, creation_mode, recipients } of messages) {
    const named = [...(creation_mode === 'MAIL' && email ? [{ email, name: fullname }] : []), ...recipients];
    for (const { email, name } of named) {
      const key = email.toLowerCase();
      if (!without.has(key) && !found.has(key)) found.set(key, { email, name: name ?? '' });
    }
  }
  return [...found.values()];
};

export interface CcProps {
  caseId: number;
  /** The requester's, who gets the reply itself; '' while it is not known. */
  to: string;
  /** Addresses of the desk, which get no copy. */
  own: string[];
  /** Somebody writes. A conversation that is only read costs no request. */
  active: boolean;
  /** Grows when all shall get the reply. */
  all: number;
  cc: string[];
  onCc: (addresses: string[]) => void;
  /** Gets a function that takes over what is typed. It returns what is no address, and puts the focus there. */
  ref: (settle: () => string | undefined) => void;
}

export const Cc = (props: CcProps) => {
  const [open, setOpen] = createSignal(false), [wrong, setWrong] = createSignal<string>(), [messages, setMessages] = createSignal<Message[]>();
  let input: HTMLInputElement | undefined, reading: Promise<unknown> | undefined;
  const isOpen = () => open() || props.cc.length > 0;
  const read = () => reading ??= get(`/cases/${props.caseId}/messages`, { limit: MESSAGES_READ, fields: 'email,fullname,creation_mode,recipients' })
    .then((reply) => setMessages(rowsOf(reply) as unknown as Message[]), () => { reading = undefined; });
  createEffect(() => { if (props.active) void read(); });

  const without = () => new Set([props.to, ...props.own, ...props.cc].map((one) => one.toLowerCase()));
  const others = () => props.to ? peopleOf(messages() ?? [], without()) : [], ofLast = () => props.to ? peopleOf((messages() ?? []).slice(0, 1), without()) : [];
  const add = (addresses: string[]) => {
    const known = without();
    props.onCc([...props.cc, ...addresses.filter((one) => !known.has(one.toLowerCase()) && known.add(one.toLowerCase()))]);
  };
  const toAll = () => add(ofLast().map(({ email }) => email));
  // It waits for the address of the requester and for the messages.
  const [wanted, setWanted] = createSignal(false);
  createEffect(on(() => props.all, (n) => { if (n) setWanted(true); }));
  createEffect(() => { if (wanted() && props.to && messages()) { setWanted(false); untrack(toAll); } });

  /** What stands in the field becomes a copy, or is said to be no address. */
  const settle = (): string | undefined => {
    const text = input?.isConnected ? input.value.trim() : '', bad = props.cc.find((one) => !ADDRESS.test(one));
    setWrong(undefined);
    if (text && ADDRESS.test(text)) { add([text]); input!.value = ''; } else if (text) setWrong(text);
    return wrong() ?? bad;
  };
  props.ref(() => { const bad = settle(); if (bad) input?.focus(); return bad; });
  const named = ({ name, email }: Person) => name ? `${name} <${email}>` : email;

  return (
    <Show when={isOpen()} fallback={<>
      <button type="button" class="link" onClick={() => { setOpen(true); queueMicrotask(() => input?.focus()); }}>{say('mail_cc')}</button>
      <Show when={ofLast().length}><button type="button" class="link" title={ofLast().map(named).join(', ')} onClick={toAll}>{say('reply_all', { n: ofLast().length })} <kbd>Shift+r</kbd></button></Show>
    </>}>
      <span class="cc" role="group" aria-label={say('mail_cc')}>
        <span class="soft">{say('mail_cc')}</span>
        <For each={props.cc}>{(address) => <span class="tag" classList={{ wrong: !ADDRESS.test(address) }}><bdi>{address}</bdi> <button type="button" aria-label={say('remove_copy', { address })} onClick={() => { setOpen(true); props.onCc(props.cc.filter((one) => one !== address)); input?.focus(); }}>×</button></span>}</For>
        <span onFocusOut={settle} onInput={() => setWrong(undefined)} onPaste={(event) => { const found = event.clipboardData?.getData('text/plain').match(ADDRESSES) ?? []; if (found.length > 1) { event.preventDefault(); add(found); } }}>
          <Combobox label={say('add_copy')} placeholder={say('add_copy')} find={findPeople} onChoose={({ id }) => { add([String(id)]); if (input) input.value = ''; }} ref={(element) => { input = element; }} />
        </span>
        <Show when={wrong()}>{(text) => <span class="wrong" role="alert">{say('not_address', { text: text() })}</span>}</Show>
        <Show when={others().length}>
          <span class="also" role="group" aria-label={say('also_here')}>
            <span class="soft">{say('also_here')}</span>
            <For each={others().slice(0, FOUND_MOST)}>{(one) => <button type="button" class="quiet" onClick={() => { add([one.email]); input?.focus(); }}>+ <bdi>{named(one)}</bdi></button>}</For>
          </span>
        </Show>
      </span>
    </Show>
  );
};
