import { after, before } from 'node:test';
import { open } from './desk.mjs';

/** One daemon for all tests of a describe: `const world = shared(); ... world.desk`. Closes with it what prepare opened for world.t. */
export function shared(prepare = () => {}, options = {}) {
  const world = {};
  let close;
  before(async () => {
    world.t = { after: (end) => { close = end; } };
    world.desk = await open(world.t, options);
    await prepare(world);
  });
  after(() => close?.());
  return world;
}
