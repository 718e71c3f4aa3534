// Values of custom fields in words.
import type { Schemas } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { language, say } from '../../kit/words';

type Field = Schemas['case_field'] | Schemas['user_field'] | Schemas['organization_field'];

const LONGEST = 80;
export const clipped = (text: string) => text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()} …` : text;

/** A value as the form of its field shows it. */
export const fieldValueText = (field: Field, value: string | null): string | null => {
  if (!value) return null;
  const type = field.type ?? '';
  if (type === 'YESNO') return say(value === 'yes' ? 'yes' : 'no');
  if (type === 'DATE') return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(value));
  if (['SELECT', 'RADIO', 'CHECKBOX', 'CASCADINGSELECT'].includes(type)) {
    const titles = value.split(',').map((id) => (rowOf('field_option', Number(id)) as { title?: string } | undefined)?.title);
    return titles.every((title) => title) ? new Intl.ListFormat(language()).format(titles as string[]) : null;
  }
  return type === 'FILE' ? null : clipped(value);
};

/** On a card: the whole text; of a file that it is one. */
export const cardValueText = (field: Field | undefined, value: string | null) =>
  !field || !value ? '' : field.type === 'FILE' ? say('field_file') : ['TEXT', 'TEXTAREA'].includes(field.type ?? '') ? value : fieldValueText(field, value) ?? value;
