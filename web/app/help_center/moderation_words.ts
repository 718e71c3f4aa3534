// Words of the comments and of the searches without result.
import { dictionary } from '../../kit/words';
import { en, type ModerationWord } from '../../words/moderation/en';

export type { ModerationWord };
export const { say, ready } = dictionary<ModerationWord>(en, { de: async () => (await import('../../words/moderation/de')).de, ar: async () => (await import('../../words/moderation/ar')).ar });
