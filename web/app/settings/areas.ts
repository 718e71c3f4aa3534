// The areas of settings. An area is shown to those whose role may do something there, and is loaded when it is opened first.
import type { Component } from 'solid-js';
import { lazy } from '../../kit/lazy';
import { isAdmin, mayDo, rank } from './rights';
import type { SettingsWord } from './words';

export interface Area { name: string; title: SettingsWord; group: SettingsWord; may: () => boolean; screen: Component }

const always = () => true;
/** An area for admins has the words of all these areas. */
const admin = (load: () => Promise<{ default: Component }>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./admin_words')]); await words.ready(); return area; });
/** An area of programs or records has the words of these. */
const program = (load: () => Promise<{ default: Component }>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./program_words')]); await words.ready(); return area; });
/** An area of priorities, types and languages has the words of these. */
const list = (load: () => Promise<{ default: Component }>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./lists/words')]); await words.ready(); return area; });
/** An area of logins by providers has the words of these. */
const signin = (load: () => Promise<{ default: Component }>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./signin/words')]); await words.ready(); return area; });
/** The area of CSV files has words of its own. */
const csv = (load: () => Promise<{ default: Component }>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./csv/words')]); await words.ready(); return area; });
const custom = (load: () => Promise<Component>) => lazy(async () => { const [area, words] = await Promise.all([load(), import('./custom/words')]); await words.ready(); return { default: area }; });

export const areas: readonly Area[] = [
  { name: 'profile', title: 'profile', group: 'group_own', may: always, screen: lazy(async () => { const [area, words] = await Promise.all([import('./profile/profile'), import('../people/card_words')]); await words.ready(); return area; }) },
  { name: 'security', title: 'security', group: 'group_own', may: always, screen: signin(() => import('./profile/security')) },
  { name: 'notices', title: 'notices', group: 'group_own', may: always, screen: lazy(() => import('./profile/notices')) },
  { name: 'work', title: 'work', group: 'group_own', may: always, screen: lazy(() => import('./profile/work')) },
  { name: 'tokens', title: 'tokens', group: 'group_own', may: always, screen: lazy(() => import('./profile/tokens')) },
  { name: 'programs', title: 'own_grants', group: 'group_own', may: () => rank() !== 'CUSTOMER', screen: program(() => import('./programs/own_grants')) },
  { name: 'people', title: 'people', group: 'group_people', may: () => isAdmin() && mayDo('POST /users/invite'), screen: lazy(() => import('./people/people')) },
  { name: 'teams', title: 'teams', group: 'group_people', may: () => mayDo('POST /teams'), screen: lazy(() => import('./lists/teams')) },
  { name: 'roles', title: 'roles', group: 'group_people', may: () => mayDo('POST /roles'), screen: admin(() => import('./roles/roles')) },
  { name: 'csv', title: 'csv', group: 'group_people', may: () => mayDo('POST /csv_imports'), screen: csv(() => import('./csv/csv')) },
  { name: 'signin', title: 'signin', group: 'group_people', may: () => mayDo('POST /signin/providers'), screen: signin(() => import('./signin/providers')) },
  { name: 'passwords', title: 'staff_passwords', group: 'group_people', may: () => mayDo('PUT /settings'), screen: signin(() => import('./signin/passwords')) },
  { name: 'statuses', title: 'statuses', group: 'group_work', may: () => mayDo('POST /cases/statuses'), screen: lazy(() => import('./lists/statuses')) },
  { name: 'priorities', title: 'priorities', group: 'group_work', may: () => mayDo('POST /cases/priorities'), screen: list(() => import('./lists/priorities')) },
  { name: 'types', title: 'types', group: 'group_work', may: () => mayDo('POST /cases/types'), screen: list(() => import('./lists/types')) },
  { name: 'tags', title: 'tags', group: 'group_work', may: () => rank() !== 'CUSTOMER', screen: lazy(() => import('./lists/tags')) },
  { name: 'views', title: 'views', group: 'group_work', may: () => mayDo('POST /views'), screen: lazy(async () => { const [area, labels] = await Promise.all([import('./views/views'), import('./rules/labels')]); await labels.ready(); return area; }) },
  { name: 'macros', title: 'macros', group: 'group_work', may: () => mayDo('POST /cases/macros'), screen: lazy(() => import('./lists/macros')) },
  { name: 'triggers', title: 'triggers', group: 'group_rules', may: () => mayDo('POST /triggers'), screen: admin(() => import('./rules/triggers')) },
  { name: 'monitors', title: 'monitors', group: 'group_rules', may: () => mayDo('POST /monitors'), screen: admin(() => import('./rules/monitors')) },
  { name: 'slas', title: 'slas', group: 'group_rules', may: () => mayDo('POST /slas'), screen: admin(() => import('./rules/slas')) },
  { name: 'hours', title: 'hours', group: 'group_rules', may: () => mayDo('POST /businesshours'), screen: admin(() => import('./hours/hours')) },
  { name: 'case-fields', title: 'case_fields', group: 'group_fields', may: () => mayDo('POST /cases/fields'), screen: custom(async () => (await import('./custom/fields')).ofCases) },
  { name: 'user-fields', title: 'user_fields', group: 'group_fields', may: () => mayDo('POST /users/fields'), screen: custom(async () => (await import('./custom/fields')).ofUsers) },
  { name: 'organization-fields', title: 'organization_fields', group: 'group_fields', may: () => mayDo('POST /organizations/fields'), screen: custom(async () => (await import('./custom/fields')).ofOrganizations) },
  { name: 'forms', title: 'forms', group: 'group_fields', may: () => mayDo('POST /cases/forms'), screen: custom(async () => (await import('./custom/forms')).default) },
  { name: 'brands', title: 'brands', group: 'group_desk', may: () => mayDo('PUT /brands/{id}'), screen: lazy(() => import('./brand/brands')) },
  { name: 'templates', title: 'templates', group: 'group_desk', may: () => mayDo('PUT /brands/{id}/templates/{name}'), screen: lazy(async () => { const [area, words] = await Promise.all([import('./templates/templates'), import('./templates/words')]); await words.ready(); return area; }) },
  { name: 'languages', title: 'languages', group: 'group_desk', may: () => mayDo('PUT /locales/{id}'), screen: list(() => import('./lists/languages')) },
  { name: 'mailboxes', title: 'mailboxes', group: 'group_desk', may: () => mayDo('PUT /mailboxes/{id}'), screen: lazy(() => import('./mailboxes/mailboxes')) },
  { name: 'mails', title: 'suspended_mails', group: 'group_work', may: () => ['AGENT', 'ADMIN'].includes(rank()), screen: lazy(async () => { const [area, words] = await Promise.all([import('./mails/mails'), import('./mails/words')]); await words.ready(); return area; }) },
  { name: 'relay', title: 'relay', group: 'group_desk', may: () => rank() === 'OWNER', screen: lazy(() => import('./mailboxes/relay')) },
  { name: 'endpoints', title: 'endpoints', group: 'group_programs', may: () => mayDo('POST /endpoints'), screen: program(() => import('./programs/endpoints')) },
  { name: 'events', title: 'event_tokens', group: 'group_programs', may: () => mayDo('POST /events/tokens'), screen: program(() => import('./programs/events')) },
  { name: 'clients', title: 'clients', group: 'group_programs', may: () => mayDo('POST /oauth/clients'), screen: program(() => import('./programs/clients')) },
  { name: 'grants', title: 'grants', group: 'group_programs', may: () => mayDo('DELETE /oauth/grants/{id}'), screen: program(() => import('./programs/grants')) },
  { name: 'audit', title: 'audit', group: 'group_records', may: isAdmin, screen: program(() => import('./programs/audit')) },
  { name: 'jobs', title: 'jobs', group: 'group_records', may: isAdmin, screen: program(() => import('./programs/jobs')) },
  { name: 'erasures', title: 'erasures', group: 'group_records', may: () => mayDo('POST /users/{id}/erase'), screen: program(() => import('./programs/erasures')) },
  { name: 'everything', title: 'everything', group: 'group_desk', may: () => mayDo('PUT /settings'), screen: program(() => import('./programs/everything')) },
];
