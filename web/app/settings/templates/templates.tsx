// Templates of a brand: the texts of e-mails and pages, and which of them are changed.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, Show } from 'solid-js';
import { get, rowsOf } from '../../../kit/api';
import { useKeys } from '../../../kit/keys';
import { go, href, place } from '../../../kit/route';
import { styled } from '../../../kit/style';
import { isKept } from '../kept';
import { createRead } from '../read';
import { say, type SettingsWord } from '../words';
import style from './templates.css';
import { readTemplates, TemplateForm, type Template } from './template';
import { titleOf } from './words';

await styled(style);

const BASE = '/settings/templates', APPS: [string, SettingsWord][] = [['MAIL', 'app_mail'], ['PAGE', 'app_page'], ['HELPCENTER', 'app_helpcenter']];
interface Brand { id: number; name: string; is_default: boolean }

export default () => {
  const title = createUniqueId(), [brands] = createRead(async () => rowsOf(await get('/brands', { limit: 1000, fields: 'name,is_default' })) as unknown as Brand[]);
  const [templates, setTemplates] = createSignal<Template[]>(), [failed, setFailed] = createSignal(false), [typed, setTyped] = createSignal(''), [changedOnly, setChangedOnly] = createSignal(false);
  const brand = createMemo(() => { const asked = Number(place().query.get('brand')); return brands()?.find(({ id }) => id === asked) ?? brands()?.find((one) => one.is_default); });
  const query = () => brand() && !brand()!.is_default ? `?brand=${brand()!.id}` : '', address = (name: string) => `${BASE}/${name}${query()}`;
  const read = async () => {
    const id = brand()?.id;
    if (id === undefined) return;
    try {
      const found = await readTemplates(id);
      if (brand()?.id === id) setTemplates(found);
      setFailed(false);
    } catch { setFailed(true); }
  };
  createEffect(on(() => brand()?.id, () => { setTemplates(undefined); void read(); }));
  const name = () => place().parts[1];
  /** The list is read again after a change; the form of a template stays. */
  const chosen = createMemo(() => templates()?.find((one) => one.name === name()), undefined, { equals: (a, b) => a?.name === b?.name && a !== undefined });
  const found = createMemo(() => (templates() ?? []).filter((one) => (!changedOnly() || one.is_custom) && `${titleOf(one.name)} ${one.name}`.toLowerCase().includes(typed().toLowerCase())));
  createEffect(() => { if (!name()) document.title = `${say('templates')} · ${say('settings')} · deskd`; });
  useKeys([{ key: 'Escape', word: 'key_list', run: () => go(name() ? BASE + query() : '/settings') }]);

  return (
    <>
      <section class="settings-list region" aria-labelledby={title} tabindex="-1" data-region>
        <header class="settings-head">
          <a class="button narrow" href={href('/settings')}>{say('to_settings')}</a>
          <Show when={name()} fallback={<h1 id={title}>{say('templates')}</h1>}><p id={title} class="settings-title">{say('templates')}</p></Show>
        </header>
        <Show when={failed()}><p class="wrong pad" role="alert">{say('rows_failed')} <button type="button" onClick={() => void read()}>{say('try_again')}</button></p></Show>
        <div class="pad template-filters">
          <Show when={(brands()?.length ?? 0) > 1}>
            <label>{say('template_brand')} <select onChange={(event) => go(`${BASE}?brand=${event.currentTarget.value}`)}><For each={brands()}>{(one) => <option value={one.id} selected={one.id === brand()?.id}>{one.name}</option>}</For></select></label>
            <Show when={brand() && !brand()!.is_default}><p class="soft">{say('template_brand_why')}</p></Show>
          </Show>
          <input type="search" class="settings-find" dir="auto" aria-label={say('templates_find')} placeholder={say('templates_find')} onInput={(event) => setTyped(event.currentTarget.value.trim())} />
          <label class="yes"><input type="checkbox" checked={changedOnly()} onChange={(event) => setChangedOnly(event.currentTarget.checked)} /><span>{say('templates_changed_only')}</span></label>
        </div>
        <div role="status"><Show when={templates() && !found().length}><p class="empty">{say(typed() ? 'find_none' : 'templates_none')}</p></Show></div>
        <For each={APPS}>
          {([app, word]) => (
            <Show when={found().some((one) => one.app === app)}>
              <h2 class="template-group">{say(word)}</h2>
              <ul class="settings-rows">
                <For each={found().filter((one) => one.app === app)}>
                  {(one) => (
                    <li classList={{ 'is-chosen': one.name === name() }}>
                      <a href={href(address(one.name))} aria-current={one.name === name() ? 'page' : undefined}>
                        <span>{titleOf(one.name)}</span>
                        <Show when={one.is_custom}><span class="soft">{say('template_changed')}</span></Show>
                        <Show when={isKept(`templates/${brand()!.id}/${one.name}`)}><span class="warning">{say('unsaved')}</span></Show>
                      </a>
                    </li>
                  )}
                </For>
              </ul>
            </Show>
          )}
        </For>
      </section>
      <Show when={chosen()} keyed>{(template) => <TemplateForm brand={brand()!.id} template={template} back={BASE + query()} changed={read} />}</Show>
    </>
  );
};
