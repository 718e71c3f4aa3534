// English words of the screens of people and organizations. See ../en.ts.
const words = {
  notes_none: 'No note yet. Notes stay with the person or the organization, and only staff see them.',
  note_pinned: 'Pinned',
  note_unpinned: 'Note unpinned',
  note_deleted: 'Note deleted',
  note_delete: 'Delete',
  note_delete_of: 'Delete the note of {name}',
  note_edit_of: 'Edit the note of {name}',
  note_pin_of: 'Pin the note of {name}',
  note_unpin_of: 'Unpin the note of {name}',
  note_delete_title: 'Delete this note?',
  note_delete_final: 'It is gone for good, with its files. An undo could not bring back its author and its time.',
  note_unsaved: 'not saved',
  notes_failed: 'The notes could not be read.',
  members_none: 'Nobody is in this organization yet.',
  members_none_add: 'Nobody is in this organization yet. Find a person to add.',
  member_add: 'Add a person',
  member_remove: 'Remove {name}',
  member_added: '{name} is in {organization} now',
  member_removed: '{name} is not in {organization} any more',
  people_count: '[n: one {n} person|other {n} people]',
};
export const en: Record<keyof typeof words, string> = words;
