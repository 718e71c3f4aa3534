// The steps of the login. They are loaded with it.
import { ask, type Reply } from '../../kit/api';
import { enterBy, type Step } from './session';

const base64 = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

export const logIn = (email: string, password: string) => enterBy({ Authorization: `Basic ${base64(`${email}:${password}`)}` });

/** A code of the authenticator, or a recovery code. */
export const giveCode = (token: string, code: string) => enterBy({ 'X-Token': token, 'X-OTP': code });

/** A new password in place of an expired one; then the login with it. */
export const renewPassword = async (token: string, email: string, password: string): Promise<Step> => {
  const reply = await ask('PUT', '/profile/password', { headers: { 'X-Token': token }, body: { new_password: password } });
  return reply.status < 400 ? logIn(email, password) : { step: 'refused', reply };
};

/** Requests the mail with a link. The reply does not say whether an account has the address. */
export const askForLink = (email: string): Promise<Reply> => ask('POST', '/password/reset', { body: { email } });
