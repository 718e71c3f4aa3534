// The screen, as soon as its words are there.
import { HelpCenter } from './help_center';
import { ready } from './words';

await ready();
export default HelpCenter;
