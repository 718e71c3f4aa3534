// Notices that the server has a newer console: the ETag of this page changes with it. Asked when a connection is made, because servers
// restart for updates, and when the page is looked at again, at most once in five minutes.
import { createEffect, createSignal, on } from 'solid-js';
import { connections } from '../../kit/live';
import { href } from '../../kit/route';

const PAUSE_MS = 300_000;
const [updated, setUpdated] = createSignal(false);
export { updated };

let own: string | null = null, asked = 0;
const look = async () => {
  if (document.visibilityState !== 'visible' || Date.now() - asked < PAUSE_MS) return;
  asked = Date.now();
  const tag = await fetch(href('/'), { method: 'HEAD', cache: 'no-store' }).then((reply) => reply.ok ? reply.headers.get('ETag') : null, () => null);
  if (own && tag && tag !== own) setUpdated(true);
  own ??= tag;
};

export const watchVersion = () => {
  void look();
  createEffect(on(connections, () => { asked = 0; void look(); }, { defer: true }));
  document.addEventListener('visibilitychange', () => void look());
  setInterval(() => void look(), PAUSE_MS);
};
