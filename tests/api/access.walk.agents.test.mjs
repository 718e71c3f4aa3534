import { CALLERS, walkAs } from './lib/access.mjs';

walkAs(...CALLERS.agents);
