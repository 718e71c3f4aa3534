// A form for settings of the desk: its fields are names of settings, such as mail.smtp_host.
import { get, rowsOf, type Reply } from '../../kit/api';
import type { Field } from './fields';
import { createForm, type FormOf } from './form';

const TEXT = { type: 'string', maxLength: 4000 } as const;

/** Settings have no version: the later of two changes counts. */
const readSettings = async (fields: readonly Field[]): Promise<Reply> => {
  const reply = await get('/settings', { limit: 500 });
  const values = Object.fromEntries(rowsOf(reply).map((row) => [`${row['category']}.${row['name']}`, row['value']]));
  return { ...reply, etag: null, data: { id: 0, resource_type: 'settings', ...Object.fromEntries(fields.map(({ name }) => [name, values[name]])) } };
};

export const createSettingForm = (of: Pick<FormOf, 'key' | 'fields'> & Partial<FormOf>) => createForm({
  operation: 'PUT /settings', path: '/settings', read: () => readSettings(of.fields), wrap: (values) => ({ values }), ...of,
  limits: { ...Object.fromEntries(of.fields.map(({ name }) => [name, TEXT])), ...of.limits },
});
