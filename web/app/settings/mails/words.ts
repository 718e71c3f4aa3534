// The words of suspended mails.
import { dictionary } from '../../../kit/words';
import { en, type MailWord } from '../../../words/mails/en';
import { addWords } from '../words';

const { say, ready } = dictionary<MailWord>(en, { de: async () => (await import('../../../words/mails/de')).de, ar: async () => (await import('../../../words/mails/ar')).ar });
addWords(en, say);
export { ready };
