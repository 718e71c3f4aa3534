// Requests of measurements, and the times of GETs.
import http from 'node:http';

const AGENT = 'deskd-bench';

export const asker = (port, maxSockets = 64) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets });
    return (method, path, headers, content) => new Promise((resolve, reject) => {
        const request = http.request({ agent, host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers: { 'User-Agent': AGENT, ...headers } }, (reply) => {
            const chunks = [];
            reply.on('data', (chunk) => chunks.push(chunk));
            reply.on('end', () => resolve({ status: reply.statusCode, text: Buffer.concat(chunks) }));
        });
        request.on('error', reject);
        request.end(content);
    });
};

export const must = (reply) => {
    if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
    return JSON.parse(reply.text);
};

// Asks `rate` GETs a second for `seconds`. Returns the median, the 99th percentile and the longest time, in ms. GETs begin at fixed times,
// whatever the earlier ones take: a reply that waits delays no later question.
export async function measure(get, rate, seconds) {
    const times = [], asked = [];
    const began = performance.now();
    for (let n = 0; n < rate * seconds; n++) {
        const due = began + n * 1000 / rate - performance.now();
        if (due > 0) await new Promise((resolve) => { setTimeout(resolve, due); });
        const at = performance.now();
        asked.push(get(n).then((reply) => { must(reply); times.push(performance.now() - at); }));
    }
    await Promise.all(asked);
    times.sort((a, b) => a - b);
    return [0.5, 0.99, 1].map((part) => times[Math.min(times.length - 1, Math.floor(part * times.length))]);
}
