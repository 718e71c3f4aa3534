import { dictionary } from '../../kit/words';
import { en } from '../../words/snooze/en';

export type SnoozeWord = keyof typeof en;
export const { say, ready } = dictionary<SnoozeWord>(en, { de: async () => (await import('../../words/snooze/de')).de, ar: async () => (await import('../../words/snooze/ar')).ar });
