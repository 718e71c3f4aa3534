import type { en } from './en';
export const de: typeof en = {
  notes_none: 'Noch keine Notiz. Notizen bleiben bei der Person oder Organisation, und nur Mitarbeiter sehen sie.',
  note_pinned: 'Angeheftet',
  note_unpinned: 'Notiz gelöst',
  note_deleted: 'Notiz gelöscht',
  note_delete: 'Löschen',
  note_delete_of: 'Notiz von {name} löschen',
  note_edit_of: 'Notiz von {name} bearbeiten',
  note_pin_of: 'Notiz von {name} anheften',
  note_unpin_of: 'Notiz von {name} lösen',
  note_delete_title: 'Diese Notiz löschen?',
  note_delete_final: 'Sie ist mit ihren Dateien endgültig weg. Autor und Zeitpunkt ließen sich nicht zurückholen.',
  note_unsaved: 'nicht gespeichert',
  notes_failed: 'Die Notizen konnten nicht gelesen werden.',
};
