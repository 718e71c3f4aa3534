import type { en } from './en';

export const de: typeof en = {
  new_person: 'eine neue Person',
  new_person_made: '{address} wird eine neue Person.',
  choose_person: 'Wählen Sie eine Person aus der Liste, oder geben Sie die E-Mail-Adresse einer neuen ein.',
  write_subject: 'Schreiben Sie einen Betreff.',
  write_text: 'Schreiben Sie einen Text.',
  discard: 'Verwerfen',
  discarded: 'Der Entwurf wurde verworfen',
  opened_before: 'Eine frühere Fassung dieser Anfrage wurde eröffnet. Suchen Sie sie in der Liste, bevor Sie eine weitere eröffnen.',
  open_another: 'Eine weitere eröffnen',
  not_opened_yet: 'Noch nicht eröffnet: Der Server antwortet nicht. Der Text bleibt erhalten, und er wird nur einmal eröffnet, auch wenn Sie es noch einmal versuchen.',
};
