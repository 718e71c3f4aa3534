import { dictionary } from '../../kit/words';
import { en } from '../../words/activities/en';

export type ActivityWord = keyof typeof en;
const words = dictionary<ActivityWord>(en, { de: async () => (await import('../../words/activities/de')).de, ar: async () => (await import('../../words/activities/ar')).ar });
export const activitySay = words.say, activityWordsReady = words.ready;
