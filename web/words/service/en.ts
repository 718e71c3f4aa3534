// English words of the explanation of clocks. See ../en.ts.
const words = {
  goal_business: 'Goal {goal} in business hours, {elapsed} used',
  goal_calendar: 'Goal {goal}, {elapsed} used',
  ran: 'ran {time} while {status}',
  ran_not_status: 'paused {time} because {status}',
  ran_not_completed: 'stopped {time} because it was completed',
  ran_not_active: 'stopped {time} because it was in the trash, suspended or merged',
  ran_not_hours: 'left out {time} outside of business hours',
  ran_not_holiday: 'left out {time} of holidays',
  clock_runs_before: '[n: one {n} earlier answer was measured, too|other {n} earlier answers were measured, too]',
};
export const en: Record<keyof typeof words, string> = words;
