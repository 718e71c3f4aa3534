// Brands: the name, the colours and the logo that customers see.
import { createResource, createSignal, Show } from 'solid-js';
import { call, get, rowsOf, type Row } from '../../../kit/api';
import { keepReply } from '../../../kit/store';
import { Part } from '../page';
import { rows } from '../rows';
import { say } from '../words';
import { ColorControl } from './preview';

const [locales] = createResource(async () => rowsOf(await get('/locales', { limit: 100, fields: 'native_name,is_enabled' })).filter((row) => row['is_enabled']));

/** The address of the picture at the host of the page: that of the desk may be another one. */
const here = (address: unknown) => typeof address === 'string' ? new URL(address).pathname + new URL(address).search : undefined;

const Logo = (props: { id: number; logo: string | undefined }) => {
  const [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  const put = async (body: object) => {
    setBusy(true);
    setWrong(undefined);
    try { keepReply(await call('PUT', `/brands/${props.id}`, { body })); } catch (error) { setWrong((error as Error).message); } finally { setBusy(false); }
  };
  const send = (input: HTMLInputElement) => {
    const file = input.files?.[0], body = new FormData();
    input.value = '';
    if (!file) return;
    body.append('logo', file);
    void put(body);
  };
  return (
    <Part title="logo">
      <Show when={props.logo}>{(at) => <img class="brand-logo" src={at()} alt={say('logo')} height="40" />}</Show>
      <div class="settings-foot">
        <label class="button">{say('picture_choose')}<input class="hidden" type="file" accept="image/png,image/jpeg" disabled={busy()} onChange={(event) => send(event.currentTarget)} /></label>
        <Show when={props.logo}><button type="button" disabled={busy()} onClick={() => void put({ logo_file_id: null })}>{say('picture_remove')}</button></Show>
      </div>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
    </Part>
  );
};

export default rows({
  name: 'brands', path: '/brands', type: 'brand', title: 'brands', new: 'brand_new', empty: 'brands_empty', emptyNext: 'brands_empty_next',
  fields: [
    { name: 'name', label: 'brand_name', help: 'brand_name_help' },
    { name: 'color', label: 'brand_color', control: ColorControl },
    { name: 'theme', label: 'brand_theme', help: 'brand_theme_help', words: { BOLD: 'theme_bold', CALM: 'theme_calm', PAPER: 'theme_paper' } },
    { name: 'locale_id', label: 'brand_language', help: 'brand_language_help', among: () => (locales() ?? []).map((row) => ({ id: row.id, label: String(row['native_name']) })) },
    { name: 'domain', label: 'brand_domain', help: 'brand_domain_help' },
    { name: 'is_enabled', label: 'brand_enabled' },
  ],
  label: (row) => row.name ?? '',
  note: (row) => [row.is_default ? say('brand_default') : '', row.is_enabled ? '' : say('brand_off')].filter(Boolean).join(' · ') || undefined,
  initial: () => ({ is_enabled: true, theme: 'BOLD' }),
  fixed: (row) => row.is_default ?? false,
  below: (props) => <Show when={props.row as Row | undefined}>{(row) => <Logo id={row().id} logo={here(row()['logo'])} />}</Show>,
});
