// A small authenticator with its browser: makes passkeys and signs by them, rightly or as a test wants (WebAuthn Level 2).
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export const b64 = (bytes) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

const head = (type, n) => {
  if (n < 24) return Buffer.from([type << 5 | n]);
  if (n < 256) return Buffer.from([type << 5 | 24, n]);
  if (n < 65536) return Buffer.from([type << 5 | 25, n >> 8, n & 255]);
  const long = Buffer.alloc(5);
  long[0] = type << 5 | 26;
  long.writeUInt32BE(n, 1);
  return long;
};
/** CBOR of numbers, texts, bytes, arrays, maps and booleans, in the order that they are given in. */
export const cbor = (value) => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  return Buffer.concat([head(5, pairs.length), ...pairs.flat().map(cbor)]);
};

const part = (jwk, name) => Buffer.from(jwk[name], 'base64url');
const KINDS = {
  [-7]: { make: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }), cose: (jwk) => [[1, 2], [3, -7], [-1, 1], [-2, part(jwk, 'x')], [-3, part(jwk, 'y')]], hash: 'sha256' },
  [-8]: { make: () => generateKeyPairSync('ed25519'), cose: (jwk) => [[1, 1], [3, -8], [-1, 6], [-2, part(jwk, 'x')]], hash: null },
  [-257]: { make: () => generateKeyPairSync('rsa', { modulusLength: 2048 }), cose: (jwk) => [[1, 3], [3, -257], [-1, part(jwk, 'n')], [-2, part(jwk, 'e')]], hash: 'sha256' },
};
const UP = 1, UV = 4, AT = 64, ED = 128;

/** more, of both ceremonies: client (members of the client data), rpId, flags, counter, after (bytes behind the authenticator data). Of create: cose (the
 *  key's map), id, statement, format, wrap (changes the attestation). Of get: key (another private one), handle, forge (changes the signature). */
export class Authenticator {
  constructor(origin, kind = -7) {
    this.origin = origin;
    this.kind = KINDS[kind];
    this.keys = this.kind.make();
    this.id = randomBytes(32);
    this.counter = 0;
    this.transports = ['internal', 'hybrid'];
  }

  client(type, challenge, more) {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false, ...more }));
  }

  data(rpId, flags, more, tail = []) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(more.counter ?? this.counter);
    return Buffer.concat([sha256(more.rpId ?? rpId), Buffer.from([more.flags ?? flags]), counter, ...tail, more.after ?? Buffer.alloc(0)]);
  }

  /** The result of navigator.credentials.create(). */
  create(options, more = {}) {
    this.rpId = options.rp.id;
    this.handle = options.user.id;
    const id = more.id ?? this.id, length = Buffer.from([id.length >> 8, id.length & 255]);
    const key = Buffer.isBuffer(more.cose) ? more.cose : cbor(new Map(more.cose ?? this.cose()));
    const authData = this.data(this.rpId, UP | UV | AT, more, [Buffer.alloc(16), length, id, key]);
    const attestation = cbor(new Map([['fmt', more.format ?? 'none'], ['attStmt', more.statement ?? {}], ['authData', authData]]));
    const clientData = this.client('webauthn.create', options.challenge, more.client);
    return { id: b64(id), rawId: b64(id), type: 'public-key', clientExtensionResults: {},
      response: { clientDataJSON: b64(clientData), attestationObject: b64((more.wrap ?? ((bytes) => bytes))(attestation)), transports: this.transports } };
  }

  cose() { return this.kind.cose(this.keys.publicKey.export({ format: 'jwk' })); }

  /** The result of navigator.credentials.get(). */
  get(options, more = {}) {
    if (more.counter === undefined && this.counter) this.counter++;
    const clientData = this.client('webauthn.get', options.challenge, more.client), authData = this.data(this.rpId, UP | UV, more);
    const signature = sign(this.kind.hash, Buffer.concat([authData, sha256(clientData)]), more.key ?? this.keys.privateKey);
    return { id: b64(more.id ?? this.id), rawId: b64(this.id), type: 'public-key', clientExtensionResults: {},
      response: { clientDataJSON: b64(clientData), authenticatorData: b64(authData), signature: b64((more.forge ?? ((bytes) => bytes))(signature)), userHandle: more.handle ?? this.handle } };
  }
}
export const FLAGS = { UP, UV, AT, ED };

/** The header of a login. */
export const passkey = (assertion) => ({ 'X-Passkey': b64(JSON.stringify(assertion)) });
