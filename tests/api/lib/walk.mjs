import { routes } from './desk.mjs';
import { members } from './names.mjs';

// Visits every route of `deskd routes` at every address that its variables can have.

const VARIABLE = /:\w+/g;
const pattern = (path) => new RegExp(`^${path.replaceAll(VARIABLE, '([^/]+)')}$`);
const fill = (path, values) => { let i = 0; return path.replaceAll(VARIABLE, () => values[i++]); };

/** The addresses (resource_url) in replies so far, below /api/v1. */
export class Addresses {
  constructor(base) {
    this.prefix = `${base}/api/v1`;
    this.paths = new Set();
  }

  learn(reply) {
    if (!reply.isJson || reply.status >= 300) return reply;
    for (const [name, value] of members(reply.body)) {
      if (name === 'resource_url' && typeof value === 'string' && value.startsWith(this.prefix)) this.paths.add(value.slice(this.prefix.length));
    }
    return reply;
  }

  /** The last segments of known addresses of this form. */
  matches(form) {
    const wanted = pattern(form);
    return [...this.paths].map((path) => wanted.exec(path)?.slice(1)).filter(Boolean);
  }

  /** Values for the variables of a route: from a known address up to its last variable, otherwise from known addresses for each variable. */
  values(path) {
    const last = path.lastIndexOf(':');
    if (last < 0) return [[]];
    const form = path.slice(0, path.indexOf('/', last) < 0 ? undefined : path.indexOf('/', last));
    const whole = this.matches(form);
    if (whole.length) return whole;
    const names = form.match(VARIABLE);
    if (names.length === 1) return [];
    const owners = this.matches(form.slice(0, form.indexOf('/', form.indexOf(':'))));
    const collection = `/${names.at(-1).slice(1).replace(/_id$/, '')}s/:id`; // :file_id -> /files/:id
    return owners.flatMap((owner) => this.matches(collection).map((item) => [...owner, ...item]));
  }
}

const spread = (list, most) => list.length <= most ? list : Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);

/** [{method, path, at: [{address, absent, foreign}]}] of all routes, with at most `most` addresses each. */
export function walk(addresses, most) {
  return routes().map(({ method, path: full, roles, resource }) => {
    const path = full.split('?')[0];
    const values = spread(addresses.values(path), most);
    const known = new Set(values.map(String));
    const at = values.map((own) => ({ address: fill(path, own), absent: fill(path, [...own.slice(0, -1), '987654321']), variables: own.length }));
    const foreign = values.length && values[0].length > 1
      ? values.flatMap((a) => values.filter((b) => b[0] !== a[0]).map((b) => [a[0], ...b.slice(1)])).filter((v) => !known.has(String(v)))
      : [];
    return { method, path, roles, resource, at, foreign: spread([...new Set(foreign.map((v) => fill(path, v)))], most) };
  });
}

/** All addresses that a caller with full access finds: reads the lists, then the addresses that they show. */
export async function explore(client, addresses) {
  const lists = routes().filter(({ method }) => method === 'GET');
  for (let before = -1; before !== addresses.paths.size;) {
    before = addresses.paths.size;
    for (const { path } of lists) {
      for (const values of spread(addresses.values(path.split('?')[0]), 12)) {
        addresses.learn(await client.exchange('GET', `/api/v1${fill(path.split('?')[0], values)}`, { query: { include: '*', limit: 100 } }));
      }
    }
  }
}

/** Returns true if a route accepts a fingerprint, by the OpenAPI document. */
export const admitsFingerprint = (doc, { method, path }) =>
  doc.paths[path.split('?')[0].replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.security?.some((s) => 'fingerprint' in s) ?? false;

/** The addresses of all GET routes that begin with this form of one variable and have no other variable. */
export const waysTo = (form, id) => routes()
  .filter(({ method, path }) => method === 'GET' && (path === form || path.startsWith(`${form}/`)) && path.match(VARIABLE).length === 1)
  .map(({ path }) => path.split('?')[0].replace(VARIABLE, id));
