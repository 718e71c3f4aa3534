// The categories, sections and articles that the tree shows, and what the person may do with them. A branch is read when it is opened.
import { createSignal } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { get, prefix, rowsOf, type Ref } from '../../kit/api';
import { language } from '../../kit/words';
import type { Values } from '../settings/edit';
import { permitted, rank, readRights } from '../settings/rights';
import type { ICONS } from './names';
import { say } from './words';

export interface Text { locale: string; translation: string }
export interface Locale { id: number; locale: string; native_name: string; direction: 'ltr' | 'rtl'; is_public: boolean; is_enabled: boolean }
export interface Category { id: number; titles: Text[]; descriptions: Text[]; brand: { id: number; name?: string } | null; icon?: keyof typeof ICONS | null }
export interface Section {
  id: number; titles: Text[]; descriptions: Text[]; category: Ref; visibility: 'PUBLIC' | 'AUTHORIZED' | 'AGENTS'; article_order_by: 'LATEST' | 'POPULAR' | 'MANUAL';
  tags: { id: number; name: string }[]; teams: { id: number; title?: string }[]; total_articles: number; sort_order: number;
}
export type Status = 'DRAFT' | 'PENDINGAPPROVAL' | 'PUBLISHED';
export interface Article { id: number; titles: Text[]; status: Status; section: Ref; is_featured: boolean }
export type Kind = 'category' | 'section' | 'article';

export const PATH = { category: '/categories', section: '/sections', article: '/articles' } as const;
const SECTION_FIELDS = 'titles,descriptions,category,visibility,article_order_by,tags,teams,total_articles,+sort_order', ARTICLE_FIELDS = 'titles,status,section,is_featured';
const MOST = 1000, PAGE = 50;

// ---- rights ------------------------------------------------------------------------------------

const isAgent = () => ['AGENT', 'ADMIN', 'OWNER'].includes(rank());
/** Categories and sections. */
export const mayManage = () => isAgent() && permitted('help_center.manage');
export const mayWrite = () => isAgent() && permitted('help_center_articles.manage');
export const mayPublish = () => mayWrite() && permitted('help_center_articles.publish');
export const mayChange = (status: Status) => status === 'PUBLISHED' ? mayPublish() : mayWrite();

// ---- languages ---------------------------------------------------------------------------------

const [locales, setLocales] = createSignal<Locale[]>([]);
export { locales };
export const localeOf = (code: string) => locales().find(({ locale }) => locale === code);
export const nameOfLocale = (code: string) => localeOf(code)?.native_name ?? code;
/** Languages in which the help center is offered come first. */
const readLocales = async () => {
  const all = rowsOf(await get('/locales', { limit: 200, fields: 'locale,native_name,direction,is_public,is_enabled' })) as unknown as Locale[];
  setLocales(all.filter(({ is_enabled: on }) => on).sort((a, b) => Number(b.is_public) - Number(a.is_public)));
};
export const firstLocale = () => locales()[0]?.locale ?? 'en-us';

/** The title in the language of the person, or in the first one of the help center that it has. */
export const titleOf = (titles: readonly Text[]) => {
  const own = titles.find(({ locale }) => locale.split('-')[0] === language());
  return (own ?? titles.find(({ locale }) => locale === firstLocale()) ?? titles[0])?.translation ?? say('no_title');
};

/** The page of an article as customers see it; writers also see drafts there. The server completes the address. */
export const pageOf = (id: number) => `${prefix}/helpcenter/${firstLocale()}/articles/${id}`;

/** Texts in several languages as values: {"title de": "…"}. */
export const valuesOfTexts = (name: string, texts: readonly Text[] | null | undefined): Values => Object.fromEntries((texts ?? []).map(({ locale, translation }) => [`${name} ${locale}`, translation]));
export const localesIn = (values: Values, name: string) => Object.keys(values).filter((one) => one.startsWith(`${name} `) && typeof values[one] === 'string').map((one) => one.slice(name.length + 1));
export const textsOf = (values: Values, name: string) => localesIn(values, name).map((locale) => ({ locale, translation: values[`${name} ${locale}`] as string }));

// ---- the tree ----------------------------------------------------------------------------------

interface Branch<T> { rows: T[]; total: number }
const [tree, setTree] = createStore<{ categories?: Branch<Category>; sections: Record<number, Branch<Section> | undefined>; articles: Record<number, Branch<Article> | undefined> }>({ sections: {}, articles: {} });
export { tree };

const branchOf = <T,>(reply: { total_count?: number }, rows: T[]): Branch<T> => ({ rows, total: reply.total_count ?? rows.length });

export const readCategories = async () => {
  const reply = await get('/categories', { limit: MOST, fields: 'titles,descriptions,brand', include: 'locale_field,brand' });
  setTree('categories', reconcile(branchOf(reply, rowsOf(reply) as unknown as Category[])));
};
export const readSections = async (category: number) => {
  const reply = await get('/sections', { category_ids: category, limit: MOST, fields: SECTION_FIELDS, include: 'locale_field,tag,team' });
  const rows = (rowsOf(reply) as unknown as Section[]).sort((a, b) => a.sort_order - b.sort_order);
  setTree('sections', category, reconcile(branchOf(reply, rows)));
};
/** `more`: the next ones of a long section. */
export const readArticles = async (section: number, more = false) => {
  const known = tree.articles[section]?.rows ?? [], limit = more ? PAGE : Math.max(PAGE, known.length);
  const reply = await get('/articles', { section_id: section, limit: Math.min(limit, MOST), ...(more ? { offset: known.length } : {}), fields: ARTICLE_FIELDS, include: 'locale_field' });
  const rows = rowsOf(reply) as unknown as Article[];
  setTree('articles', section, reconcile(branchOf(reply, more ? [...known, ...rows] : rows)));
};

/** All sections by the names of their category and of themselves: for a choice. */
const [sectionNames, setSectionNames] = createSignal<{ id: number; name: string }[]>([]);
export { sectionNames };
export const readSectionNames = async () => {
  const all = rowsOf(await get('/sections', { limit: MOST, fields: 'titles,category', include: 'locale_field' })) as unknown as Section[];
  setSectionNames(all.map(({ id, titles, category }) => ({ id, name: `${titleOf(categoryOf(category.id)?.titles ?? [])} › ${titleOf(titles)}` })).sort((a, b) => a.name.localeCompare(b.name)));
};

export const sectionOf = (id: number) => Object.values(tree.sections).flatMap((branch) => branch?.rows ?? []).find((one) => one.id === id);
export const categoryOf = (id: number) => tree.categories?.rows.find((one) => one.id === id);

/** Reads again what is known of these branches, after a change. */
export const readAgain = async (what: { categories?: boolean; category?: number | undefined; section?: number | undefined }) => {
  await Promise.all([
    what.categories ? readCategories() : undefined,
    what.category !== undefined && tree.sections[what.category] ? readSections(what.category) : undefined,
    what.section !== undefined && tree.articles[what.section] ? readArticles(what.section) : undefined,
  ]);
};
/** An article is in a section whose counts, and whose list, may have changed. */
export const articleChanged = async (...sections: number[]) => {
  const categories = new Set(sections.map((id) => sectionOf(id)?.category.id));
  await Promise.all([...sections.map((section) => readAgain({ section })), ...[...categories].map((category) => readAgain({ category }))]);
};

export const begin = () => Promise.all([readRights(), readLocales(), readCategories()]);
