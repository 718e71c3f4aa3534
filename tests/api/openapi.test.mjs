import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PASSWORD, directory, open, routes } from './lib/index.mjs';
import { png } from './lib/picture.mjs';
import { parseStrictly } from './lib/strict.mjs';

// What the server says of itself, in openapi.json and at /docs, against its routes and against itself.

const REDOCLY = process.env.REDOCLY ?? fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
const CURL = spawnSync('curl', ['--version']).status === 0;

const document = async (desk) => (await desk.anyone.exchange('GET', '/openapi.json')).must(200).body;
const page = async (desk) => (await desk.anyone.exchange('GET', '/docs')).must(200).text;
const unescaped = (html) => html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]);
const anchor = ({ method, path }) => method.toLowerCase() + path.replaceAll('/', '-').replaceAll(':', '');

/** [path, method, operation] of all that the document declares. */
const operations = (doc) => Object.entries(doc.paths).flatMap(([path, item]) =>
  Object.entries(item).filter(([key]) => key !== 'parameters').map(([method, operation]) => [path, method, operation]));

test('the OpenAPI document passes the linter', { skip: !existsSync(REDOCLY) && 'redocly is not installed' }, async (t) => {
  const file = join(directory(), 'openapi.json');
  writeFileSync(file, JSON.stringify(await document(await open(t))));
  const { status, stdout, stderr } = spawnSync(REDOCLY, ['lint', file], {
    encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  assert.equal(status, 0, stdout + stderr);
});

test('no object of the OpenAPI document has a member twice', async (t) => {
  assert.throws(() => parseStrictly('{"a": [{"b": 1}, {"b": 2}], "c": "\\"c\\":", "a": 2}'), /member a stands twice/);
  assert.throws(() => parseStrictly('{"a": {"b": 1, "\\u0062": 2}}'), /member b stands twice/);
  const desk = await open(t);
  parseStrictly((await desk.anyone.exchange('GET', '/openapi.json')).must(200).text);
});

test('operations have names of their own', async (t) => {
  const names = operations(await document(await open(t))).map(([, , { operationId }]) => operationId);
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

test('examples in the OpenAPI document keep to their schemas', async (t) => {
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

test('the reference has an anchor and a command for every operation, and needs no script', async (t) => {
  const html = await page(await open(t));
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), [], 'an id stands twice');
  for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target), `#${target} leads nowhere`);
  const articles = new Map([...html.matchAll(/<article id="([^"]*)">(.*?)<\/article>/gs)].map(([, id, text]) => [id, text]));
  for (const route of routes()) assert.match(articles.get(anchor(route)) ?? '', /<code>curl /, anchor(route));
  assert.doesNotMatch(html, /<script|<link|\son\w+=/);
});

test('every error has a page that leads back', async (t) => {
  const desk = await open(t);
  const codes = new Set([...(await page(desk)).matchAll(/href="docs\/errors\/([A-Z_]+)"/g)].map(([, code]) => code));
  assert.ok(codes.size > 20);
  for (const code of codes) {
    const { text } = (await desk.anyone.exchange('GET', `/docs/errors/${code}`)).must(200);
    assert.match(text, new RegExp(`<h1><code>${code}</code></h1>[^]*href="../../docs"`));
  }
  assert.equal((await desk.anyone.exchange('GET', '/docs/errors/NO_SUCH')).status, 404);
});

test('the commands of the reference are understood', { skip: !CURL && 'curl is not installed' }, async (t) => {
  const desk = await open(t);
  const commands = [...(await page(desk)).matchAll(/<code>(curl [^<]*)<\/code>/g)].map(([, text]) => unescaped(text));
  assert.equal(commands.length, routes().length);
  const folder = directory();
  writeFileSync(join(folder, 'picture.png'), png(4, 4));
  writeFileSync(join(folder, 'report.pdf'), '{}'); // its content comes back as it is
  const last = (command) => Number(command.includes('/profile/password')); // afterwards PASSWORD is another one
  for (const command of commands.sort((a, b) => last(a) - last(b))) {
    const run = command.replace(/^curl/, 'curl -sS').replace(':PASSWORD', `:"${PASSWORD}"`).replace('"PASSWORD"', JSON.stringify(PASSWORD));
    const { stdout, stderr } = spawnSync('sh', ['-c', run], { encoding: 'utf8', cwd: folder });
    if (stdout.startsWith('<svg')) continue; // a picture: no JSON to judge
    const { errors = [] } = JSON.parse(stdout || assert.fail(`${command}\n${stderr}`));
    const wrong = errors.filter(({ pointer }) => !/_ids\/\d+$/.test(pointer)).filter(({ code }) => /^(FIELD_(REQUIRED|EMPTY|INVALID)|ANY_|BODY_|PARAMETERS_|UNSUPPORTED_|AUTH|INTERNAL_)/.test(code));
    assert.deepEqual(wrong.filter(({ parameter }) => !['code', 'hash'].includes(parameter)), [], command); // an authenticator tells them, or a mail
  }
});
