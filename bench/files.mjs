// Measures uploads and downloads of large files, and uploads of small ones: bytes a second, CPU, and the peak of
// memory. Then ten uploads of 100 MiB side by side, and a ZIP of 1 GiB. RssAnon must stay below 100 MiB.
//
//   node bench/files.mjs       after make
import http from 'node:http';
import { randomBytes } from 'node:crypto';
import { filled } from './filled.mjs';

const MB = 1 << 20, cases = [[20 * MB, 10, 1], [20 * MB, 32, 16], [1000, 5000, 32], [100 * MB, 10, 10]]; // bytes, files, clients
const MOST_MIB = 100;

const { server, headers } = await filled(1, 'SELECT 1;');
let callers = [{ headers, localAddress: '127.0.0.1' }];
const agent = new http.Agent({ keepAlive: true });

/** Uploads in progress are limited for each address and person: the callers of parallel requests are five people at five addresses. */
async function people() {
    const made = [{ headers, localAddress: '127.0.0.1' }];
    for (let i = 2; i <= 5; i++) {
        const email = `p${i}@example.com`, password = 'a long enough password', localAddress = `127.0.0.${i}`;
        await send('POST', '/users', json({ full_name: `P ${i}`, email, password }), 'application/json');
        const login = { ...headers, 'X-Session-ID': undefined, Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`, 'X-CSRF': 'false' };
        const reply = await send('GET', '/session', undefined, 'application/json', { headers: JSON.parse(JSON.stringify(login)), localAddress }, true);
        made.push({ headers: { ...headers, 'X-Session-ID': JSON.parse(reply).session_id }, localAddress });
    }
    return made;
}

const json = (value) => Buffer.from(JSON.stringify(value));

function send(method, path, body, type = 'application/octet-stream', who = callers[0], text = Boolean(body)) {
    return new Promise((resolve, reject) => {
        const request = http.request(`${server.url}/api/v1${path}`, { method, agent, localAddress: who.localAddress, headers: { ...who.headers, 'Content-Type': type, ...(body && { 'Content-Length': body.length }) } }, (reply) => {
            let said = '', bytes = 0;
            reply.on('data', (piece) => { bytes += piece.length; if (text || reply.statusCode >= 300) said += piece; });
            reply.on('end', () => (reply.statusCode < 300 ? resolve(text ? said : bytes) : reject(new Error(`${method} ${path}: ${reply.statusCode} ${said}`))));
        });
        request.on('error', reject);
        request.end(body);
    });
}

/** Calls act(i) for each of n, `clients` at a time. Returns [ms, CPU us of each, MiB of memory at the peak]. */
async function measure(n, clients, act) {
    let next = 0, most = 0;
    const look = setInterval(() => { most = Math.max(most, server.anonymousMiB()); }, 5);
    const began = performance.now(), cpu = server.cpu();
    await Promise.all(Array.from({ length: clients }, async () => { while (next < n) await act(next++); }));
    const took = performance.now() - began;
    clearInterval(look);
    return [took, (server.cpu() - cpu) / n, Math.max(most, server.anonymousMiB())];
}

let most = 0;
const settings = { 'files.max_megabytes': '200', 'files.unattached_megabytes': '10240' };
await send('PUT', '/settings', json({ values: settings }), 'application/json');
callers = await people();
console.log(`RssAnon before: ${server.anonymousMiB().toFixed(1)} MiB\n`);
console.log('| bytes | side by side | | files/s | MiB/s | CPU ms a file | RssAnon MiB, peak |\n|--:|--:|---|--:|--:|--:|--:|');
for (const [size, n, clients] of cases) {
    const bodies = Array.from({ length: n }, () => randomBytes(size)), ids = [];
    const row = (what, [ms, cpu, memory]) => {
        most = Math.max(most, memory);
        console.log(`| ${size.toLocaleString('en-US')} | ${clients} | ${what} | ${(n / ms * 1000).toFixed(n / ms < 0.1 ? 1 : 0)} | ${(n * size / MB / ms * 1000).toFixed(0)} | ${(cpu / 1000).toFixed(1)} | ${memory.toFixed(1)} |`);
    };
    row('upload', await measure(n, clients, async (i) => { ids[i] = JSON.parse(await send('POST', '/files', bodies[i], undefined, callers[i % callers.length])).data.id; }));
    row('download', await measure(n, clients, (i) => send('GET', `/files/${ids[i]}/content`, undefined, undefined, callers[i % callers.length])));
}

/** Bytes of a ZIP of files of 64 MiB that are 1 GiB together. */
async function zip() {
    const post = async (path, body) => JSON.parse(await send('POST', path, json(body), 'application/json')).data;
    const ids = [];
    for (let i = 0; i < 16; i++) ids.push(JSON.parse(await send('POST', '/files', randomBytes(64 * MB))).data.id);
    const { id } = await post('/conversations', { subject: 'Large', contents: 'Large' });
    const message = await post(`/conversations/${id}/messages`, { contents: 'Files', attachment_file_ids: ids });
    let bytes = 0;
    const [ms, cpu, memory] = await measure(1, 1, async () => { bytes = await send('GET', `/conversations/${id}/messages/${message.id}/attachments/download/all`); });
    if (bytes < 1024 * MB) throw new Error(`the ZIP has ${bytes} bytes`);
    console.log(`| ${bytes.toLocaleString('en-US')} | 1 | ZIP of 16 files | | ${(bytes / MB / ms * 1000).toFixed(0)} | ${(cpu / 1000).toFixed(1)} | ${memory.toFixed(1)} |`);
    return memory;
}

const peak = Math.max(most, await zip());
console.log(`\nRssAnon peak: ${peak.toFixed(1)} MiB`);
if (peak > MOST_MIB) process.exitCode = 1;
agent.destroy();
await server.stop();
