// Prints the software bill of materials as an SPDX 2.3 document (JSON): the program, the Debian packages of the shared libraries that it
// loads, and the npm packages that its web pages are built from. It reads only files of this machine, and the same build gives the same bytes.
// Usage: node tools/sbom.mjs PROGRAM VERSION, with SOURCE_DATE_EPOCH as the time of the document.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, version] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => readFileSync(path, 'utf8');
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
const digest = (algorithm, bytes) => createHash(algorithm).update(bytes).digest('hex');
const inOrder = (a, b) => (a < b ? -1 : Number(a > b));
/** An SPDX identifier has letters, digits, dots and hyphens alone. */
const identifier = (text) => text.replace(/[^A-Za-z0-9.-]/g, (c) => `-${c.charCodeAt(0)}-`);

const packages = new Map(), relationships = new Set(), texts = new Map();
const relate = (from, type, to) => relationships.add(JSON.stringify({ spdxElementId: from, relationshipType: type, relatedSpdxElement: to }));
function add(id, members) {
  if (!packages.has(id)) packages.set(id, { SPDXID: id, downloadLocation: 'NOASSERTION', filesAnalyzed: false, licenseConcluded: 'NOASSERTION', copyrightText: 'NOASSERTION', ...members });
  return id;
}
const address = (locator) => [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: locator }];

// ---- licences of Debian packages ----

/** Short names of Debian that differ from the identifiers of SPDX. */
const NAMES = { Expat: 'MIT', zlib: 'Zlib', ZLIB: 'Zlib', 'Apache-2': 'Apache-2.0', 'BSD-2-clause': 'BSD-2-Clause', 'BSD-3-clause': 'BSD-3-Clause', 'BSD-4-clause': 'BSD-4-Clause', 'OpenLDAP-2.8': 'OLDAP-2.8' };
const SAME = new Set(['MIT', 'ISC', 'Zlib', 'curl', 'PostgreSQL', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BSD-3-Clause-Clear', 'BSD-4-Clause', 'BSL-1.0', 'CC0-1.0', 'FSFULLR', 'FTL', 'MPL-1.1', 'MPL-2.0']);

/** The identifier of SPDX for a short name of Debian's machine-readable copyright files, or undefined. */
function known(name) {
  const gnu = /^([AL]?GPL|GFDL)-(\d)(?:\.(\d))?(\+)?$/.exec(name);
  return gnu ? `${gnu[1]}-${gnu[2]}.${gnu[3] ?? 0}-${gnu[4] ? 'or-later' : 'only'}` : SAME.has(name) ? name : NAMES[name];
}

/** The fields of each paragraph. The text of a field has its continuation lines. */
const paragraphs = (text) => text.split(/\n[ \t]*\n/).map((part) => Object.fromEntries([...part.matchAll(/^([A-Za-z-]+):[ \t]*((?:.*)(?:\n[ \t].*)*)/gm)].map(([, name, value]) => [name, value])));

/** {licenseDeclared, licenseComments} of an installed package: the licence of `Files: *`, and the names of all in the file. */
function licences(name) {
  const file = `/usr/share/doc/${name}/copyright`;
  const unknown = (why) => ({ licenseDeclared: 'NOASSERTION', licenseComments: why });
  if (!existsSync(file)) return unknown('The copyright file of the package is not installed.');
  const parts = paragraphs(read(file));
  if (!/copyright-format\/1\.0/.test(parts[0]?.Format ?? '')) return unknown(`${file} is not machine-readable.`);
  const short = (part) => part.License.split('\n')[0].trim();
  const all = parts.filter((part) => part.Files && part.License);
  const main = all.find((part) => part.Files.trim() === '*') ?? all[0];
  if (!main || !short(main)) return unknown(`${file} names no licence for all files.`);
  const words = short(main).split(/(?:,\s*)?\s+(and|or)\s+/);
  const text = (key) => parts.filter((part) => part.License && short(part) === key && part.License.includes('\n')).map((part) => part.License.split('\n').slice(1).map((line) => line.replace(/^ \.?/, '')).join('\n'))[0];
  const expression = words.map((word) => {
    if (word === 'and' || word === 'or') return word.toUpperCase();
    const id = known(word) ?? `LicenseRef-${identifier(name)}-${identifier(word)}`;
    if (id.startsWith('LicenseRef-')) texts.set(id, text(word) ?? `See ${file}.`);
    return id;
  }).join(' ');
  return { licenseDeclared: expression, licenseComments: `Licence of the files "*" in Debian's copyright file of the source package, which names: ${[...new Set(all.map(short))].sort(inOrder).join('; ')}.` };
}

// ---- Debian packages ----

const system = Object.fromEntries((existsSync('/etc/os-release') ? read('/etc/os-release') : '').split('\n').filter(Boolean).map((line) => line.replace(/"/g, '').split('=')));
const supplier = system.ID === 'debian' ? 'Organization: Debian' : 'NOASSERTION';

function debian(name) {
  const id = `SPDXRef-Package-deb-${identifier(name)}`;
  if (packages.has(id)) return id;
  const [exact, architecture, source, sourceVersion] = run('dpkg-query', '-W', '-f', '${Version}\n${Architecture}\n${source:Package}\n${source:Version}\n', name).split('\n');
  return add(id, {
    name, versionInfo: exact, supplier, ...licences(name), sourceInfo: `built from the source package ${source} ${sourceVersion}`, primaryPackagePurpose: 'LIBRARY',
    externalRefs: address(`pkg:deb/${system.ID ?? 'debian'}/${encodeURIComponent(name)}@${encodeURIComponent(exact)}?arch=${architecture}&distro=${system.ID ?? 'debian'}-${system.VERSION_ID ?? ''}`),
  });
}

/**
 * The packages that installed files belong to: file -> package. Libraries of /usr/lib may be registered below /lib, and the other way round.
 * The lines about diversions, which libc6 of Debian 13 has, name no package.
 */
function owners(files) {
  const both = files.flatMap((file) => [file, file.startsWith('/usr/') ? file.slice(4) : `/usr${file}`]);
  const said = spawnSync('dpkg-query', ['-S', ...both], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout ?? '';
  const found = new Map(said.split('\n').filter((line) => line.includes(': ') && !line.startsWith('diversion by ')).map((line) => [line.slice(line.indexOf(': ') + 2), line.split(/[:,]/)[0]]));
  return (file) => found.get(file) ?? found.get(file.startsWith('/usr/') ? file.slice(4) : `/usr${file}`);
}

/** The libraries that the loader maps for a program or a library: soname -> file. */
function libraries(file) {
  return new Map([...run('ldd', file).matchAll(/^\s*(?:(\S+) => )?(\/\S+) \(0x/gm)].map(([, soname, path]) => [soname ?? basename(path), path]));
}
const needed = (file) => [...run('readelf', '-d', file).matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, soname]) => soname);

/** Adds what `file`, which belongs to the package `id`, links, and what these libraries link. */
function link(file, id) {
  const loaded = libraries(file), owner = owners([...loaded.values()].flatMap((path) => [path, realpathSync(path)]));
  const element = new Map([...loaded].map(([soname, path]) => {
    const name = owner(path) ?? owner(realpathSync(path));
    if (name) return [soname, debian(name)];
    return [soname, add(`SPDXRef-Library-${identifier(soname)}`, { name: soname, supplier: 'NOASSERTION', licenseDeclared: 'NOASSERTION', checksums: [{ algorithm: 'SHA256', checksumValue: digest('sha256', readFileSync(path)) }] })];
  }));
  if (id !== deskd) element.set(basename(file), id);
  for (const [soname, to] of element) {
    const one = packages.get(to), names = new Set([...(one.comment ?? '').split(' ').filter(Boolean), soname]);
    one.comment = [...names].sort(inOrder).join(' '); // the names of its libraries that are linked
  }
  for (const [path, from] of [[file, id], ...[...loaded].map(([soname, library]) => [library, element.get(soname)])]) {
    for (const soname of needed(path)) if (element.get(soname) && element.get(soname) !== from) relate(from, 'DYNAMIC_LINK', element.get(soname));
  }
}

// ---- the document ----

const deskd = add('SPDXRef-Package-deskd', {
  name: 'deskd', versionInfo: version, supplier: 'Organization: The deskd maintainers', licenseConcluded: 'Apache-2.0', licenseDeclared: 'Apache-2.0', copyrightText: /^Copyright: (.+)$/m.exec(read(here('packaging/deb/copyright')))[1],
  primaryPackagePurpose: 'APPLICATION', checksums: [{ algorithm: 'SHA256', checksumValue: digest('sha256', readFileSync(program)) }], externalRefs: address(`pkg:generic/deskd@${encodeURIComponent(version)}`),
});
relate('SPDXRef-DOCUMENT', 'DESCRIBES', deskd);
link(resolve(program), deskd);

// Packages that the program uses without linking them. An entry with alternatives is for the installation.
const depends = /^Depends: (.+)$/m.exec(read(here('packaging/deb/control')))[1].split(/,\s*/).filter((word) => !/[$|]/.test(word)).map((word) => word.split(' ')[0]);
for (const name of depends) {
  const listed = spawnSync('dpkg-query', ['-L', name], { encoding: 'utf8' });
  if (listed.status !== 0) continue;
  const id = debian(name);
  relate(id, 'RUNTIME_DEPENDENCY_OF', deskd);
  for (const file of listed.stdout.split('\n').filter((path) => /\.so\.\d+$/.test(path))) link(file, id);
}

const lock = JSON.parse(read(here('web/package-lock.json'))).packages;
const PLACE = 'node_modules/';
const npm = (path) => `SPDXRef-Package-npm-${identifier(path.slice(path.lastIndexOf(PLACE) + PLACE.length))}-${identifier(lock[path].version)}`;
/** The place of a package that one at `from` imports: in its own folder, or in one above. */
function place(from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf(`/${PLACE}`)))) {
    const path = `${at ? `${at}/` : ''}${PLACE}${name}`;
    if (lock[path]) return path;
    if (!at) return undefined;
  }
}
for (const [path, { version: exact, license, integrity, dependencies = {} }] of Object.entries(lock).filter(([path, one]) => path && !one.dev && !one.devOptional)) {
  const name = path.slice(path.lastIndexOf(PLACE) + PLACE.length);
  const id = add(npm(path), {
    name, versionInfo: exact, supplier: 'NOASSERTION', licenseDeclared: license ?? 'NOASSERTION', primaryPackagePurpose: 'LIBRARY', externalRefs: address(`pkg:npm/${encodeURIComponent(name).replace('%2F', '/')}@${encodeURIComponent(exact)}`),
    ...(integrity ? { checksums: integrity.split(' ').map((one) => one.split('-')).map(([algorithm, value]) => ({ algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(value, 'base64').toString('hex') })) } : {}),
  });
  relate(deskd, 'CONTAINS', id);
  for (const dependency of Object.keys(dependencies)) {
    const to = place(path, dependency);
    if (to && !lock[to].dev) relate(id, 'DEPENDS_ON', npm(to));
  }
}

const contents = {
  packages: [...packages.values()].sort((a, b) => inOrder(a.SPDXID, b.SPDXID)),
  ...(texts.size ? { hasExtractedLicensingInfos: [...texts].sort(([a], [b]) => inOrder(a, b)).map(([licenseId, extractedText]) => ({ licenseId, extractedText })) } : {}),
  relationships: [...relationships].sort(inOrder).map((one) => JSON.parse(one)),
};
process.stdout.write(`${JSON.stringify({
  spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `deskd-${version}`,
  documentNamespace: `https://deskd.example/spdx/deskd-${version}-${digest('sha256', JSON.stringify(contents))}`,
  creationInfo: { created: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString().replace('.000', ''), creators: [`Tool: deskd-sbom-${version}`] },
  ...contents,
}, null, 1)}\n`);
