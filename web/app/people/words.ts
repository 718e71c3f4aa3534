// The words of the screens of people and organizations.
import { dictionary } from '../../kit/words';
import { en } from '../../words/people/en';

export type PeopleWord = keyof typeof en;
export const { say, ready } = dictionary<PeopleWord>(en, { de: async () => (await import('../../words/people/de')).de, ar: async () => (await import('../../words/people/ar')).ar });
