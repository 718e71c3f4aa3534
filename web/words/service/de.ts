import type { en } from './en';
export const de: typeof en = {
  goal_business: 'Ziel {goal} in Geschäftszeiten, {elapsed} verbraucht',
  goal_calendar: 'Ziel {goal}, {elapsed} verbraucht',
  ran: 'lief {time} während {status}',
  ran_not_status: 'pausierte {time} wegen {status}',
  ran_not_completed: 'stand {time}, weil sie abgeschlossen war',
  ran_not_active: 'stand {time}, weil sie im Papierkorb, angehalten oder zusammengeführt war',
  ran_not_hours: 'ließ {time} außerhalb der Geschäftszeiten aus',
  ran_not_holiday: 'ließ {time} an Feiertagen aus',
  clock_runs_before: '[n: one {n} frühere Antwort wurde auch gemessen|other {n} frühere Antworten wurden auch gemessen]',
};
