// Settings: the areas that the person may change, and the chosen one. On narrow screens the address decides which of them is shown.
import { createEffect, createMemo, For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { createRead } from '../../kit/read';
import { href, place } from '../../kit/route';
import { Apart } from '../frame/failed';
import { areas } from './areas';
import { isKept } from './kept';
import { Moved } from './mover';
import { readRights } from './rights';
import { say } from './words';

export const Settings = () => {
  const [rights] = createRead(async () => { await readRights(); return true; });
  const mine = createMemo(() => rights() ? areas.filter((area) => area.may()) : []);
  const groups = createMemo(() => [...new Set(mine().map(({ group }) => group))]);
  const asked = () => place().parts[0];
  const chosen = createMemo(() => mine().find(({ name }) => name === asked()));
  createEffect(() => { if (!asked()) document.title = `${say('settings')} · deskd`; });

  return (
    <main class="settings" data-depth={place().parts.length}>
      <nav class="settings-areas region" aria-label={say('settings')} tabindex="-1" data-region>
        <Show when={asked()} fallback={<h1>{say('settings')}</h1>}><p class="settings-title">{say('settings')}</p></Show>
        <For each={groups()}>
          {(group) => (
            <>
              <h2>{say(group)}</h2>
              <ul>
                <For each={mine().filter((area) => area.group === group)}>
                  {({ name, title }) => <li><a href={href(`/settings/${name}`)} aria-current={asked() === name ? 'page' : undefined}>{say(title)} <Show when={isKept(name)}><span class="warning">{say('unsaved')}</span></Show></a></li>}
                </For>
              </ul>
            </>
          )}
        </For>
      </nav>
      <Moved />
      <Show when={rights()}>
        <Show when={chosen()} fallback={
          <section class="settings-none empty" aria-label={say('settings')}>
            <Show when={asked()} fallback={<><p>{say(mine().length ? 'settings_choose' : 'settings_none')}</p><Show when={mine().length}><p>{say('settings_choose_why')}</p></Show></>}>
              <h1 class="hidden">{say('settings')}</h1><p>{say('area_gone')}</p><p><a href={href('/settings')}>{say('to_settings')}</a></p>
            </Show>
          </section>}>
          {(area) => <Apart within="section"><Dynamic component={area().screen} /></Apart>}
        </Show>
      </Show>
    </main>
  );
};
