// The screen, as soon as its words are there.
import { ready as settingsReady } from '../settings/words';
import { Start } from './start';
import { ready } from './words';

await Promise.all([ready(), settingsReady()]);
export default Start;
