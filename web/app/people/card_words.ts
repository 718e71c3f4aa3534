// The words of forms of people and organizations.
import { dictionary } from '../../kit/words';
import { en, type CardWord } from '../../words/cards/en';
import { addWords, ready as settingsReady } from '../settings/words';

const { say, ready: cardsReady } = dictionary<CardWord>(en, { de: async () => (await import('../../words/cards/de')).de, ar: async () => (await import('../../words/cards/ar')).ar });
addWords(en, say);
export const ready = () => Promise.all([cardsReady(), settingsReady()]);
