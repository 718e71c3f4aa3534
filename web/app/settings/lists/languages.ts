// Languages: the server knows them; the desk chooses those in which it writes, and those of the help center.
import { rows } from '../rows';
import { say } from '../words';

export default rows({
  name: 'languages', path: '/locales', type: 'locale', title: 'languages', new: 'languages', empty: 'languages_empty', emptyNext: 'languages_empty_next',
  fields: [
    { name: 'is_enabled', label: 'language_enabled', help: 'language_enabled_help' },
    { name: 'is_public', label: 'language_public', help: 'language_public_help' },
  ],
  sorted: (language) => language.is_enabled ? 0 : 1,
  label: (language) => language.native_name ?? '',
  note: (language) => [language.name === language.native_name ? '' : language.name, language.is_enabled ? '' : say('language_off'), language.is_public ? say('language_seen') : ''].filter(Boolean).join(' · '),
});
