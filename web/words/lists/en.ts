// English words of priorities, types and languages. See ../en.ts.
const words = {
  priority_new: 'New priority',
  priorities_empty: 'The desk has no priorities.',
  priorities_empty_next: 'Add one to say which conversations come first.',
  priority_level: 'urgency {n}',
  priority_level_help: 'A new priority is the most urgent one. In the list, the last one is the most urgent: move it there.',
  priority_delete_why: 'A priority that conversations or service levels have can not be deleted: give them another one first.',
  type_new: 'New type',
  types_empty: 'The desk has no types.',
  types_empty_next: 'Add one to say what conversations are about, such as questions and faults.',
  type_delete_why: 'A type that conversations have can not be deleted: give them another one first.',
  languages_empty: 'The desk has no languages.',
  languages_empty_next: 'Start the server again: it adds those that it knows.',
  language_enabled: 'Texts may be written in this language',
  language_enabled_help: 'Fields, forms, articles and brands offer it. The language of the desk can not be switched off.',
  language_public: 'Offered in the help center',
  language_public_help: 'Customers can choose it there.',
  language_off: 'not in use',
  language_seen: 'in the help center',
};
export type ListWord = keyof typeof words;
export const en: Record<ListWord, string> = words;
