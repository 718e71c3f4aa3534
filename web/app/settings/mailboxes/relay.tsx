// The server that takes the desk's mails, and the address from which they come.
import { Form } from '../form_view';
import { Page } from '../page';
import { createSettingForm } from '../setting_form';
import type { Field } from '../fields';
import type { FormOf } from '../form';

const SECURITY = { STARTTLS: 'security_starttls', TLS: 'security_tls', NONE: 'security_none' } as const;

export const relayFields: readonly Field[] = [
  { name: 'mail.from_address', label: 'from_address', help: 'from_address_help', autocomplete: 'off' },
  { name: 'mail.from_name', label: 'from_name', help: 'from_name_help', long: false },
  { name: 'mail.smtp_host', label: 'smtp_host', help: 'smtp_host_help', long: false },
  { name: 'mail.smtp_port', label: 'smtp_port', long: false },
  { name: 'mail.smtp_security', label: 'smtp_security', words: SECURITY, required: true },
  { name: 'mail.smtp_user', label: 'smtp_user', help: 'smtp_user_help', long: false },
  { name: 'mail.smtp_password', label: 'smtp_password', help: 'secret_help' },
];
export const createRelayForm = (more: Partial<FormOf> = {}) => createSettingForm({
  key: 'relay/own', fields: relayFields, ...more,
  limits: {
    'mail.from_address': { type: 'string', format: 'email', maxLength: 254 }, 'mail.smtp_security': { type: 'string', options: Object.keys(SECURITY) },
    'mail.smtp_password': { type: 'string', format: 'password', maxLength: 1024 },
  },
});

const Relay = () => <Page title="relay" why="relay_why"><Form form={createRelayForm()} /></Page>;
export default Relay;
