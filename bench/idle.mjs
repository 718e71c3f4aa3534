// Measures the memory of an idle connection: opens N connections (default 10,000), sends one request on each, keeps
// them open, and prints the growth of the server's private memory (RssAnon) for each connection. The kernel's socket
// buffers are not counted.
//
//   node bench/idle.mjs [N] [server binary, default build/tests/unit/http_server]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';

const count = Number(process.argv[2] ?? 10000);
const binary = process.argv[3] ?? 'build/tests/unit/http_server';
const request = 'GET /some/path?with=query HTTP/1.1\r\nHost: localhost\r\nUser-Agent: idle\r\nAccept: */*\r\n\r\n';

const server = spawn(binary, ['loops=2', 'idle_s=600', 'connections=20000'], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => {
    server.stdout.once('data', (line) => resolve(Number(String(line).split(' ')[1])));
});
const anonymous = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]);

const ask = () => new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
});

const sockets = [await ask()]; // the first one also initialises the loops
const before = anonymous();
while (sockets.length < count + 1) {
    const batch = Array.from({ length: Math.min(100, count + 1 - sockets.length) }, ask);
    sockets.push(...await Promise.all(batch));
}
const after = anonymous();
const each = (after - before) / count;
console.log(`${count} idle connections: RssAnon ${before} -> ${after} KiB, ${each.toFixed(2)} KiB each`);
for (const socket of sockets) socket.destroy();
server.kill('SIGTERM');
process.exitCode = each < 20 ? 0 : 1;
