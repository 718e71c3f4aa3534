// An organization: its domains, fields, notes and people, and all conversations of its people; or a new one.
import { For, Show, Suspense } from 'solid-js';
import { type Schemas } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { go, place } from '../../kit/route';
import { rowOf, type Shown } from '../../kit/store';
import { say } from '../../kit/words';
import { cardValueText as valueText } from '../fields/text';
import { CaseList, NO_SELECTION } from '../list/list';
import { createCard } from '../people/card';
import { Notes } from '../people/notes';
import { tagTitles } from '../people/tags';
import { Members } from './members';

const EditOrganization = lazy(async () => { const { ready, EditOrganization: form } = await import('./edit_organization'); await ready(); return { default: form }; });
const NewOrganization = lazy(async () => { const { ready, NewOrganization: screen } = await import('./new_organization'); await ready(); return { default: screen }; });

const FIELDS = ['name', 'domains', 'is_validated', 'is_shared', 'custom_fields', 'tags', 'created_at'] as const;
type Organization = Shown<'organization', typeof FIELDS>;
const QUERY = { fields: FIELDS.join(','), include: 'identity_domain,organization_field,field_option,tag', _flat: true };

type RefTo = { id: number };
type Value = { field: RefTo | null; value: string | null };

const OrganizationCard = () => {
  const { id, row, paging, problem, mayEdit, editing, setEditing } = createCard({ type: 'organization', path: '/organizations', query: QUERY, gone: 'organization_gone', title: ({ name }) => name });
  const organization = () => row() as Organization | undefined;
  const domains = () => ((organization()?.domains ?? []) as RefTo[]).map((ref) => rowOf('identity_domain', ref)).filter((d): d is Schemas['identity_domain'] => d !== undefined);
  const values = () => ((organization()?.custom_fields ?? []) as Value[]).filter(({ value }) => value);
  let button: HTMLButtonElement | undefined;
  const done = () => { setEditing(false); queueMicrotask(() => button?.focus()); };
  return (
    <main class="person">
      <section class="person-card region" aria-labelledby="organization-name" tabindex="-1" data-region>
        <Show when={!problem()} fallback={<p class="soft">{problem()}</p>}>
          <div class="person-head"><h1 id="organization-name" dir="auto">{organization()?.name ?? ''}</h1><span class="grow" /><Show when={mayEdit() && !editing()}><button ref={button} type="button" onClick={() => setEditing(true)}>{say('edit')} <kbd>e</kbd></button></Show></div>
          <Show when={editing()} fallback={<dl>
            <Show when={domains().length}><dt>{say('domains')}</dt><dd><For each={domains()}>{(d) => <div dir="ltr">{d.domain}</div>}</For></dd></Show>
            <Show when={tagTitles(organization()?.tags).length}><dt>{say('tags')}</dt><dd class="tags"><For each={tagTitles(organization()?.tags)}>{(tag) => <span class="tag" dir="auto">{tag}</span>}</For></dd></Show>
            <For each={values()}>{({ field, value }) => <><dt dir="auto">{rowOf('organization_field', field)?.title ?? ''}</dt><dd dir="auto">{valueText(rowOf('organization_field', field), value)}</dd></>}</For>
          </dl>}><Suspense><EditOrganization id={id()} query={QUERY} onDone={done} /></Suspense></Show>
          <Show when={row()}><Members organization={id()} name={organization()?.name ?? ''} mayEdit={mayEdit()} /></Show>
          <Show when={!editing() && row() && id()} keyed>{(of) => <Notes path={`/organizations/${of}/notes`} />}</Show>
        </Show>
      </section>
      <Show when={!problem()}><CaseList paging={paging} title={say('conversations')} open={undefined} onOpen={(caseId) => go(`/cases/${caseId}`)} selection={NO_SELECTION} channel={undefined} empty={['empty_person', 'empty_person_next']} /></Show>
    </main>
  );
};

export const OrganizationScreen = () => <Show when={place().parts[0] !== 'new'} fallback={<Suspense><NewOrganization /></Suspense>}><OrganizationCard /></Show>;
