import type { en } from './en';
export const ar: typeof en = {
  goal_business: 'الهدف {goal} في ساعات العمل، استُهلك {elapsed}',
  goal_calendar: 'الهدف {goal}، استُهلك {elapsed}',
  ran: 'جرى {time} أثناء {status}',
  ran_not_status: 'توقّف {time} بسبب {status}',
  ran_not_completed: 'توقّف {time} لأنها كانت مكتملة',
  ran_not_active: 'توقّف {time} لأنها كانت في المهملات أو معلّقة أو مدمجة',
  ran_not_hours: 'لم يُحسب {time} خارج ساعات العمل',
  ran_not_holiday: 'لم يُحسب {time} من العطل',
  clock_runs_before: '[n: one قيس رد سابق أيضًا|two قيس ردّان سابقان أيضًا|few قيست {n} ردود سابقة أيضًا|many قيس {n} ردًا سابقًا أيضًا|other قيس {n} رد سابق أيضًا]',
};
