import net from 'node:net';

/** Sends bytes over a socket, for requests that HTTP libraries refuse to send. Resolves with the reply when the daemon closes
 * or when `enough` returns true for it. */
export function talk(desk, pieces, { enough = () => false, halfClose = true } = {}) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(desk.port, '127.0.0.1');
    const chunks = [];
    const done = () => { socket.destroy(); resolve(Buffer.concat(chunks).toString('latin1')); };
    socket.setTimeout(45_000, () => { socket.destroy(); reject(new Error('the daemon neither answered nor closed in 45 s, and its deadline for a body is 30')); });
    socket.on('data', (chunk) => { chunks.push(chunk); if (enough(Buffer.concat(chunks).toString('latin1'))) done(); });
    socket.on('end', done);
    socket.on('error', done); // a reset is a refusal, too
    socket.on('connect', async () => {
      for await (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise((sent) => socket.write(piece, () => sent()));
      }
      if (halfClose) socket.end();
    });
  });
}

export const statusOf = (text) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
