import type { en } from './en';

export const de: typeof en = {
  card_done: 'Fertig',
  card_may_not: 'Ihre Rolle darf das nicht ändern.',
  card_organization: 'Organisation',
  card_organization_find: 'Organisation suchen',
  card_access: 'Sieht',
  card_access_help: 'Im Hilfecenter, als Kunde.',
  card_access_own: 'die eigenen Unterhaltungen',
  card_access_all: 'alle Unterhaltungen der Organisation',
  card_enabled: 'Darf sich anmelden',
  card_enabled_help: 'Die Unterhaltungen bleiben in jedem Fall erhalten.',
  card_emails: 'E-Mail-Adressen',
  card_phones: 'Telefonnummern',
  card_phone_new: 'Weitere Telefonnummer',
  card_claimed: 'angegeben, nicht bestätigt',
  card_removed: '{name} wurde entfernt',
  card_fields: 'Felder',
  card_domains: 'Domains',
  card_domains_help: 'Wer eine Adresse einer dieser Domains hat, gehört von selbst zur Organisation.',
  card_shared: 'Die Personen sehen die Unterhaltungen der anderen',
};
