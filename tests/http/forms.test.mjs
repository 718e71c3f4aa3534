// Bodies: forms and files, and the temporary files on the disk.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from './lib.mjs';

const tmp = mkdtempSync(join(tmpdir(), 'http-forms-'));
let server;
before(async () => { server = await Server.start(`tmp=${tmp}`); });
after(async () => {
    assert.equal(await server.stop(), 0);
    rmSync(tmp, { recursive: true });
});

const md5 = (text, encoding = 'hex') => createHash('md5').update(text, 'latin1').digest(encoding);
const field = (name, value, ...lines) =>
    ['--B', `Content-Disposition: form-data; name="${name}"`, ...lines, '', value, ''].join('\r\n');
const file = (name, filename, value, ...lines) => ['--B',
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"`, 'Content-Type: text/x', ...lines, '', value, ''].join('\r\n');

// Sends a body whole, or in chunks of n bytes.
function post(path, body, { type = 'multipart/form-data; boundary=B', chunk = 0, fields = [] } = {}) {
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', `Content-Type: ${type}`, ...fields];
    if (!chunk) return server.ask([...head, `Content-Length: ${body.length}`, '', body].join('\r\n'));
    const chunks = body.match(new RegExp(`[^]{1,${chunk}}`, 'g')) ?? [];
    return server.ask([...head, 'Transfer-Encoding: chunked', '', ...chunks.flatMap((c) => [c.length.toString(16), c]), '0', '', '']
        .join('\r\n'));
}

const form = field('a', '1') + field('list[]', 'x') + field('list[]', 'y') + file('f', 'dir/g.txt', 'content\r\n') + '--B--\r\n';

for (const chunk of [0, 1, 7, 50])
    test(`fields make a tree, files go to the disk and are removed (${chunk ? `chunks of ${chunk}` : 'whole'})`, async () => {
        const { status, body } = await post('/upload', form, { chunk });
        assert.equal(status, 200);
        const [, tree, line] = body.split('\n');
        assert.deepEqual(JSON.parse(tree), { a: '1', list: ['x', 'y'] });
        const [, name, filename, type, size, sum, path] = line.split(' ');
        assert.deepEqual([name, filename, type, size, sum], ['f', 'g.txt', 'text/x', '9', md5('content\r\n')]);
        assert.ok(path.startsWith(`${tmp}/upload-`));
        assert.deepEqual(readdirSync(tmp), []);
    });

test('a file that the handler renamed stays', async () => {
    await post('/keep', form);
    assert.deepEqual(readdirSync(tmp), ['kept']);
    assert.equal(readFileSync(join(tmp, 'kept'), 'latin1'), 'content\r\n');
    rmSync(join(tmp, 'kept'));
});

test('a route without uploads gets the names of files and no contents', async () => {
    const { body } = await post('/x', form);
    assert.match(body, /\nfile f g\.txt text\/x 9 0{32} -\n$/);
});

test('an empty file input gives no file', async () => {
    const { body } = await post('/upload', field('a', '1') + file('f', '', '') + '--B--');
    assert.doesNotMatch(body, /file/);
    const named = await post('/upload', file('f', 'empty', '') + '--B--');
    assert.match(named.body, /\nfile f empty text\/x 0 d41d8cd98f00b204e9800998ecf8427e /);
});

test('binary content is unchanged', async () => {
    const bytes = Array.from({ length: 90000 }, (_, i) => String.fromCharCode((i * i + (i >> 3)) & 255)).join('') + '\r\n--\r\r\n--';
    for (const chunk of [0, 997]) {
        const { body } = await post('/upload', `${file('f', 'g', bytes)}--B--`, { chunk });
        assert.ok(body.includes(` ${bytes.length} ${md5(bytes)} `), body);
    }
});

test('a file that is too large', async () => {
    for (const chunk of [0, 5000]) {
        const { status, body } = await post('/upload', `${file('f', 'g', 'x'.repeat(100001))}--B--`, { chunk });
        assert.equal(status, 413);
        assert.match(body, /^PAYLOAD_TOO_LARGE A file is too large\./);
    }
    assert.deepEqual(readdirSync(tmp), []);
});

test('fields that are too large in total', async () => {
    const { status } = await post('/small', field('a', 'x'.repeat(600)) + field('b', 'x'.repeat(600)) + '--B--');
    assert.equal(status, 413);
});

test('malformed forms are BODY_INVALID with the reason', async () => {
    for (const [body, reason] of [
        [field('a', '1'), 'The body ends before'], ['', null], ['--B\r\nX\r\n\r\n--B--', 'A header line'],
        [`${field('a', '\xff')}--B--`, 'A field of the form is not UTF-8'], [`${field('a', '\0')}--B--`, 'A field of the form has a NUL'],
    ]) {
        const reply = await post('/upload', body);
        assert.equal(reply.status, reason === null ? 200 : 400); // an empty body is not a form
        if (reason) assert.match(reply.body, new RegExp(`^BODY_INVALID ${reason}`));
    }
    assert.match((await post('/upload', form, { type: 'multipart/form-data' })).body, /^BODY_INVALID The Content-Type gives no usable/);
});

test('a part with a wrong checksum is refused, and its file is removed', async () => {
    const good = (encoding) => post('/upload', `${file('f', 'g', 'content', `Content-MD5: ${md5('content', encoding)}`)}--B--`);
    assert.equal((await good('hex')).status, 200);
    assert.equal((await good('base64')).status, 200);
    for (const part of [file('f', 'g', 'content', `Content-MD5: ${md5('other')}`), file('f', 'g', 'x', 'Content-MD5: nonsense'),
        field('a', 'value', `Content-MD5: ${md5('other')}`)]) {
        const { status, body } = await post('/upload', `${part}--B--`);
        assert.equal(status, 400);
        assert.match(body, /^CHECKSUM_MISMATCH /);
    }
    assert.deepEqual(readdirSync(tmp), []);
});

test('a raw file is an upload with the name in Content-Disposition', async () => {
    const options = (...fields) => ({ type: 'image/png', fields });
    const { body } = await post('/raw', 'content', options('Content-Disposition: attachment; name=f; filename="../g.png"'));
    assert.match(body, new RegExp(`^POST /raw\nfile f g\\.png image/png 7 ${md5('content')} ${tmp}/upload-`));
    assert.equal((await post('/raw', 'content', options(`Content-MD5: ${md5('content', 'base64')}`))).status, 200);
    assert.equal((await post('/raw', 'content', options(`Content-MD5: ${md5('other')}`))).status, 400);
    assert.equal((await post('/raw', 'x'.repeat(100001), options())).status, 413);
    assert.match((await post('/raw', form)).body, /\nfile f g\.txt text\/x 9 /);
    assert.deepEqual(readdirSync(tmp), []);
});

test('checksum of a body in memory', async () => {
    const options = (sum) => ({ type: 'application/json', fields: [`Content-MD5: ${sum}`] });
    assert.equal((await post('/x', '{}', options(md5('{}')))).status, 200);
    assert.equal((await post('/x', '{}', options(md5('[]')))).status, 400);
});
