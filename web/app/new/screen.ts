// The form of a new conversation, with its words.
import { NewCase } from './new';
import { ready } from './words';

await ready();
export default NewCase;
