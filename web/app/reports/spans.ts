// Weekdays and hours in words.
import { language } from '../../kit/words';
import { say } from './words';

export const DAYS = [0, 1, 2, 3, 4, 5, 6], HOURS = Array.from({ length: 24 }, (_, hour) => hour);
export const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const MONDAY = Date.UTC(2024, 0, 1), DAY = 86_400_000, HOUR = 3_600_000; // a Monday

export const weekNames = () => {
  const form = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language(), { ...options, timeZone: 'UTC' });
  const long = form({ weekday: 'long' }), short = form({ weekday: 'short' }), hour = form({ hour: 'numeric' }), time = form({ hour: 'numeric', minute: '2-digit' });
  return { days: DAYS.map((day) => long.format(MONDAY + day * DAY)), short: DAYS.map((day) => short.format(MONDAY + day * DAY)), hours: HOURS.map((h) => hour.format(MONDAY + h * HOUR)), times: [...HOURS, 24].map((h) => time.format(MONDAY + h * HOUR)) };
};
/** "Monday, 9:00 AM to 10:00 AM" */
export const spanText = ({ days, times }: ReturnType<typeof weekNames>, day: number, hour: number) => say('week_hour', { day: days[day]!, from: times[hour]!, to: times[hour + 1]! });
