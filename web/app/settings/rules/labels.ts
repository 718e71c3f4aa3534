import { dictionary } from '../../../kit/words';
import { en, type Label } from '../../../words/labels/en';

const { say, ready } = dictionary<Label>(en, { de: async () => (await import('../../../words/labels/de')).de, ar: async () => (await import('../../../words/labels/ar')).ar });
export { ready };

/** A title of the server in the language of the person. Titles that the desk has given stay as they are: do not ask for those. */
export const titleText = (title: string) => title in en ? say(title as Label) : title;
