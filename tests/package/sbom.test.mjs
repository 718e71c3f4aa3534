// The bill of materials that `make sbom` prints (SBOM names its file) is an SPDX 2.3 document and lists what the program DESKD loads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import formats from 'ajv-formats';

const root = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
const text = readFileSync(process.env.SBOM, 'utf8'), document = JSON.parse(text);
const lock = JSON.parse(readFileSync(root('web/package-lock.json'), 'utf8')).packages;
const purl = (one) => one.externalRefs?.[0].referenceLocator ?? '';

/** The members of SPDX 2.3 that the document has, as its JSON schema and its chapters "Document creation", "Package", "Relationship" and "Other licensing" demand them. */
const id = { type: 'string', pattern: '^SPDXRef-[A-Za-z0-9.-]+$' }, words = { type: 'string', minLength: 1 };
const object = (properties, optional = []) => ({ type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)), additionalProperties: false });
const list = (items, minItems = 1) => ({ type: 'array', items, minItems, uniqueItems: true });
const licence = { type: 'string', pattern: '^(NONE|NOASSERTION|[A-Za-z0-9.-]+( (AND|OR) [A-Za-z0-9.-]+)*)$' };
const LENGTHS = { SHA1: 40, SHA256: 64, SHA384: 96, SHA512: 128 };
const schema = object({
  spdxVersion: { const: 'SPDX-2.3' }, dataLicense: { const: 'CC0-1.0' }, SPDXID: { const: 'SPDXRef-DOCUMENT' }, name: words,
  documentNamespace: { type: 'string', format: 'uri', pattern: '^https://[^#]+$' },
  creationInfo: object({ created: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', format: 'date-time' }, creators: list({ type: 'string', pattern: '^(Person|Organization|Tool): .+' }) }),
  packages: list(object({
    SPDXID: id, name: words, versionInfo: words, supplier: { type: 'string', pattern: '^(NOASSERTION|(Person|Organization): .+)$' }, downloadLocation: { const: 'NOASSERTION' }, filesAnalyzed: { const: false },
    licenseConcluded: licence, licenseDeclared: licence, licenseComments: words, copyrightText: words, sourceInfo: words, comment: words, primaryPackagePurpose: { enum: ['APPLICATION', 'LIBRARY'] },
    checksums: list({ oneOf: Object.entries(LENGTHS).map(([name, length]) => object({ algorithm: { const: name }, checksumValue: { type: 'string', pattern: `^[0-9a-f]{${length}}$` } })) }),
    externalRefs: list(object({ referenceCategory: { const: 'PACKAGE-MANAGER' }, referenceType: { const: 'purl' }, referenceLocator: { type: 'string', pattern: '^pkg:(generic|deb/[a-z]+|npm)/[^ ]+@[^ ]+$' } })),
  }, ['versionInfo', 'licenseComments', 'sourceInfo', 'comment', 'checksums', 'externalRefs', 'primaryPackagePurpose'])),
  hasExtractedLicensingInfos: list(object({ licenseId: { type: 'string', pattern: '^LicenseRef-[A-Za-z0-9.-]+$' }, extractedText: words })),
  relationships: list(object({ spdxElementId: id, relationshipType: { enum: ['DESCRIBES', 'CONTAINS', 'DEPENDS_ON', 'DYNAMIC_LINK', 'RUNTIME_DEPENDENCY_OF'] }, relatedSpdxElement: id })),
}, ['hasExtractedLicensingInfos']);

test('the document has the members of SPDX 2.3', () => {
  const ajv = formats(new Ajv({ allErrors: true }));
  assert.ok(ajv.validate(schema, document), ajv.errorsText(null, { separator: '\n' }));
});

test('identifiers are unique, and what relationships and licences name exists', () => {
  const ids = [document.SPDXID, ...document.packages.map((one) => one.SPDXID)];
  assert.equal(new Set(ids).size, ids.length);
  const reached = new Set();
  for (const { spdxElementId, relatedSpdxElement } of document.relationships) {
    for (const one of [spdxElementId, relatedSpdxElement]) assert.ok(ids.includes(one), one);
    reached.add(spdxElementId).add(relatedSpdxElement);
  }
  assert.deepEqual(ids.filter((one) => !reached.has(one)), [], 'each package has a relationship');
  assert.deepEqual(document.relationships.filter((one) => one.relationshipType === 'DESCRIBES').map((one) => one.relatedSpdxElement), ['SPDXRef-Package-deskd']);
  const texts = (document.hasExtractedLicensingInfos ?? []).map((one) => one.licenseId);
  const named = new Set(document.packages.flatMap((one) => one.licenseDeclared.split(/ (?:AND|OR) /)).filter((one) => one.startsWith('LicenseRef-')));
  assert.deepEqual([...named].sort(), [...texts].sort());
});

test('the program has its version and the digest of its bytes', () => {
  const deskd = document.packages.find((one) => one.name === 'deskd');
  assert.ok(run(process.env.DESKD, '--version').includes(deskd.versionInfo));
  assert.deepEqual(deskd.checksums, [{ algorithm: 'SHA256', checksumValue: createHash('sha256').update(readFileSync(process.env.DESKD)).digest('hex') }]);
});

test('each library that the program loads belongs to a package in the version that is installed', () => {
  const loaded = run('ldd', process.env.DESKD).split('\n').map((line) => line.trim().split(/\s/)).filter(([, arrow, path]) => arrow === '=>' && path).map(([name]) => name);
  assert.ok(loaded.length > 40, `${loaded.length} libraries`);
  const listed = document.packages.filter((one) => purl(one).startsWith('pkg:deb/'));
  for (const name of loaded) assert.ok(listed.some((one) => one.comment?.split(' ').includes(name)), `${name} is in no package`);
  const installed = new Map(run('dpkg-query', '-W', '-f', '${Package} ${Version}\n', ...listed.map((one) => one.name)).trim().split('\n').map((line) => line.split(' ')));
  for (const one of listed) assert.equal(one.versionInfo, installed.get(one.name), one.name);
  const direct = document.relationships.filter((one) => one.spdxElementId === 'SPDXRef-Package-deskd' && one.relationshipType === 'DYNAMIC_LINK').length;
  assert.ok(direct > 20 && direct < listed.length, `${direct} packages are linked directly`);
  assert.ok(listed.some((one) => one.name === 'libgd3'), 'the library that the picture process loads by name');
});

test('the packages of the web pages are those of the lock file, with its digests', () => {
  const wanted = Object.entries(lock).filter(([path, one]) => path && !one.dev).map(([path, one]) => [path.split('node_modules/').at(-1), one.version, one.license, one.integrity]);
  const listed = document.packages.filter((one) => purl(one).startsWith('pkg:npm/'))
    .map((one) => [one.name, one.versionInfo, one.licenseDeclared, ...one.checksums.map(({ algorithm, checksumValue }) => `${algorithm.toLowerCase()}-${Buffer.from(checksumValue, 'hex').toString('base64')}`)]);
  assert.deepEqual(listed.sort(), wanted.sort());
});

test('each package that a source file of the web pages imports is listed', () => {
  const names = new Set(document.packages.map((one) => one.name)), imported = new Set();
  for (const file of run('find', ...['app', 'kit', 'widget'].map((folder) => root(`web/${folder}`)), '-name', '*.ts', '-o', '-name', '*.tsx').trim().split('\n')) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^import (?!type )(?:[^;'"]*? from )?['"]((?:@[\w-]+\/)?[\w][\w.-]*)/gm)) imported.add(name);
  }
  assert.ok(imported.has('solid-js') && imported.has('prosemirror-model'), [...imported].join(' '));
  assert.deepEqual([...imported].filter((name) => !names.has(name)), []);
});
