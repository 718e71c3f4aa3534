// Brands: the name, the colours, the logo and the picture that customers see.
import { Show } from 'solid-js';
import { get, rowsOf, type Row } from '../../../kit/api';
import { lazy } from '../../../kit/lazy';
import { createRead } from '../../../kit/read';
import { Logo } from '../logo';
import { rank } from '../rights';
import { rows } from '../rows';
import { say } from '../words';
import { ColorControl } from './preview';

/** Owners only, and long: it comes with the first brand that is opened. */
const Widget = lazy(async () => { const [part, words] = await Promise.all([import('./widget'), import('./widget_words')]); await words.ready(); return part; });

const [locales] = createRead(async () => rowsOf(await get('/locales', { limit: 100, fields: 'native_name,is_enabled' })).filter((row) => row['is_enabled']));

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
  below: (props) => <Show when={props.row as Row | undefined}>{(row) => <><Logo path={`/brands/${row().id}`} logo={row()['logo']} /><Logo path={`/brands/${row().id}`} member="picture" logo={row()['picture']} /><Show when={rank() === 'OWNER'}><Widget brand={row().id} /></Show></>}</Show>,
});
