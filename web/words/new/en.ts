// English.
const words = {
  new_person: 'a new person',
  new_person_made: '{address} becomes a new person.',
  choose_person: 'Choose a person from the list, or type the e-mail address of a new one.',
  write_subject: 'Write a subject.',
  write_text: 'Write a text.',
  discard: 'Discard',
  discarded: 'The draft was discarded',
  opened_before: 'An earlier form of this conversation was opened. Look for it in the list before you open another.',
  open_another: 'Open another',
  not_opened_yet: 'Not opened yet: the server does not answer. The text is kept, and it is opened once, even if you try again.',
};
export const en: Record<keyof typeof words, string> = words;
