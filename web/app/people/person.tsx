// A person: who it is, and all conversations of theirs.
import { For, Show, Suspense } from 'solid-js';
import { type Row, type Schemas } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { Face } from '../../kit/marks';
import { go, href } from '../../kit/route';
import { rowOf, type Shown } from '../../kit/store';
import { fullTime, say, shortTime } from '../../kit/words';
import { cardValueText as valueText } from '../fields/text';
import { CaseList, NO_SELECTION } from '../list/list';
import { createCard } from './card';
import { Notes } from './notes';
import { tagTitles } from './tags';

const EditPerson = lazy(async () => { const { ready, EditPerson: form } = await import('./edit_person'); await ready(); return { default: form }; });

const FIELDS = ['full_name', 'designation', 'organization', 'emails', 'phones', 'twitter', 'facebook', 'tags', 'custom_fields', 'role', 'teams', 'is_enabled', 'time_zone', 'last_seen_at', 'created_at'] as const;
type Person = Shown<'user', typeof FIELDS>;
const QUERY = { fields: FIELDS.join(','), include: 'organization,identity_email,identity_phone,identity_twitter,identity_facebook,tag,role,team,user_field,field_option', _flat: true };

type RefTo = { id: number };
type Value = { field: RefTo | null; value: string | null };

export const PersonScreen = () => {
  const { id, row, paging, problem, mayEdit, editing, setEditing } = createCard({ type: 'user', path: '/users', query: QUERY, gone: 'person_gone', title: ({ full_name }) => full_name });
  const person = () => row() as Person | undefined;
  const emails = () => ((person()?.emails ?? []) as RefTo[]).map((ref) => rowOf('identity_email', ref)).filter((e): e is Schemas['identity_email'] => e !== undefined);
  const phones = () => ((person()?.phones ?? []) as RefTo[]).map((ref) => rowOf('identity_phone', ref) as Row | undefined).filter((p) => p !== undefined);
  const accounts = () => [
    ...((person()?.twitter ?? []) as RefTo[]).map((ref) => ({ kind: 'Twitter', row: rowOf('identity_twitter', ref) as Row | undefined, name: (row: Row) => row['screen_name'] ? `@${String(row['screen_name'])}` : row['full_name'] })),
    ...((person()?.facebook ?? []) as RefTo[]).map((ref) => ({ kind: 'Facebook', row: rowOf('identity_facebook', ref) as Row | undefined, name: (row: Row) => row['user_name'] || row['full_name'] || row['facebook_id'] })),
  ].flatMap(({ kind, row, name }) => row && name(row) ? [{ kind, text: String(name(row)) }] : []);
  const nameOf = (ref: unknown, type: 'organization' | 'role' | 'team') => { const row = rowOf(type, ref as RefTo | null) as Row | undefined; return String(row?.['name'] ?? row?.['title'] ?? ''); };

  const values = () => ((person()?.custom_fields ?? []) as Value[]).filter(({ value }) => value);
  let button: HTMLButtonElement | undefined;
  const done = () => { setEditing(false); queueMicrotask(() => button?.focus()); };

  return (
    <main class="person">
      <section class="person-card region" aria-labelledby="person-name" tabindex="0" data-region>
        <Show when={!problem()} fallback={<p class="soft">{problem()}</p>}>
          <div class="person-head"><Face name={person()?.full_name ?? ''} /><h1 id="person-name" dir="auto">{person()?.full_name ?? ''}</h1><span class="grow" /><Show when={mayEdit() && !editing()}><button ref={button} type="button" onClick={() => setEditing(true)}>{say('edit')} <kbd>e</kbd></button></Show></div>
          <Show when={editing()}><Suspense><EditPerson id={id()} query={QUERY} onDone={done} /></Suspense></Show>
          <Show when={!editing() && person()}>
            {(p) => (
              <dl>
                <Show when={p().designation}><dt>{say('designation')}</dt><dd dir="auto">{p().designation as string}</dd></Show>
                <Show when={emails().length}><dt>{say('email')}</dt><dd><For each={emails()}>{(e) => <div dir="auto">{e.email}</div>}</For></dd></Show>
                <Show when={phones().length}><dt>{say('phone')}</dt><dd><For each={phones()}>{(e) => <div dir="ltr">{String(e['phone'] ?? e['number'] ?? '')}</div>}</For></dd></Show>
                <For each={accounts()}>{({ kind, text }) => <><dt>{kind}</dt><dd dir="ltr">{text}</dd></>}</For>
                <Show when={nameOf(p().organization, 'organization')}>{(name) => <><dt>{say('organization')}</dt><dd><a href={href(`/organizations/${(p().organization as RefTo | null)?.id ?? 0}`)} dir="auto">{name()}</a></dd></>}</Show>
                <Show when={tagTitles(p().tags).length}><dt>{say('tags')}</dt><dd class="tags"><For each={tagTitles(p().tags)}>{(tag) => <span class="tag" dir="auto">{tag}</span>}</For></dd></Show>
                <Show when={nameOf(p().role, 'role')}>{(name) => <><dt>{say('role')}</dt><dd dir="auto">{name()}</dd></>}</Show>
                <Show when={(p().teams as RefTo[] | null)?.length}><dt>{say('team')}</dt><dd><For each={p().teams as unknown as RefTo[]}>{(team) => <div dir="auto">{nameOf(team, 'team')}</div>}</For></dd></Show>
                <For each={values()}>{({ field, value }) => <><dt dir="auto">{rowOf('user_field', field)?.title ?? ''}</dt><dd dir="auto">{valueText(rowOf('user_field', field), value)}</dd></>}</For>
                <Show when={p().last_seen_at}><dt>{say('last_seen')}</dt><dd title={fullTime(p().last_seen_at as string)}>{shortTime(p().last_seen_at as string)}</dd></Show>
                <dt>{say('known_since')}</dt><dd title={fullTime(p().created_at as string)}>{shortTime(p().created_at as string)}</dd>
              </dl>
            )}
          </Show>
          <Show when={!editing() && row() && id()} keyed>{(of) => <Notes path={`/users/${of}/notes`} />}</Show>
        </Show>
      </section>
      <Show when={!problem()}><CaseList paging={paging} title={say('conversations')} open={undefined} onOpen={(caseId) => go(`/cases/${caseId}`)} selection={NO_SELECTION} channel={undefined} empty={['empty_person', 'empty_person_next']} /></Show>
    </main>
  );
};
