// The person who works here. The session is the browser's cookie, which scripts can't read.
import { createSignal } from 'solid-js';
import { ask, forgetReplies, get, onSessionEnd, serverNow, type Reply, type Schemas } from '../../kit/api';
import { forgetAll, keepReply } from '../../kit/store';
import { closeLive, connectLive } from '../../kit/live';
import { setNow, setZone, speak } from '../../kit/words';

export type Me = Pick<Schemas['user'], 'id' | 'full_name' | 'avatar' | 'role' | 'teams' | 'time_zone'>;

/** undefined: not known yet; null: nobody is logged in */
const [me, setMe] = createSignal<Me | null | undefined>(undefined);
/** True while a login lies over the page, because the session has ended. */
const [ended, setEnded] = createSignal(false);
export { me, ended };

let waiting: (() => void)[] = [];
onSessionEnd(() => new Promise((resolve) => {
  waiting.push(resolve);
  if (me()) setEnded(true);
  else setMe(null);
}));

const enter = async () => {
  const reply = await get('/me', { include: 'role,team,locale', _flat: true });
  keepReply(reply);
  const person = reply.data as unknown as Me & { locale?: { id: number } };
  const locale = reply.resources?.['locale']?.[String(person.locale?.id)]?.['locale'];
  await speak(typeof locale === 'string' ? locale : navigator.language);
  setZone(person.time_zone ?? undefined);
  setNow(serverNow());
  if (me() && me()?.id !== person.id) location.reload(); // another person: nothing of the former one stays
  connectLive();
  setMe(person);
  setEnded(false);
  waiting.forEach((go) => go());
  waiting = [];
};

/** Reads the own person again after a change of the profile. */
export const refresh = () => enter();

/** Finds out who is logged in. */
export const begin = async () => {
  await speak(navigator.language);
  const reply = await ask('GET', '/session');
  const person = (reply.data as { user?: { id: number } } | undefined)?.user;
  if (reply.status === 200 && person) await enter();
  else setMe(null);
};

/** What a step of the login leads to. A token goes on with the next step. */
export type Step =
  | { step: 'in' }
  | { step: 'code'; token: string }
  | { step: 'password'; token: string }
  | { step: 'refused'; reply: Reply };

/** Logs in with these credentials. */
export const enterBy = async (headers: Record<string, string>): Promise<Step> => {
  const reply = await ask('GET', '/session', { headers }), code = reply.errors?.[0]?.code;
  if (reply.status < 400) return await enter(), { step: 'in' };
  if (reply.auth_token && code === 'OTP_EXPECTED') return { step: 'code', token: reply.auth_token };
  if (reply.auth_token && code === 'CREDENTIAL_EXPIRED') return { step: 'password', token: reply.auth_token };
  return { step: 'refused', reply };
};

export const logOut = async () => {
  const next = (await ask('DELETE', '/session').catch(() => undefined))?.leaveBy;
  closeLive();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('draft ') || key === 'pictures') localStorage.removeItem(key);
  } catch { /* the browser forbids its storage: nothing is kept */ }
  forgetAll();
  forgetReplies();
  setMe(null);
  if (next) location.href = next; // the login at the provider ends, too
};
