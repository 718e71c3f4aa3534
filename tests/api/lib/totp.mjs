import { createHmac } from 'node:crypto';

const bytes = (base32) => {
  let bits = '';
  for (const letter of base32) bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');
  return Buffer.from(bits.match(/.{8}/g).map((octet) => parseInt(octet, 2)));
};

/** The code of an authenticator for a Base32 secret at a time in milliseconds (RFC 6238). */
export function totp(secret, now) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const hash = createHmac('sha1', bytes(secret)).update(counter).digest();
  const at = hash[19] & 15;
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
