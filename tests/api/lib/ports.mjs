import { createServer } from 'node:net';

const given = new Set();

/** A port of 127.0.0.1 that nobody listens on now, and that this process was not given before: its server may not listen yet. */
export async function freePort() {
  for (;;) {
    const port = await new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => resolve(port)); });
    });
    if (!given.has(port)) { given.add(port); return port; }
  }
}
