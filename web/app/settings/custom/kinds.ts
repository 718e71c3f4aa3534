// What the types of fields are called, and what they have.
import type { SettingsWord } from '../words';

export const KINDS: Readonly<Record<string, SettingsWord>> = {
  TEXT: 'kind_text', TEXTAREA: 'kind_lines', NUMERIC: 'kind_whole', DECIMAL: 'kind_decimal', DATE: 'kind_date', YESNO: 'kind_yes_no', SELECT: 'kind_select', RADIO: 'kind_radio', CHECKBOX: 'kind_checkbox',
  CASCADINGSELECT: 'kind_cascading', REGEX: 'kind_pattern', FILE: 'kind_file',
};
export const hasOptions = (type: unknown) => ['SELECT', 'RADIO', 'CHECKBOX', 'CASCADINGSELECT'].includes(String(type));
