import assert from 'node:assert/strict';
import { snakes } from './names.mjs';
import { faults } from './schema.mjs';

/** Headers of HTTP itself, of cross-origin requests, and of bodies. Operations don't declare them. */
const UNDECLARED = /^(date|connection|keep-alive|content-length|content-type|transfer-encoding|allow|access-control-.*)$/;
const METHODS = ['get', 'put', 'post', 'delete'];

/** Segments of a path as the router sees it, without .json and doubled leading slash. */
const segments = (path) => path.replace(/^\/+/, '').replace(/\.json$/, '').split('/');

/** The /openapi.json of the daemon, and the check of a reply against it. */
export class Contract {
  constructor(doc) {
    this.doc = doc;
    this.schemas = new Map(); // by $ref
    const prefix = new URL(doc.servers?.[0]?.url ?? '/', 'http://x/').pathname.replace(/\/$/, '');
    this.routes = Object.entries(doc.paths).map(([path, item]) =>
      ({ path, item, parts: segments(path.startsWith('/api/') ? path : prefix + path) }));
  }

  /** The declared route of a path. A literal segment takes precedence over a parameter. */
  route(path) {
    const wanted = segments(path.split('?')[0]);
    const literal = (route) => route.parts.filter((p) => !p.startsWith('{')).length;
    return this.routes
      .filter(({ parts }) => parts.length === wanted.length && parts.every((p, i) => p.startsWith('{') || p === wanted[i]))
      .sort((a, b) => literal(b) - literal(a))[0];
  }

  has(method, path) {
    return Boolean(this.route(path)?.item[method.toLowerCase()]);
  }

  /** Names of the members that an operation declares for its JSON body. */
  parameters(method, path) {
    const { requestBody } = this.route(path)?.item[method.toLowerCase()] ?? {};
    const body = requestBody?.$ref ? this.at(requestBody.$ref) : requestBody;
    const schema = body?.content['application/json']?.schema ?? {};
    return Object.keys((schema.$ref ? this.at(schema.$ref) : schema).properties ?? {});
  }

  methods(path) {
    return METHODS.filter((m) => this.route(path)?.item[m]).map((m) => m.toUpperCase());
  }

  /** Throws unless the route declares the status of the reply and its body matches that declaration. */
  judge(reply) {
    const { method, path } = reply.request;
    const route = this.route(path);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = route?.item[verb];
    if (!operation) return; // 404, 405: only the general rules apply
    const { responses } = operation;
    const key = [String(reply.status), `${String(reply.status)[0]}XX`].find((k) => responses[k]);
    assert.ok(key, `status ${reply.status} is not declared for its route: ${reply}`);
    const ref = responses[key].$ref;
    const declared = Object.keys((ref ? this.at(ref) : responses[key]).headers ?? {}).map((name) => name.toLowerCase());
    const foreign = Object.keys(reply.headers).filter((name) => !UNDECLARED.test(name) && !declared.includes(name));
    assert.deepEqual(foreign, [], `headers that ${verb} ${route.path} ${key} does not declare: see src/api/rows/reply_header.c`);
    if (method === 'HEAD' || [304, 307].includes(reply.status)) return;
    const response = ref ? this.at(ref) : responses[key];
    if (response.content?.['*/*']) return; // a download
    if (!response.content?.['application/json']) assert.fail(`${verb} ${route.path} ${key} declares no JSON: ${reply}`);
    const partial = /[?&](fields|_empty|_flat)=|no_empty|flat/i.test(`${path} ${reply.request.headers['X-Options'] ?? ''}`);
    const body = /[?&]_case=/.test(path) ? snakes(reply.body) : reply.body;
    const found = this.faults(response.content['application/json'].schema, body, partial);
    assert.deepEqual(found, [], `not the declared schema of ${verb} ${route.path} ${key}: ${reply}`);
  }

  /** The defects of a value, [] if there are none. A partial value may lack required members, because the request left them out. */
  faults(schema, value, partial = false) {
    const resolve = (ref) => this.schemas.get(ref) ?? this.schemas.set(ref, this.at(ref)).get(ref);
    return faults(schema, value, { resolve, partial });
  }

  at(ref) {
    return ref.slice(2).split('/').reduce((node, part) => node?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')], this.doc);
  }
}
