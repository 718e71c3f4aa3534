// packaging/compose.yaml is YAML of a known form, and names only options that the program DESKD has.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';

const root = (path) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const text = root('packaging/compose.yaml'), parsed = parseDocument(text, { uniqueKeys: true });
const compose = parsed.toJS(), { desk, db } = compose.services;
const settings = execFileSync(process.env.DESKD, ['settings'], { encoding: 'utf8' });
const options = new Set([...settings.matchAll(/^#?([a-z-]+) = /gm)].map(([, name]) => name));
const build = root('packaging/image/build.sh');
const inImage = [...build.matchAll(/--config\.env ([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]);

test('the file has no error, and each name in it is defined', () => {
  assert.deepEqual([...parsed.errors, ...parsed.warnings].map(String), []);
  assert.deepEqual(Object.keys(compose), ['services', 'secrets', 'volumes']);
  for (const service of Object.values(compose.services)) {
    for (const name of service.secrets ?? []) assert.ok(name in compose.secrets, name);
    for (const volume of service.volumes ?? []) assert.ok(volume.split(':')[0] in compose.volumes, volume);
    for (const name of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[name].healthcheck, `${name} has a health check`);
    assert.equal(service.healthcheck.test[0], 'CMD');
  }
});

test('the variables of deskd are options that it has', () => {
  const names = [...Object.keys(desk.environment), ...inImage.map(([name]) => name)].filter((name) => name.startsWith('DESKD_'));
  assert.ok(names.includes('DESKD_DATABASE') && names.includes('DESKD_LISTEN'), names.join(' '));
  for (const name of names.filter((one) => one !== 'DESKD_SETTINGS')) assert.ok(options.has(name.slice('DESKD_'.length).toLowerCase().replaceAll('_', '-')), name);
});

test('the container fits the image', () => {
  const image = Object.fromEntries(inImage);
  assert.equal(desk.image, `deskd:${/^VERSION := (.+)$/m.exec(root('Makefile'))[1]}`);
  assert.deepEqual(desk.volumes, [`desk:${image.DESKD_DATA}`]);
  const port = image.DESKD_LISTEN.split(':').at(-1);
  assert.ok(build.includes(`--config.exposedports ${port}/tcp`));
  assert.deepEqual(desk.ports.map((one) => one.split(':').at(-1)), [port]);
  assert.ok(desk.ports.every((one) => one.startsWith('127.0.0.1:')), 'the port is open on this machine alone, because a proxy has the certificate');
  assert.ok(desk.healthcheck.test.at(-1).endsWith(`:${port}/readyz`));
  assert.equal(desk.read_only, true);
  assert.deepEqual([desk.cap_drop, desk.security_opt], [['ALL'], ['no-new-privileges:true']]);
});

test('the desk finds the database that the other service makes', () => {
  const url = new URL(desk.environment.DESKD_DATABASE);
  assert.deepEqual([url.username, url.hostname, url.pathname], [db.environment.POSTGRES_USER, 'db', `/${db.environment.POSTGRES_DB}`]);
  assert.ok(!url.password, 'the password is in a file');
  assert.equal(desk.environment.PGPASSFILE, '/run/secrets/pgpass');
  assert.match(text, new RegExp(`printf 'db:5432:${db.environment.POSTGRES_DB}:${db.environment.POSTGRES_USER}:%s`));
});
