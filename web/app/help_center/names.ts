// Names of values, and values, in words.
import { teams } from '../frame/catalog';
import { categoryOf, nameOfLocale, titleOf, type Section } from './data';
import { say, type HelpWord } from './words';

export const SEEN_BY: Record<Section['visibility'], HelpWord> = { PUBLIC: 'seen_by_all', AUTHORIZED: 'seen_by_customers', AGENTS: 'seen_by_staff' };
export const ORDERS: Record<Section['article_order_by'], HelpWord> = { LATEST: 'order_latest', POPULAR: 'order_popular', MANUAL: 'order_manual' };

/** A value of an edit in words, for a message. */
export const fieldName = (name: string): string => {
  const [field = '', locale] = name.split(' ');
  const language = locale ? nameOfLocale(locale) : '';
  switch (field) {
    case 'title': return say('title_in', { language });
    case 'description': return say('description_in', { language });
    case 'category_id': return say('category');
    case 'visibility': return say('seen_by');
    case 'article_order_by': return say('order_of_articles');
    case 'icon': return say('icon');
    case 'team_ids': return say('only_teams');
    case 'tags': return say('only_tags');
    default: return field;
  }
};
export const ICONS = {
  BOOK: 'icon_book', CARD: 'icon_card', BOX: 'icon_box', PERSON: 'icon_person', LOCK: 'icon_lock', SETTINGS: 'icon_settings', CHAT: 'icon_chat', PHONE: 'icon_phone', CHART: 'icon_chart', START: 'icon_start', STAR: 'icon_star', QUESTION: 'icon_question',
} as const satisfies Record<string, HelpWord>;
/** A value that somebody else has set, in words. */
export const valueText = (name: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return say('empty_value');
  if (name === 'category_id') return titleOf(categoryOf(Number(value))?.titles ?? []);
  if (name === 'icon') return say(ICONS[value as keyof typeof ICONS]);
  if (name === 'visibility') return say(SEEN_BY[value as Section['visibility']]);
  if (name === 'article_order_by') return say(ORDERS[value as Section['article_order_by']]);
  if (name === 'team_ids') return (value as number[]).map((id) => teams().find((one) => one.id === id)?.title ?? '').join(', ');
  return Array.isArray(value) ? value.join(', ') : String(value);
};
