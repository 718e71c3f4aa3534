import type { en } from './en';

export const de: typeof en = {
  visitor_signed: 'Vom Server der Website benannt',
  visitor_anonymous: 'Besucher ohne Anmeldung: Name und Adresse sind nicht geprüft',
};
