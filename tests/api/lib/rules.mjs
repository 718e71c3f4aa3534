import assert from 'node:assert/strict';
import { members, snakes } from './names.mjs';

// The rules for every reply of the API.

const ORDER = ['status', 'data', 'resource', 'resources', 'offset', 'limit', 'total_count', 'results',
  'first_url|previous_url|next_url|last_url', 'logs', 'notifications', 'errors', 'auth_token', 'posts', 'session_id']
  .flatMap((names, rank) => names.split('|').map((name) => [name, rank]));
const RANK = new Map(ORDER);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
const LINKS = { first: 'first_url', prev: 'previous_url', next: 'next_url', last: 'last_url' };

/** {rel: address} of a Link header */
export function links(header = '') {
  return Object.fromEntries([...header.matchAll(/<([^>]*)>\s*;\s*rel="?([a-z]+)"?/g)].map(([, url, rel]) => [rel, url]));
}

function headers(reply) {
  const { headers: h, status } = reply;
  const wanted = {
    'x-api-version': '1',
    'cache-control': status === 200 && /^[/]api[/]v1[/]widget[/]settings\b/.test(reply.request.path) ? 'public, max-age=60' : 'private, max-age=0, must-revalidate',
    'x-content-type-options': 'nosniff',
    ...(status !== 304 && { 'content-type': 'application/json' }),
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(h[name], value, `${name} of ${reply}`);
  assert.match(h['date-iso'] ?? '', TIME, `Date-ISO of ${reply}`);
  assert.ok(h['x-request-id'], `X-Request-ID of ${reply}`);
  if (status === 429) assert.match(h['retry-after'] ?? '', /^\d+$/, `Retry-After of ${reply}`);
  if (status === 405) assert.ok(h.allow, `Allow of ${reply}`);
  if (status === 401) {
    const asked = Object.keys(reply.request.headers).some((n) => n.toLowerCase() === 'x-requested-with');
    const offered = h['www-authenticate'] ?? '';
    if (asked) assert.equal(offered, '', `no WWW-Authenticate for a script: ${reply}`);
    else assert.match(offered, /Basic realm=".*Bearer|Bearer.*Basic realm="/, `WWW-Authenticate of ${reply}`);
  }
}

function envelope(reply, body) {
  assert.equal(body.status, reply.status, `status member of ${reply}`);
  const names = Object.keys(body);
  for (const name of names) assert.ok(RANK.has(name), `unknown envelope member ${name}: ${reply}`);
  const ranks = names.map((name) => RANK.get(name));
  assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b), `member order of ${reply}`);
  if ('data' in body) assert.equal(typeof body.resource, 'string', `resource beside data: ${reply}`);
}

function errors(reply, body, base) {
  assert.ok(!('data' in body), `an error has no data: ${reply}`);
  assert.ok(Array.isArray(body.errors) && body.errors.length, `errors of ${reply}`);
  for (const error of body.errors) {
    assert.match(error.code, /^[A-Z][A-Z_]+$/, `code of ${reply}`);
    assert.ok(error.message, `message of ${reply}`);
    if (error.code === 'RESOURCE_ACTION_NOT_AVAILABLE') assert.match(error.message, /^(?!The state of the resource).*[.] .*[.]$/, `must name the state and the alternative: ${reply}`);
    assert.equal(error.more_info, `${base}/docs/errors/${error.code}`, `more_info of ${reply}`);
  }
  assert.doesNotMatch(reply.text, /SELECT |INSERT |sqlite|\.c:\d+|\/tmp\/|\/dev\/shm\//i, `internals are shown: ${reply}`);
}

function list(reply, body, base) {
  const count = body.data.length;
  if ('limit' in body) {
    assert.ok(body.limit >= 1 && body.limit <= 1000, `limit of ${reply}`);
    assert.ok(count <= body.limit, `more items than limit in ${reply}`);
  } else {
    assert.ok(!('offset' in body), `offset without limit in ${reply}`);
  }
  const shown = links(reply.headers.link);
  for (const [rel, name] of Object.entries(LINKS)) {
    if (name in body) assert.ok(body[name].startsWith(`${base}/api/v1/`), `${name} of ${reply}`);
    assert.equal(shown[rel], body[name], `Link rel=${rel} of ${reply}`);
  }
}

// The purpose of these is to show a secret: once, or until it is confirmed.
const showsSecret = (reply, body) => body.resource === 'twofactor' || (body.resource === 'oauth_client' && reply.request.method === 'POST');

function contents(reply, body, base) {
  for (const [name, value] of members(body.data)) {
    if (name === 'resource_url') {
      assert.ok(value.startsWith(`${base}/api/v1/`) && !value.endsWith('.json'), `resource_url ${value} in ${reply}`);
    } else if (name.endsWith('_at') && value !== null) {
      assert.match(value, TIME, `${name} in ${reply}`);
    } else if (/password$|^secret$|_hash$/.test(name) && !showsSecret(reply, body)) {
      assert.equal(value, null, `${name} is shown in ${reply}`);
    }
  }
}

export function obey(reply, base) {
  const { method } = reply.request;
  headers(reply);
  if (method === 'HEAD' || reply.status === 304) {
    assert.equal(reply.bytes.length, 0, `must have no body: ${reply}`);
    return;
  }
  const body = /[?&]_case=/.test(reply.request.path) ? snakes(reply.body) : reply.body;
  envelope(reply, body);
  if (reply.status >= 400) return errors(reply, body, base);
  assert.ok(!('errors' in body), `errors in a success: ${reply}`);
  if (Array.isArray(body.data)) list(reply, body, base);
  contents(reply, body, base);
}
