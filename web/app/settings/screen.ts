// The screen, as soon as its words are there.
import { Settings } from './settings';
import { ready } from './words';

await ready();
export default Settings;
