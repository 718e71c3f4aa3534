import { dictionary } from '../../kit/words';
import { en } from '../../words/reports/en';

export type ReportWord = keyof typeof en;
export const { say, ready } = dictionary<ReportWord>(en, { de: async () => (await import('../../words/reports/de')).de, ar: async () => (await import('../../words/reports/ar')).ar });
