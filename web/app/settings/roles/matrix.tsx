// What roles permit: a line for each permission, a column for each role. A change is saved at once, and can be taken back.
// Nobody may give what the own role does not permit, and nobody who takes something from the own role could give it back: both are refused here, in words.
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';
import { call, get, rowsOf, type Ref, type Schemas } from '../../../kit/api';
import { tell } from '../../../kit/strip';
import { me } from '../../session/session';
import { createCells } from '../cells';
import { ranksOf } from '../operations';
import { permitted, readRights } from '../rights';
import { say, type SettingsWord } from '../words';

type Role = Schemas['role'];

const GROUPS: [SettingsWord, Record<string, SettingsWord>][] = [
  ['perm_group_cases', { 'cases.public_reply': 'perm_reply', 'cases.merge': 'perm_merge', 'cases.split': 'perm_split', 'cases.trash': 'perm_trash', 'macros.manage': 'perm_macros', 'case_views.manage': 'perm_views' }],
  ['perm_group_people', { 'users.update': 'perm_users', 'users.delete': 'perm_users_delete', 'organizations.update': 'perm_organizations', 'organizations.delete': 'perm_organizations_delete', 'teams.manage': 'perm_teams', 'roles.manage': 'perm_roles' }],
  ['perm_group_help', { 'help_center.manage': 'perm_help', 'help_center_articles.manage': 'perm_articles', 'help_center_articles.publish': 'perm_publish' }],
  ['perm_group_rules', { 'automations.manage': 'perm_rules', 'slas.manage': 'perm_slas', 'business_hours.manage': 'perm_hours', 'case_fields.manage': 'perm_case_fields', 'organizations_fields.manage': 'perm_organization_fields', 'user_fields.manage': 'perm_user_fields' }],
  ['perm_group_desk', { 'brands.manage': 'perm_brands', 'channels.manage': 'perm_channels', 'localization.manage': 'perm_languages', 'settings.manage': 'perm_settings', 'insights.access': 'perm_reports' }],
  ['perm_group_programs', { 'apps.manage': 'perm_apps', 'endpoints.manage': 'perm_endpoints' }],
];
const KNOWN = new Set(GROUPS.flatMap(([, of]) => Object.keys(of)));

export const Matrix = (props: { roles: Role[] }) => {
  const [given, setGiven] = createSignal<Record<number, Record<string, boolean>>>({}), [wrong, setWrong] = createSignal(''), cells = createCells();
  const read = async (role: number) => {
    const found = rowsOf(await get(`/roles/${role}/permissions`, { limit: 200 }));
    setGiven((all) => ({ ...all, [role]: Object.fromEntries(found.map((one) => [String(one['name']), one['value'] === true])) }));
  };
  createEffect(on(() => props.roles.map(({ id }) => id).join(), () => { for (const { id } of props.roles) void read(id).catch((error: Error) => setWrong(error.message)); }));

  const isOwn = (role: Role) => role.id === (me()?.role as Ref | null)?.id;
  const isEffective = (role: Role, name: string) => (ranksOf[name as keyof typeof ranksOf] as readonly string[] | undefined ?? ['COLLABORATOR', 'AGENT', 'ADMIN', 'OWNER']).includes(role.type ?? '');
  /** Why the person may not change it. */
  const refusal = (role: Role, name: string, value: boolean) => {
    if (role.type === 'OWNER') return say('perm_owner');
    if (isOwn(role)) return say(value ? 'perm_own_give' : 'perm_own_take');
    return permitted(name) ? undefined : say('perm_not_yours');
  };
  const put = (role: number, name: string, value: boolean) => setGiven((all) => ({ ...all, [role]: { ...all[role], [name]: value } }));
  const set = async (role: Role, name: string, value: boolean, isUndo = false): Promise<void> => {
    put(role.id, name, value);
    try {
      await call('PUT', `/roles/${role.id}/permissions`, { body: { permission: { [name]: value ? 1 : 0 } } });
      setWrong('');
      if (!isUndo) tell(say('saved'), () => set(role, name, !value, true));
      if (isOwn(role)) void readRights();
    } catch (error) {
      put(role.id, name, !value);
      setWrong((error as Error).message);
    }
  };
  const turn = (role: Role, name: string, box: HTMLInputElement) => {
    const value = box.checked, why = refusal(role, name, value);
    if (!why) return void set(role, name, value);
    box.checked = !value;
    setWrong(why);
  };
  /** Permissions that this console has no words for. */
  const others = createMemo(() => [...new Set(Object.values(given()).flatMap((one) => Object.keys(one)))].filter((name) => !KNOWN.has(name)).join(' '));
  const groups = createMemo(() => [...GROUPS.map(([title, of]) => ({ title, names: Object.entries(of).map(([name, word]) => ({ name, label: () => say(word) })) })),
    ...others() ? [{ title: 'perm_group_others' as const, names: others().split(' ').map((name) => ({ name, label: () => name })) }] : []]);
  const firstLine = (group: number) => groups().slice(0, group).reduce((sum, { names }) => sum + names.length, 0);
  const isLoaded = () => props.roles.length > 0 && props.roles.every(({ id }) => given()[id]);

  return (
    <>
      <p class="wrong" role="alert" dir="auto">{wrong()}</p>
      <Show when={isLoaded()}>
        <div class="matrix-box">
          <table class="matrix" onKeyDown={cells.onKeyDown} onFocusIn={cells.onFocusIn}>
            <thead><tr><th scope="col"><span class="hidden">{say('permission')}</span></th><For each={props.roles}>{(role) => <th scope="col" dir="auto">{role.title}</th>}</For></tr></thead>
            <For each={groups()}>
              {(group, g) => (
                <tbody>
                  <tr><th scope="rowgroup" colspan={props.roles.length + 1} class="matrix-group">{say(group.title)}</th></tr>
                  <For each={group.names}>
                    {({ name, label }, i) => (
                      <tr><th scope="row">{label()}</th>
                        <For each={props.roles}>
                          {(role, column) => (
                            <td>
                              <Show when={isEffective(role, name)} fallback={<span class="soft" title={say('perm_without_effect')}><span aria-hidden="true">–</span><span class="hidden">{say('perm_without_effect')}</span></span>}>
                                <label class="check"><input type="checkbox" data-cell={`${firstLine(g()) + i()},${column()}`} tabindex={cells.tab(firstLine(g()) + i(), column())} aria-label={`${label()}: ${role.title}`}
                                  aria-disabled={refusal(role, name, !given()[role.id]?.[name]) !== undefined} checked={role.type === 'OWNER' || (given()[role.id]?.[name] ?? false)} onChange={(event) => turn(role, name, event.currentTarget)} /></label>
                              </Show>
                            </td>
                          )}
                        </For>
                      </tr>
                    )}
                  </For>
                </tbody>
              )}
            </For>
          </table>
        </div>
      </Show>
    </>
  );
};
