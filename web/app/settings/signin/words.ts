// The words of providers of logins, of passwords of staff, and of the own logins by providers.
import { dictionary } from '../../../kit/words';
import { en, type SigninWord } from '../../../words/signin/en';
import { addWords } from '../words';

const { say, ready } = dictionary<SigninWord>(en, { de: async () => (await import('../../../words/signin/de')).de, ar: async () => (await import('../../../words/signin/ar')).ar });
addWords(en, say);
export { ready };
