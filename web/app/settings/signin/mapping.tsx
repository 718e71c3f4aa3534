// Rules that give a role and teams by what a provider says about a person.
import { For, Index, Show } from 'solid-js';
import { teamChoices } from '../choices';
import type { Choice, Control } from '../fields';
import { say } from '../words';

interface Rule { claim: string; value: string; role_id: number | null; team_ids: number[] }

export const Rules = (props: Control & { roles: Choice[] }) => {
  const all = () => (props.value ?? []) as Rule[];
  let box!: HTMLDivElement;
  const change = (at: number, next: Partial<Rule>) => props.set(all().map((one, i) => i === at ? { ...one, ...next } : one));
  const focus = (at: number) => queueMicrotask(() => (box.querySelectorAll<HTMLElement>('.rule-claim')[at] ?? box.querySelector<HTMLElement>('.rule-add'))?.focus());
  const add = () => { props.set([...all(), { claim: '', value: '', role_id: null, team_ids: [] }]); focus(all().length - 1); };
  const drop = (at: number) => { props.set(all().filter((_, i) => i !== at)); focus(Math.min(at, all().length - 1)); };
  const turn = (at: number, team: number) => { const { team_ids: now } = all()[at]!; change(at, { team_ids: now.includes(team) ? now.filter((one) => one !== team) : [...now, team] }); };
  /** A choice that is gone, or above the limit, is shown as such: the server refuses it. */
  const rolesOf = (rule: Rule): Choice[] => rule.role_id === null || props.roles.some((one) => one.id === rule.role_id) ? props.roles : [...props.roles, { id: rule.role_id, label: say('signin_rule_role_not') }];
  return (
    <div ref={box} id={props.id} role="group" tabindex="-1" aria-label={say('signin_rules')} aria-describedby={props.described}>
      <Show when={!all().length}><p class="soft">{say('signin_rules_none')}</p></Show>
      <ol class="sorted">
        <Index each={all()}>
          {(rule, i) => (
            <li>
              <div class="option-texts" role="group" aria-label={say('signin_rule', { n: i + 1 })}>
                <label class="one-text"><span class="soft">{say('signin_rule_claim')}</span><input class="rule-claim" dir="auto" maxlength="200" autocomplete="off" aria-invalid={props.invalid} value={rule().claim} onInput={(event) => change(i, { claim: event.currentTarget.value })} /></label>
                <label class="one-text"><span class="soft">{say('signin_rule_value')}</span><input dir="auto" maxlength="500" autocomplete="off" aria-invalid={props.invalid} value={rule().value} onInput={(event) => change(i, { value: event.currentTarget.value })} /></label>
                <label class="one-text"><span class="soft">{say('signin_rule_role')}</span>
                  <select aria-invalid={props.invalid} onChange={(event) => change(i, { role_id: Number(event.currentTarget.value) || null })}>
                    <option value="" selected={rule().role_id === null}>{say('signin_rule_no_role')}</option>
                    <For each={rolesOf(rule())}>{(one) => <option value={String(one.id)} selected={one.id === rule().role_id}>{one.label}</option>}</For>
                  </select></label>
                <Show when={teamChoices().length}>
                  <fieldset class="options"><legend>{say('signin_rule_teams')}</legend>
                    <For each={teamChoices()}>{(team) => <label class="yes"><input type="checkbox" checked={rule().team_ids.includes(Number(team.id))} onChange={() => turn(i, Number(team.id))} /><span dir="auto">{team.label}</span></label>}</For>
                  </fieldset>
                </Show>
              </div>
              <button type="button" aria-label={say('signin_rule_remove', { n: i + 1 })} onClick={() => drop(i)}>×</button>
            </li>
          )}
        </Index>
      </ol>
      <p><button type="button" class="rule-add" onClick={add}>{say('signin_rule_add')}</button></p>
    </div>
  );
};
