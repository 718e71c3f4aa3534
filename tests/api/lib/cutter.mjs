import net from 'node:net';
import { defer } from './defer.mjs';

/** A TCP proxy in front of a daemon, whose connections a test cuts: {port, cut()}. cut: resets all, or those that `choose` takes. */
export async function cutter(t, port) {
  const pairs = new Set();
  const server = net.createServer((near) => {
    const far = net.connect(typeof port === 'function' ? port() : port, '127.0.0.1'), pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [[near, far], [far, near]]) {
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => { to.destroy(); pairs.delete(pair); });
    }
  });
  const cut = (choose = () => true) => { for (const pair of pairs) if (choose()) pair.forEach((socket) => socket.resetAndDestroy()); };
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(t, () => { cut(); server.close(); });
  return { port: server.address().port, cut };
}
