// Passkeys in the browser (WebAuthn). The options of the server and the results have the JSON form of the standard, which older browsers do not make.
import { prefix, type Problem, type Reply } from '../../kit/api';
import { enterBy, type Step } from './session';

interface Known { type: 'public-key'; id: string; transports: AuthenticatorTransport[] }
type Common = { challenge: string; timeout: number };
export type Creation = Common & Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & { user: { id: string; name: string; displayName: string }; excludeCredentials: Known[] };
export type Wanted = Common & { rpId: string; userVerification: UserVerificationRequirement; allowCredentials: Known[] };

const bytes = (text: string) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer: ArrayBuffer) => btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const known = (list: Known[]) => list.map((one) => ({ ...one, id: bytes(one.id) }));

/** Makes a passkey. The result is the parameter `credential`. */
export const make = async (options: Creation) => {
  const made = await navigator.credentials.create({ publicKey: { ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) }, excludeCredentials: known(options.excludeCredentials) } }) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return { id: made.id, type: made.type, response: { clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject), transports: response.getTransports?.() ?? [] } };
};

/** Lets the person choose a passkey. The result is the header X-Passkey. */
const sign = async (options: Wanted) => {
  const got = await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: known(options.allowCredentials) } }) as PublicKeyCredential;
  const response = got.response as AuthenticatorAssertionResponse;
  const result = { id: got.id, type: got.type, response: { clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData), signature: text(response.signature), userHandle: response.userHandle ? text(response.userHandle) : undefined } };
  return text(new TextEncoder().encode(JSON.stringify(result)).buffer as ArrayBuffer);
};

/** Options for a login by passkey alone, or with the token of the password's step. The session of the cookie may have ended, so no cookie is sent. */
export const wanted = async (token: string): Promise<{ options?: Wanted; reply: Reply }> => {
  const response = await fetch(`${prefix}/api/v1/session/passkey/options`, {
    method: 'POST', credentials: 'omit', headers: { 'Content-Type': 'application/json', 'X-Requested-With': 'deskd' }, body: JSON.stringify(token ? { auth_token: token } : {}),
  });
  const body = await response.json() as { data?: { public_key?: Wanted }; errors?: Problem[] };
  const reply = { ...body, status: response.status, etag: null, retryAfter: Number(response.headers.get('Retry-After')) } as unknown as Reply;
  return body.data?.public_key ? { options: body.data.public_key, reply } : { reply };
};

export const enterByPasskey = async (token: string): Promise<Step> => {
  const { options, reply } = await wanted(token);
  return options ? enterBy({ 'X-Passkey': await sign(options), ...(token ? { 'X-Token': token } : {}) }) : { step: 'refused', reply };
};
