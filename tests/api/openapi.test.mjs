import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PASSWORD, open, routes } from './lib/index.mjs';
import { raw } from './lib/bodies.mjs';
import { Contract } from './lib/contract.mjs';
import { parseStrictly } from './lib/strict.mjs';

// openapi.json and the reference must agree with the routes and with themselves.


const document = async (desk) => (await desk.anyone.exchange('GET', '/openapi.json')).must(200).body;
/** All pages linked from the contents of the first page: path -> HTML. */
async function site(desk) {
  const fetched = async (path) => (await desk.anyone.exchange('GET', path)).must(200).text;
  const first = await fetched('/docs');
  const pages = new Map([['/docs', first]]);
  for (const [, path] of first.matchAll(/href="(\/docs\/[^"#?.]*)"/g)) if (!pages.has(path)) pages.set(path, await fetched(path));
  return pages;
}
const chapters = async (desk) => [...await site(desk)].filter(([path]) => path.startsWith('/docs/reference/')).map(([, html]) => html).join('\n');
const anchor = ({ method, path }) => method.toLowerCase() + path.replaceAll('/', '-').replaceAll(':', '');

/** [path, method, operation] of each operation in the document. */
const operations = (doc) => Object.entries(doc.paths).flatMap(([path, item]) =>
  Object.entries(item).filter(([key]) => key !== 'parameters').map(([method, operation]) => [path, method, operation]));

test('no object of the OpenAPI document has a repeated member', async (t) => {
  assert.throws(() => parseStrictly('{"a": [{"b": 1}, {"b": 2}], "c": "\\"c\\":", "a": 2}'), /member a is repeated/);
  assert.throws(() => parseStrictly('{"a": {"b": 1, "\\u0062": 2}}'), /member b is repeated/);
  const desk = await open(t);
  parseStrictly((await desk.anyone.exchange('GET', '/openapi.json')).must(200).text);
});

test('operations have unique ids', async (t) => {
  const names = operations(await document(await open(t))).map(([, , { operationId }]) => operationId);
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

test('examples in the OpenAPI document match their schemas', async (t) => {
  const doc = await document(await open(t));
  const ajv = addFormats(new Ajv2020({ strict: false }));
  ajv.addSchema({ $id: 'http://deskd.test/', ...doc });
  const check = (ref, example) => {
    const validate = ajv.getSchema(`http://deskd.test/${ref}`);
    assert.ok(validate(example), `${ref}: ${ajv.errorsText(validate.errors)}`);
  };
  for (const [name, { examples = [] }] of Object.entries(doc.components.schemas)) {
    for (const example of examples) check(`#/components/schemas/${name}`, example);
  }
  for (const [, , { requestBody }] of operations(doc)) {
    const json = requestBody?.content['application/json'];
    if (json) check(json.schema.$ref, json.example);
  }
});

/** A value, and the value with each of its parts replaced, removed or added to. */
function* variants(value) {
  yield value;
  for (const other of [null, true, -1, 0.5, 1e9, '', 'x', 'NONE', 'a@b.example', 'http://[::1]:80/a?b#c', 'http://a/ b', '2026-02-30T00:00:00Z', '2026-02-28T00:00:00+00:00', 'é'.repeat(5000), [], {}]) yield other;
  if (value === null || typeof value !== 'object') return;
  const copy = (key, inner) => (Array.isArray(value) ? value.map((item, i) => (i === Number(key) ? inner : item)) : { ...value, [key]: inner });
  for (const [key, inner] of Object.entries(value)) for (const other of variants(inner)) yield copy(key, other);
  if (Array.isArray(value)) yield Array(101).fill(value[0] ?? null);
  else yield { ...value, added: 1 };
  for (const key of Array.isArray(value) ? [] : Object.keys(value)) yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

test('the check of replies and a library agree which values match the schemas', async (t) => {
  const doc = await document(await open(t));
  const ajv = addFormats(new Ajv2020({ strict: false }));
  ajv.addSchema({ $id: 'http://deskd.test/', ...doc });
  const contract = new Contract(doc);
  const count = { true: 0, false: 0 };
  for (const [name, schema] of Object.entries(doc.components.schemas)) {
    const validate = ajv.getSchema(`http://deskd.test/#/components/schemas/${name}`);
    for (const value of (schema.examples ?? []).flatMap((example) => [...variants(example)])) {
      const matches = validate(value);
      assert.equal(contract.faults(schema, value).length === 0, matches, `${name}: ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
      count[matches] += 1;
    }
  }
  assert.ok(count.true > 1000 && count.false > 1000, JSON.stringify(count));
});

test('every download of a file has parts, and every operation of a caller shows the limit to pages of other sites', async (t) => {
  const desk = await open(t);
  const all = operations(desk.contract.doc);
  const files = all.filter(([path, method]) => method === 'get' && /\/(content|download|attachments\/\{\w+\}|attachments\/\{\w+\}\/url)$/.test(path) && !path.endsWith('/all'));
  const whole = files.filter(([, , { responses }]) => responses[200]?.headers?.['Repr-Digest']);
  assert.ok(whole.length >= 8, whole.map(([path]) => path).join());
  for (const [path, , { responses }] of whole) assert.ok(responses[206] && responses[416], path);
  assert.deepEqual(files.filter(([path, , { responses }]) => /download$/.test(path) && !responses[206]).map(([path]) => path), []);
  const app = 'https://app.example';
  await desk.owner.update('/settings', { values: { 'security.cors_origins': app } });
  const exposed = (await desk.staff.with({ Origin: app }).get('/me')).must(200).headers['access-control-expose-headers'].split(', ');
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) assert.ok(exposed.includes(name), `${name} in ${exposed}`);
});

test('downloads and their parts have the headers that the OpenAPI document declares', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/files', raw('application/octet-stream', '0123456789'));
  const whole = (await desk.owner.exchange('GET', `/api/v1/files/${id}/content`)).must(200);
  const part = (await desk.owner.exchange('GET', `/api/v1/files/${id}/content`, { headers: { Range: 'bytes=2-4' } })).must(206);
  assert.equal(part.text, '234');
  const declared = operations(desk.contract.doc).find(([path, method]) => path === '/files/{id}/content' && method === 'get')[2];
  for (const reply of [whole, part]) {
    desk.contract.judge(reply);
    for (const name of Object.keys(declared.responses[reply.status].headers).filter((name) => !/X-CSRF|Last-Modified|Vary|Content-Encoding|RateLimit|Strict-Transport|traceparent/.test(name))) {
      assert.ok(reply.headers[name.toLowerCase()], `${name} of ${reply}`);
    }
  }
  assert.deepEqual(declared.parameters.map(({ $ref }) => $ref?.split('/').at(-1)).filter((name) => /Range/.test(name)), ['Range', 'If-Range']);
});

test('the description of the API lists exactly what is served', async (t) => {
  const doc = await document(await open(t));
  const titles = new Set(operations(doc).flatMap(([, , { tags }]) => tags));
  const [, named] = /^Chapters: (.*?)\. Guides/.exec(doc.info.description);
  assert.deepEqual(named.split(', ').sort(), [...titles].sort());
  assert.deepEqual(doc.tags.map(({ name }) => name).sort(), [...titles].sort());
});

test('the OpenAPI document describes the OAuth server as its metadata do, and each scope with its rights', async (t) => {
  const desk = await open(t, { base: 'https://help.example/desk', args: ['--base-url', 'https://help.example/desk'] });
  const { components: { securitySchemes } } = await document(desk);
  const metadata = (await desk.anyone.exchange('GET', '/.well-known/oauth-authorization-server')).must(200).body;
  const { type, flows } = securitySchemes.oauth2;
  assert.equal(type, 'oauth2');
  assert.deepEqual(Object.keys(flows), ['authorizationCode', 'clientCredentials']);
  const { scopes, ...code } = flows.authorizationCode;
  assert.deepEqual(code, { authorizationUrl: metadata.authorization_endpoint, tokenUrl: metadata.token_endpoint, refreshUrl: metadata.token_endpoint });
  assert.equal(code.tokenUrl, 'https://help.example/desk/oauth/token');
  assert.deepEqual(flows.clientCredentials, { tokenUrl: metadata.token_endpoint, scopes });
  assert.deepEqual(Object.keys(scopes).sort(), metadata.scopes_supported.sort());
  for (const [name, rights] of Object.entries(scopes)) assert.match(rights, /^(See|Read|Search)\b/, name);
  assert.notEqual(scopes['users:read'], scopes['users:write']);
});

test('operations name only credentials and scopes that the OpenAPI document defines', async (t) => {
  const doc = await document(await open(t)), { securitySchemes } = doc.components;
  const used = new Set();
  for (const [path, method, { security }] of operations(doc)) {
    for (const [name, scopes] of security.flatMap((way) => Object.entries(way))) {
      assert.ok(securitySchemes[name], `${name} of ${method} ${path}`);
      for (const scope of scopes) assert.ok(securitySchemes[name].flows?.authorizationCode.scopes[scope], `${scope} of ${method} ${path}`);
      used.add(name);
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(securitySchemes).sort());
});

test('pages have an anchor and a command for every operation, unique ids, and links with a target', async (t) => {
  const desk = await open(t);
  const pages = await site(desk);
  const ids = new Map([...pages].map(([path, html]) => [path, [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)]));
  for (const [path, list] of ids) assert.deepEqual(list.filter((id, i) => list.indexOf(id) !== i), [], `an id is repeated in ${path}`);
  for (const [path, html] of pages) {
    for (const [, target] of html.matchAll(/(?:href|src|action)="([^"]*)"/g)) {
      const [, page, anchor] = /^([^#]*)#?(.*)$/.exec(target);
      const known = page === '' ? path : page;
      if (!ids.has(known)) {
        assert.match(page, /^\/(docs\/(errors\/[A-Z_]+|style\.css)|openapi\.json)$/, `${target} in ${path}`);
        (await desk.anyone.exchange('HEAD', page)).must(200);
      } else if (anchor) assert.ok(ids.get(known).includes(anchor), `${target} in ${path} leads nowhere`);
    }
  }
  const html = await chapters(desk);
  const articles = new Map([...html.matchAll(/<article id="([^"]*)">(.*?)<\/article>/gs)].map(([, id, text]) => [id, text]));
  for (const route of routes()) assert.match(articles.get(anchor(route)) ?? '', /<code>[^<]*\bcurl /, anchor(route));
});

test('a body is declared as JSON and as both kinds of form, by the same schema', async (t) => {
  const desk = await open(t), doc = await document(desk), contract = new Contract(doc);
  let bodies = 0;
  for (const [path, method, { requestBody }] of operations(doc)) {
    if (!requestBody) continue;
    const { content } = requestBody.$ref ? contract.at(requestBody.$ref) : requestBody;
    if (content['*/*']) continue; // a file as it is
    assert.deepEqual(Object.keys(content), ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'], `${method} ${path}`);
    const schema = content['application/x-www-form-urlencoded'].schema.$ref;
    assert.ok(schema, `${method} ${path}`);
    for (const type of Object.keys(content)) assert.ok(JSON.stringify(content[type].schema).includes(JSON.stringify({ $ref: schema })) || type === 'application/json', `${method} ${path} ${type}`);
    bodies += 1;
  }
  assert.ok(bodies > 100, `${bodies} bodies`);
});

test('the reference lists each argument of a query and each member of a body', async (t) => {
  const desk = await open(t), doc = await document(desk), contract = new Contract(doc);
  const articles = new Map([...(await chapters(desk)).matchAll(/<article id="([^"]*)">(.*?)<\/article>/gs)].map(([, id, text]) => [id, text]));
  const missing = [];
  let listed = 0;
  for (const route of routes()) {
    const path = `/api/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}`, html = articles.get(anchor(route));
    const operation = contract.route(path)?.item[route.method.toLowerCase()];
    assert.ok(html && operation, anchor(route));
    const names = [...(operation.parameters ?? []).map((p) => (p.$ref ? contract.at(p.$ref) : p)).filter((p) => p.in === 'query').map((p) => p.name), ...contract.parameters(route.method, path)];
    missing.push(...names.filter((name) => !html.includes(`<code>${name}`)).map((name) => `${anchor(route)}: ${name}`));
    listed += names.length;
  }
  assert.deepEqual(missing, []);
  assert.ok(listed > 500, `${listed} names`);
});

test('pages contain no style or script, and their policy allows none', async (t) => {
  const desk = await open(t);
  for (const [path, html] of await site(desk)) {
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script/, path);
    assert.match(html, /^<!DOCTYPE html>\n<html lang="en">/, path);
    assert.equal([...html.matchAll(/<h1>/g)].length, 1, path);
  }
  const { headers } = (await desk.anyone.exchange('GET', '/docs')).must(200);
  assert.match(headers['content-security-policy'], /^default-src 'none'; style-src 'self'; form-action 'none';/);
  assert.doesNotMatch(headers['content-security-policy'], /unsafe/);
});

test('links of pages keep the path of the base URL', async (t) => {
  const desk = await open(t, { base: 'https://help.example/desk', args: ['--base-url', 'https://help.example/desk'] });
  const { text } = (await desk.anyone.exchange('GET', '/docs')).must(200);
  assert.match(text, /<link rel="stylesheet" href="\/desk\/docs\/style\.css">/);
  assert.match(text, /href="\/desk\/docs\/reference\/case#post-cases"/);
  assert.match((await desk.anyone.exchange('GET', '/')).must(200).text, /href="\/desk\/docs"/);
});

test('one page links to every operation', async (t) => {
  const desk = await open(t);
  const html = (await desk.anyone.exchange('GET', '/docs/operations')).must(200).text;
  for (const route of routes()) assert.match(html, new RegExp(`href="/docs/reference/[a-z_]+#${anchor(route)}"><strong class="${route.method}">${route.method}</strong> <code>${route.path}</code> `), anchor(route));
});

test('the document and the pages are built once and answer conditional requests: the same bytes, an ETag, 304', async (t) => {
  const desk = await open(t);
  for (const path of ['/openapi.json', '/docs', '/docs/reference/team', '/docs/errors/FIELD_EMPTY', '/docs/style.css']) {
    const first = (await desk.anyone.exchange('GET', path)).must(200);
    assert.match(first.etag, /^"[0-9a-f]{32}"$/, path);
    const again = await desk.anyone.exchange('GET', path, { headers: { 'If-None-Match': first.etag } });
    assert.equal(again.must(304).bytes.length, 0);
    (await desk.anyone.exchange('GET', path, { headers: { 'If-None-Match': '"other"' } })).must(200);
    const head = (await desk.anyone.exchange('HEAD', path)).must(200);
    assert.equal(Number(head.headers['content-length']), first.bytes.length);
    assert.equal(head.etag, first.etag);
  }
});

test('slow readers share the bytes of a page', { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
  const desk = await open(t);
  const bytes = (await desk.anyone.exchange('GET', '/openapi.json')).must(200).bytes.length;
  const resident = () => Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${desk.child.pid}/status`, 'utf8'))[1]) * 1024;
  const readers = 100, before = resident();
  for (let i = 0; i < readers; i++) {
    const socket = net.connect(desk.daemons[0].port, '127.0.0.1');
    t.after(() => socket.destroy());
    await new Promise((resolve) => socket.once('readable', resolve).write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n')); // the server answered, and the client never reads
  }
  assert.ok(resident() - before < readers * bytes / 4, `${readers} readers of ${bytes} bytes hold ${resident() - before} bytes`);
});

test('the first page of the desk leads staff to the console, and visitors to the help center if it has an article for them', async (t) => {
  const desk = await open(t);
  const welcome = (await desk.anyone.exchange('GET', '/')).must(200);
  assert.match(welcome.headers['content-type'], /^text\/html/);
  assert.match(welcome.text, /This is our help desk[^]*href="\/helpcenter\/en-us\/contact"[^]*href="\/docs"/);
  const cookie = async (email) => {
    const reply = (await desk.anyone.exchange('GET', '/api/v1/session', { headers: { Authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}` } })).must(200);
    return { headers: { Cookie: `desk_session=${reply.body.data.id}` } };
  };
  const staff = await cookie(desk.people.agent.email), customer = await cookie(desk.people.customer.email);
  assert.equal((await desk.anyone.exchange('GET', '/', staff)).must(302).headers.location, '/agent');
  (await desk.anyone.exchange('GET', '/', customer)).must(200);
  const section = (visibility) => desk.owner.create('/sections', { titles: 'S', category_id: 1, visibility });
  const write = async (visibility, status) => desk.owner.create('/articles', { titles: 'A', contents: 'x', section_id: (await section(visibility)).id, status });
  await write('PUBLIC', 'DRAFT');
  await write('AGENTS', 'PUBLISHED');
  (await desk.anyone.exchange('GET', '/')).must(200);
  (await desk.anyone.exchange('GET', '/', customer)).must(200);
  await write('AUTHORIZED', 'PUBLISHED');
  (await desk.anyone.exchange('GET', '/')).must(200);
  assert.equal((await desk.anyone.exchange('GET', '/', customer)).must(302).headers.location, '/helpcenter');
  await write('PUBLIC', 'PUBLISHED');
  assert.equal((await desk.anyone.exchange('GET', '/')).must(302).headers.location, '/helpcenter');
  assert.equal((await desk.anyone.exchange('GET', '/', staff)).must(302).headers.location, '/agent');
  assert.equal((await desk.anyone.exchange('POST', '/')).status, 404);
});

test('with --no-console the desk has no console, and its first page leads staff to the documentation', async (t) => {
  const desk = await open(t, { args: ['--no-console'] });
  const { body } = await desk.anyone.exchange('GET', '/api/v1/session', { headers: { Authorization: `Basic ${Buffer.from(`${desk.people.agent.email}:${PASSWORD}`).toString('base64')}` } });
  assert.equal((await desk.anyone.exchange('GET', '/', { headers: { Cookie: `desk_session=${body.data.id}` } })).must(302).headers.location, '/docs');
  for (const path of ['/agent', '/agent/', '/agent/views/1']) assert.equal((await desk.anyone.exchange('GET', path)).status, 404, path);
});

test('the console is one page with a strict policy at each address below /agent', async (t) => {
  const desk = await open(t, { base: 'https://example.com/help' });
  const pages = await Promise.all(['/agent', '/agent/', '/agent/views/1/2', '/agent/settings/x'].map(async (path) => (await desk.anyone.exchange('GET', path)).must(200)));
  for (const { text, headers } of pages) {
    assert.equal(text, pages[0].text);
    assert.match(text, /data-prefix="\/help"[^]*src="\/help\/agent\/files\/console-/);
    assert.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'; style-src 'self';[^]*frame-ancestors 'none'; require-trusted-types-for 'script'/);
    assert.equal((await desk.anyone.exchange('GET', '/agent', { headers: { 'If-None-Match': headers.etag } })).status, 304);
  }
  assert.equal((await desk.anyone.exchange('POST', '/agent')).status, 404);
  for (const path of ['/agent/files/page.html', '/agent/files/', '/agent/files/../page.html', '/agentx']) assert.equal((await desk.anyone.exchange('GET', path)).status, 404, path);
});

test('a browser that asks for an unknown address gets a page, a program JSON', async (t) => {
  const desk = await open(t);
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  for (const path of ['/nothing', '/docs/nothing', '/docs/errors/NO_SUCH', '/a/b?c=d', '/apidocs', '/%22%3E%3Cscript%3E']) {
    const page = (await desk.anyone.exchange('GET', path, { headers: browser })).must(404);
    assert.match(page.headers['content-type'], /^text\/html/, path);
    assert.match(page.text, /name="query"[^]*<h1>There is no such page<\/h1>/, path);
    assert.ok(!page.text.includes('"><script>'), path);
    (await desk.anyone.exchange('HEAD', path, { headers: browser })).must(404);
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }]) assert.match((await desk.anyone.exchange('GET', path, { headers })).must(404).headers['content-type'], /^application\/json/, path);
  }
  for (const path of ['/api/v1/nothing', '//api/v1/nothing', '/api/v1/cases/999999', '/api']) assert.match((await desk.anyone.exchange('GET', path, { headers: browser })).headers['content-type'], /^application\/json/, path);
  assert.match((await desk.anyone.exchange('POST', '/nothing', { headers: browser })).must(404).headers['content-type'], /^application\/json/);
});

test('the first page of the documentation leads by task to operations that exist', async (t) => {
  const desk = await open(t);
  const { text } = (await desk.anyone.exchange('GET', '/docs')).must(200);
  const tasks = /<div class="tasks">[^]*?<\/div>/.exec(text)[0], links = [...tasks.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
  assert.ok(links.length > 20 && text.indexOf(tasks) < text.indexOf('<h2>Guides'));
  for (const href of links) {
    const [path, hash] = href.split('#'), page = (await desk.anyone.exchange('GET', path)).must(200).text;
    if (hash) assert.ok(page.includes(`id="${hash}"`), href);
  }
});

test('every error has a page that links back', async (t) => {
  const desk = await open(t);
  const { text } = (await desk.anyone.exchange('GET', '/docs/errors')).must(200);
  const codes = new Set([...text.matchAll(/href="\/docs\/errors\/([A-Z_]+)"/g)].map(([, code]) => code));
  assert.ok(codes.size > 20);
  for (const code of codes) {
    const page = (await desk.anyone.exchange('GET', `/docs/errors/${code}`)).must(200).text;
    assert.match(page, new RegExp(`<h1>${code}</h1>[^]*href="/docs/errors"`));
  }
  assert.equal((await desk.anyone.exchange('GET', '/docs/errors/NO_SUCH')).status, 404);
});


test('a response that operations share has the headers that such replies may have, and no others', async (t) => {
  const { components } = (await (await open(t)).anyone.exchange('GET', '/openapi.json')).must(200).body;
  const having = (header) => Object.entries(components.responses).filter(([, r]) => header in (r.headers ?? {})).map(([name]) => name).sort();
  assert.deepEqual(having('Retry-After'), ['error_429', 'error_503']);
  assert.deepEqual(having('WWW-Authenticate'), ['error_401', 'error_403']);
  assert.deepEqual(having('Content-Range'), ['error_416']);
  assert.deepEqual([having('ETag'), having('Last-Modified')], [['not_modified'], ['not_modified']]);
  for (const never of ['Location', 'X-RememberMe', 'Content-Disposition']) assert.deepEqual(having(never), [], never);
  const replayed = having('Idempotent-Replayed');
  for (const name of ['error_429', 'error_500', 'error_503']) assert.ok(!replayed.includes(name), name);
  assert.ok(replayed.includes('error_400'));
});

const plainText = (html) => html.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
/** The rows of the table with this caption: [[cell, ...], ...]; undefined: there is none. */
const tableOf = (html, caption) => new RegExp(`<caption>${caption}</caption>[^]*?<tbody>\\n([^]*?)</tbody>`).exec(html)?.[1].split('</tr>\n').slice(0, -1).map((row) => [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell]) => plainText(cell)));

test('the reference says of each operation what the OpenAPI document says', async (t) => {
  const desk = await open(t), doc = await document(desk), contract = new Contract(doc);
  const articles = new Map([...(await chapters(desk)).matchAll(/<article id="([^"]*)">(.*?)<\/article>/gs)].map(([, id, text]) => [id, text]));
  const everywhere = [...(await desk.anyone.exchange('GET', '/docs/errors')).must(200).text.matchAll(/<code>([A-Z_]+)<\/code><\/a><\/th><td>\d+<\/td><td><em>any/g)].map(([, code]) => code);
  const resolved = (x) => (x?.$ref ? contract.at(x.$ref) : x), sorted = (list) => [...list].sort();
  const statusOf = new Map([...(await desk.anyone.exchange('GET', '/docs/errors')).text.matchAll(/<code>([A-Z_]+)<\/code><\/a><\/th><td>(\d+)/g)].map(([, code, status]) => [code, Number(status)]));
  for (const route of routes()) {
    const where = anchor(route), path = `/api/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}`, html = articles.get(where), operation = contract.route(path).item[route.method.toLowerCase()];
    const facts = Object.fromEntries([...html.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [name, value]));
    const [heading] = /^\n<h3>.*?<\/h3>\n<p class="address">.*?<\/p>\n/.exec(html), codes = (text) => [...text.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code]) => code);
    assert.equal(plainText(heading).trim(), `${operation.summary}\n${route.method} /api/v1${route.path}`, where);
    const described = [`Allowed: ${plainText(facts.Allowed)}.`, `Scope of a token: ${plainText(facts['Scope of a token'])}.`, ...(facts.Permission ? [`Permission: ${plainText(facts.Permission)}.`] : [])].join(' ');
    assert.ok(operation.description.includes(described), `${where}: ${described} in ${operation.description}`);
    assert.equal(facts.Permission && codes(facts.Permission)[0], operation['x-permission'], where);
    const own = operation['x-errors'].filter((code) => !everywhere.includes(code));
    const groups = facts.Errors.split('; ').flatMap((part) => (/^\d+ /.test(part) ? [[Number(part.slice(0, 3)), codes(part)]] : []));
    assert.deepEqual([groups.flatMap(([, list]) => list), new Set(groups.map(([status]) => status)).size], [own, groups.length], where);
    for (const [status, list] of groups) for (const code of list) assert.equal(statusOf.get(code), status, `${where} ${code}`);
    const parameters = operation.parameters ?? [], common = parameters.flatMap(({ $ref }) => ($ref ? [$ref.split('/').at(-1)] : []));
    assert.deepEqual(sorted(codes(facts['Also takes'])), sorted(common.filter((name) => name !== 'ids' && name in doc.components.parameters)), where);
    const success = Object.keys(operation.responses).filter((status) => /^[123]/.test(status) && status !== '304');
    assert.ok(success.includes(facts.Answers.slice(0, 3)), `${where} answers ${success}`);
    const ofQuery = parameters.map(resolved).filter((p, i) => p.in === 'query' && (!parameters[i].$ref || p.name === 'ids')), listed = tableOf(html, 'Arguments, in the query') ?? [];
    assert.deepEqual(sorted(listed.map(([name]) => name)), sorted(ofQuery.map(({ name, required }) => (required || (name === 'ids' && operation.parameters.some(({ $ref }) => $ref?.endsWith('/ids'))) ? `${name} mandatory` : name))), where);
    for (const { name, description } of ofQuery) assert.ok(name === 'ids' || listed.find(([first]) => first.split(' ')[0] === name)[2].startsWith(description.replace(/ (One|Some) of .*/, '')), `${where} ${name}`);
  }
});

test('the reference says of each member what the OpenAPI document says', async (t) => {
  const desk = await open(t), { components: { schemas } } = await document(desk);
  let members = 0;
  for (const [path, html] of await site(desk)) {
    const type = /^\/docs\/reference\/(\w+)$/.exec(path)?.[1], rows = type && tableOf(html, `Members of ${type}`);
    if (!rows || !schemas[type]?.properties) continue;
    const { properties } = schemas[type];
    assert.deepEqual(rows.map(([name]) => name), Object.keys(properties), type);
    for (const [name, kind, meaning] of rows) {
      const { type: types, description, enum: words, anyOf } = properties[name], mayBeNull = [types].flat().includes('null') || anyOf?.some((x) => x.type === 'null');
      if (description) assert.ok(meaning.startsWith(description), `${type} ${name}: ${meaning}`);
      if (kind.endsWith(', or null')) assert.ok(mayBeNull, `${type} ${name}`);
      if (words && !meaning.includes('Always')) assert.ok(words.every((word) => word === null || meaning.includes(word)), `${type} ${name}: ${words} in ${meaning}`);
      members += 1;
    }
  }
  assert.ok(members > 500, `${members} members`);
});

test('the OpenAPI document and deskd routes name the same roles, scopes, permissions and statuses', async (t) => {
  const doc = await document(await open(t)), contract = new Contract(doc), ROLES = ['Customers', 'Collaborators', 'Agents', 'Admins', 'Owners'];
  const from = { ALL: 0, 'COL+': 1, 'AG+': 2, AD: 3 };
  for (const route of routes()) {
    const where = anchor(route), operation = contract.route(`/api/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}`).item[route.method.toLowerCase()];
    const [, scope] = /^(\w+):(?:read|write)$/.exec(route.token) ?? [];
    assert.equal(operation['x-permission'] ?? '-', route.permission || '-', where);
    if (scope) assert.equal(operation['x-scope'], scope, where);
    assert.ok(String(route.status) in operation.responses, `${where} ${route.status}`);
    const named = operation['x-roles'].filter((role) => ROLES.includes(role)), first = from[route.roles];
    if (first !== undefined) assert.deepEqual(named, ROLES.slice(first), `${where} ${route.roles}`);
    const bearers = operation.security.flatMap((way) => way.oauth2 ?? []);
    if (scope) assert.ok(bearers.includes(route.token), `${where} ${bearers}`);
  }
  for (const parameter of [...operations(doc).flatMap(([, , { parameters = [] }]) => parameters.filter(({ $ref }) => !$ref)), ...Object.values(doc.components.parameters)]) {
    const isList = parameter.schema.type === 'array';
    assert.deepEqual([parameter.name, parameter.style, parameter.explode], [parameter.name, ...(isList ? ['form', false] : [undefined, undefined])], 'lists are texts with commas');
    if (parameter.in === 'query') assert.ok(parameter.description && (!parameter.schema.description || parameter.schema.description === parameter.description), parameter.name);
  }
});
