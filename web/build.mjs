// Builds the console and the widget of sites: node web/build.mjs OUT. OUT gets page.html, files/NAME-HASH.{js,css}.gz and widget.js.gz.
// The same sources give the same bytes: no times, no absolute paths, and gzip writes no date.
import { transformAsync } from '@babel/core';
import typescript from '@babel/preset-typescript';
import solid from 'babel-preset-solid';
import { build, transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(web, '../build/web/dist'));
const target = ['chrome111', 'firefox115', 'safari16.4'];

const jsx = {
  name: 'solid',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
      const { code } = await transformAsync(await readFile(path, 'utf8'), {
        filename: relative(web, path), cwd: web, babelrc: false, configFile: false,
        presets: [[solid, { generate: 'dom', hydratable: false }], [typescript, {}]],
      });
      return { contents: code, loader: 'js' };
    });
  },
};

// The page allows no text as HTML (require-trusted-types-for). Solid makes its templates from constants of the build by one assignment, which
// gets the policy of the console. The build fails if the library has moved the assignment.
const trusted = {
  name: 'trusted types',
  setup({ onLoad }) {
    onLoad({ filter: /solid-js\/web\/dist\/web\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8'), assigned = 't.innerHTML = html;';
      if (text.split(assigned).length !== 2) throw new Error(`${relative(web, path)} does not assign templates once: "${assigned}"`);
      const policy = 'const templates = globalThis.trustedTypes?.createPolicy("templates", { createHTML: (html) => html });\n';
      return { contents: policy + text.replace(assigned, 't.innerHTML = templates ? templates.createHTML(html) : html;'), loader: 'js' };
    });
  },
};

// Where WebSockets are broken the console reads a stream (kit/live.ts), so the library's polling and its requests are left out: two of its 10 KB, compressed.
// So are its binary frames, which neither the server nor the console sends: half a KB.
const socketAlone = {
  name: 'sockets without polling',
  setup({ onLoad }) {
    onLoad({ filter: /phoenix\/priv\/static\/phoenix\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8'), from = text.indexOf('// js/phoenix/longpoll.js\n'), to = text.indexOf('// js/phoenix/presence.js\n');
      const polling = text.slice(from, to), requests = text.indexOf('  static request(method'), addresses = text.indexOf('  static serialize(obj');
      if (from < 0 || !polling.includes('var LongPoll = class') || polling.includes('// js/phoenix/socket.js')) throw new Error(`${relative(web, path)} has its polling elsewhere`);
      if (requests < 0 || addresses < requests || addresses > from || text.slice(requests, addresses).includes('class')) throw new Error(`${relative(web, path)} has its requests elsewhere`);
      const binary = text.indexOf('  // private\n  binaryEncode(message) {'), rest = text.indexOf('};\n\n// js/phoenix/connection.js');
      if (binary < to || rest < binary || /class|static/.test(text.slice(binary, rest))) throw new Error(`${relative(web, path)} has its binary frames elsewhere`);
      return { contents: `${text.slice(0, requests)}${text.slice(addresses, from)}var LongPoll = class {};\n${text.slice(to, binary)}${text.slice(rest)}`, loader: 'js' };
    });
  },
};

// A part that is loaded later finds the modules of the first page loaded. It imports the start of the page, so the bundler keeps all modules of
// the first page in one file: one request instead of twenty, and a seventh fewer bytes. Without this it splits them by the parts that use them.
const laterParts = {
  name: 'parts that are loaded later',
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData: found }) => {
      if (kind !== 'dynamic-import' || found) return undefined;
      const part = await find(path, { kind, importer, resolveDir, pluginData: true });
      return part.errors.length ? part : { path: relative(web, part.path), namespace: 'part' };
    });
    onLoad({ filter: /./, namespace: 'part' }, async ({ path }) => {
      const itself = JSON.stringify(`./${path}`), hasDefault = /^export default /m.test(await readFile(join(web, path), 'utf8'));
      return { contents: `import './app/main';\nexport * from ${itself};\n${hasDefault ? `export { default } from ${itself};\n` : ''}`, resolveDir: web };
    });
  },
};

// A style that a script imports is a file of its own, which its part loads (kit/style.ts); the import is the name of the file.
const styles = [];
const stylesOfParts = {
  name: 'styles of parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.css$/ }, ({ path, kind, resolveDir }) => kind === 'import-statement' ? { path: relative(web, resolve(resolveDir, path)), namespace: 'style' } : undefined);
    onLoad({ filter: /./, namespace: 'style' }, async ({ path }) => {
      const { outputFiles: [{ contents }] } = await build({ entryPoints: [path], absWorkingDir: web, bundle: true, minify: true, charset: 'utf8', target, write: false });
      const name = `${basename(path, '.css')}-${createHash('sha256').update(contents).digest('hex').slice(0, 8).toUpperCase()}.css`;
      styles.push({ path: join(out, 'files', name), contents });
      return { contents: `export default ${JSON.stringify(name)};`, loader: 'js' };
    });
  },
};

// The widget puts its style into a sheet of its own, so a page with a strict policy allows it.
const styleAsText = {
  name: 'style as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles: [{ text }] } = await build({ entryPoints: [path], absWorkingDir: web, bundle: true, minify: true, charset: 'utf8', target, write: false });
      return { contents: text.trim(), loader: 'text' };
    });
  },
};

// Its words are texts in the order of the English keys: 400 bytes less, compressed, than three objects.
const wordsInOrder = {
  name: 'words in order',
  setup({ onLoad }) {
    const wordsOf = async (language) => {
      const { code } = await transform(await readFile(join(web, `widget/words/${language}.ts`), 'utf8'), { loader: 'ts', format: 'esm' });
      return (await import(`data:text/javascript,${encodeURIComponent(code)}`))[language];
    };
    onLoad({ filter: /\/widget\/words\/\w+\.ts$/ }, async ({ path }) => {
      const language = basename(path, '.ts'), english = await wordsOf('en'), words = await wordsOf(language), keys = Object.keys(english);
      if (Object.values(words).some((text) => text.includes('\n'))) throw new Error(`${language}: a word has two lines`);
      const lines = JSON.stringify(keys.map((key) => words[key]).join('\n'));
      return { contents: language === 'en' ? `export const keys = ${JSON.stringify(keys.join(' '))}.split(' '), inOrder = (lines) => Object.fromEntries(lines.split('\\n').map((text, at) => [keys[at], text]));
        export const en = inOrder(${lines});` : `import { inOrder } from './en'; export const ${language} = inOrder(${lines});`, loader: 'js' };
    });
  },
};

const compressed = (bytes) => {
  const packed = gzipSync(bytes, { level: 9, memLevel: 9 });
  packed[9] = 255; // the system that made it: unknown
  return packed;
};

await rm(out, { recursive: true, force: true });
await mkdir(join(out, 'files'), { recursive: true });
const { metafile, outputFiles } = await build({
  entryPoints: { console: join(web, 'app/main.tsx'), look: join(web, 'app/look.css'), icon: join(web, 'kit/icon.svg') },
  absWorkingDir: web, preserveSymlinks: true, outdir: join(out, 'files'), entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]',
  bundle: true, splitting: true, format: 'esm', target,
  minify: true, charset: 'utf8', legalComments: 'none', drop: ['console'], loader: { '.svg': 'copy' }, metafile: true, write: false,
  conditions: ['browser'], plugins: [laterParts, stylesOfParts, jsx, trusted, socketAlone], define: { 'process.env.NODE_ENV': '"production"' },
});
const built = (entry) => {
  const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
  return path.slice(path.lastIndexOf('/') + 1);
};
const start = Object.entries(metafile.outputs).find(([, { inputs }]) => inputs['app/main.tsx'])[0].split('/').at(-1);
const page = (await readFile(join(web, 'page.html'), 'utf8'))
  .replace('{script}', built('app/main.tsx')).replace('{start}', start).replace('{style}', built('app/look.css')).replace('{icon}', built('kit/icon.svg'));
// Each file names the common parts that it imports, so their names are short.
const shortNames = (text) => text.replace(/\bchunk-(?=[0-9A-Z]{8}\.js)/g, 'c-');
const withShortNames = (path, contents) => (path.endsWith('.js') ? Buffer.from(shortNames(Buffer.from(contents).toString())) : contents);
for (const { path, contents } of [...outputFiles, ...styles]) await writeFile(`${shortNames(path)}.gz`, compressed(withShortNames(path, contents)));
await writeFile(join(out, 'page.html'), shortNames(page));

const { outputFiles: [widget] } = await build({
  entryPoints: [join(web, 'widget/main.ts')], absWorkingDir: web, preserveSymlinks: true, bundle: true, format: 'iife', target,
  minify: true, charset: 'utf8', legalComments: 'none', write: false, plugins: [styleAsText, wordsInOrder],
});
await writeFile(join(out, 'widget.js.gz'), compressed(widget.contents));
