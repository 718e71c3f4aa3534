// English.
const words = {
  card_done: 'Done',
  card_may_not: 'Your role may not change this.',
  card_organization: 'Organization',
  card_organization_find: 'Find an organization',
  card_access: 'Sees',
  card_access_help: 'In the help center, as a customer.',
  card_access_own: 'the own conversations',
  card_access_all: 'all conversations of the organization',
  card_enabled: 'May log in',
  card_enabled_help: 'The conversations stay in either case.',
  card_emails: 'E-mail addresses',
  card_phones: 'Phone numbers',
  card_phone_new: 'Another phone number',
  card_claimed: 'claimed, not proved',
  card_removed: '{name} was removed',
  card_fields: 'Fields',
  card_domains: 'Domains',
  card_domains_help: 'People with an address of a domain join the organization by themselves.',
  card_shared: 'The people see each other’s conversations',
  card_note: 'Note',
  card_note_add: 'Add note',
  card_note_pinned: 'Pinned',
  card_note_pinned_help: 'Stands above the others, and beside the conversations.',
  card_note_forms: 'This note has forms, such as bold words or lists. A changed text is plain.',
};
export type CardWord = keyof typeof words;
export const en: Record<CardWord, string> = words;
