// A new organization. Its custom fields are filled on its card, which opens with its form.
import { onMount, Show } from 'solid-js';
import { useKeys } from '../../kit/keys';
import { createRead } from '../../kit/read';
import { go, place } from '../../kit/route';
import { madeRow } from '../people/card';
import { createForm } from '../settings/form';
import { Form } from '../settings/form_view';
import type { Field } from '../settings/fields';
import { mayDo, readRights } from '../settings/rights';
import { say } from '../settings/words';

export { ready } from '../people/card_words';

const fields: readonly Field[] = [
  { name: 'name', label: 'name', required: true },
  { name: 'domains', label: 'card_domains', help: 'card_domains_help' },
  { name: 'is_validated', label: 'card_validated', help: 'card_validated_help' },
  { name: 'is_shared', label: 'card_shared', help: 'card_shared_help' },
  { name: 'tags', label: 'tags' },
];

export const NewOrganization = () => {
  const [may] = createRead(async () => { await readRights(); return mayDo('POST /organizations'); });
  const form = createForm({
    key: 'organizations/new', operation: 'POST /organizations', path: '/organizations', fields, initial: { name: place().query.get('name') ?? '' },
    saved: (row) => {
      if ((row['custom_fields'] as unknown[] | undefined)?.length) madeRow(row.id);
      go(`/organizations/${row.id}`, { replace: true });
    },
  });
  let region!: HTMLElement;
  onMount(() => { document.title = `${say('card_organization_new')} · deskd`; queueMicrotask(() => region.querySelector<HTMLElement>('form input')?.focus()); });
  useKeys([{ key: 'Escape', word: 'key_list', run: () => history.back() }]);
  return (
    <main ref={region} class="screen region" aria-labelledby="organization-new" tabindex="-1" data-region>
      <div class="form">
        <h1 id="organization-new">{say('card_organization_new')}</h1>
        <Show when={may() !== false} fallback={<p class="soft">{say('card_may_not')}</p>}>
          <Form form={form} submit="card_organization_make" actions={<button type="button" onClick={() => { form.discard(); history.back(); }}>{say('cancel')}</button>} />
        </Show>
      </div>
    </main>
  );
};
