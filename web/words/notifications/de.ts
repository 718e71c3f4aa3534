import type { en } from './en';
export const de: typeof en = {
  read_all: 'Alle als gelesen markieren',
  no_notifications: 'Sie haben keine Mitteilungen.',
  no_notifications_next: 'Hier steht, wenn eine Anfrage Ihre wird, ein Kunde antwortet oder ein Kollege Sie erwähnt.',
  told_agent: '{name} hat Ihnen eine Anfrage zugewiesen',
  told_team: '{name} hat Ihrem Team eine Anfrage zugewiesen',
  told_reply: '{name} hat geantwortet',
  told_mention: '{name} hat Sie erwähnt',
  told_breach: 'Ein Service-Ziel wurde verfehlt',
  told_warning: 'Ein Service-Ziel wird bald verfehlt',
  told_refused: 'Eine geplante Antwort von Ihnen wurde nicht gesendet',
  told_others: 'und {n} weitere',
};
