import { createHmac, randomUUID } from 'node:crypto';
import { until } from './until.mjs';

export const SITE = 'https://good.example', OTHER = 'https://second.example', BASE = 'https://desk.example.com';
export const ANN = { name: 'Ann Example', email: 'ann@home.example', subject: 'My order', contents: 'Where is it?' };

/** The origin that a reply admits. */
export const allowed = (reply) => reply.headers['access-control-allow-origin'];

/** Waits until all processes know that pages of the origin show a widget, or that they show none. */
export async function known(desk, Origin, status = 200) {
  for (const { port } of desk.daemons)
    await until(`${Origin} at ${port}`, async () => (await desk.anyone.with({ Origin }).exchange('GET', '/api/v1/widget/settings', { port })).status === status);
}

/** Two brands with an origin of each. `page` calls as a page with a new fingerprint, from an address of its own, because writes without a login are limited for each. */
export async function widgets(world) {
  const { desk } = world;
  let pages = 0;
  world.page = (Origin = SITE, id = randomUUID()) => desk.anyone.at(`127.0.2.${1 + pages++ % 250}`).with({ Origin, 'X-Fingerprint-ID': id });
  world.brand = async (name, origins, more) => {
    const { id } = await desk.owner.create('/brands', { name, ...more });
    await desk.owner.update(`/brands/${id}/widget`, { origins });
    for (const origin of origins) await known(desk, origin);
    return id;
  };
  await desk.owner.update('/brands/1/widget', { origins: [SITE] });
  await known(desk, SITE);
  world.second = await world.brand('Second', [OTHER]);
}

const part = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JSON Web Token. */
export function jwt(secret, claims, { header = { alg: 'HS256', typ: 'JWT' }, hash = 'sha256' } = {}) {
  const content = `${part(header)}.${part(claims)}`;
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`;
}
