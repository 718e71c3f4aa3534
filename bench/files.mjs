// Measures uploads and downloads of large files, and uploads of small ones: bytes a second, CPU, and the peak of
// memory.
//
//   node bench/files.mjs       after make
import http from 'node:http';
import { randomBytes } from 'node:crypto';
import { filled } from './filled.mjs';

const MB = 1 << 20, cases = [[20 * MB, 10, 1], [20 * MB, 32, 16], [1000, 5000, 32]]; // bytes, files, clients

const { server, headers } = await filled(1, 'SELECT 1;');
const agent = new http.Agent({ keepAlive: true });

function send(method, path, body) {
    return new Promise((resolve, reject) => {
        const request = http.request(`${server.url}/api/v1${path}`, { method, agent, headers: { ...headers, 'Content-Type': 'application/octet-stream', ...(body && { 'Content-Length': body.length }) } }, (reply) => {
            let text = '';
            reply.on('data', (piece) => { if (body) text += piece; });
            reply.on('end', () => (reply.statusCode < 300 ? resolve(text) : reject(new Error(`${method} ${path}: ${reply.statusCode} ${text}`))));
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

console.log(`RssAnon before: ${server.anonymousMiB().toFixed(1)} MiB\n`);
console.log('| bytes | side by side | | files/s | MiB/s | CPU ms a file | RssAnon MiB, peak |\n|--:|--:|---|--:|--:|--:|--:|');
for (const [size, n, clients] of cases) {
    const bodies = Array.from({ length: n }, () => randomBytes(size)), ids = [];
    const row = (what, [ms, cpu, memory]) => console.log(`| ${size.toLocaleString('en-US')} | ${clients} | ${what} | ${(n / ms * 1000).toFixed(n / ms < 0.1 ? 1 : 0)} | ${(n * size / MB / ms * 1000).toFixed(0)} | ${(cpu / 1000).toFixed(1)} | ${memory.toFixed(1)} |`);
    row('upload', await measure(n, clients, async (i) => { ids[i] = JSON.parse(await send('POST', '/files', bodies[i])).data.id; }));
    row('download', await measure(n, clients, (i) => send('GET', `/files/${ids[i]}/content`)));
}
agent.destroy();
await server.stop();
