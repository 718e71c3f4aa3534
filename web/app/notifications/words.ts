import { dictionary } from '../../kit/words';
import { en } from '../../words/notifications/en';

export type NotificationWord = keyof typeof en;
export const { say, ready } = dictionary<NotificationWord>(en, { de: async () => (await import('../../words/notifications/de')).de, ar: async () => (await import('../../words/notifications/ar')).ar });
