import { after, before } from 'node:test';
import { open } from './desk.mjs';

/** One daemon for all tests of a describe: `const world = shared(); ... world.desk`. */
export function shared(prepare = () => {}) {
  const world = {};
  let close;
  before(async () => {
    world.desk = await open({ after: (end) => { close = end; } });
    await prepare(world);
  });
  after(() => close?.());
  return world;
}
