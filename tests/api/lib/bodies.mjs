import { randomBytes } from 'node:crypto';

/** A body that is sent unchanged. */
export class Body {
  constructor(type, bytes) {
    this.type = type;
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
  }
}

export const raw = (type, bytes) => new Body(type, bytes);
export const json = (value) => raw('application/json', JSON.stringify(value));

/** [name, text] pairs of a value, nested names in brackets: teams[0][title], tags[]. */
export function pairs(value, prefix = '') {
  if (value === null || value === undefined) return prefix ? [[prefix, '']] : [];
  if (value instanceof File) return [[prefix, value]];
  if (typeof value !== 'object') return [[prefix, String(value)]];
  const plain = Array.isArray(value) && value.every((v) => v === null || typeof v !== 'object');
  return Object.entries(value).flatMap(([key, v]) =>
    pairs(v, prefix ? `${prefix}[${plain ? '' : key}]` : key));
}

export const form = (value) =>
  raw('application/x-www-form-urlencoded', new URLSearchParams(pairs(value)).toString());

/** A file part of a multipart body. */
export class File {
  constructor(filename, type, bytes) { Object.assign(this, { filename, type, bytes }); }
}

const part = (name, text) => text instanceof File ? Buffer.concat([
  Buffer.from(`Content-Disposition: form-data; name="${name}"; filename="${text.filename}"\r\nContent-Type: ${text.type}\r\n\r\n`),
  text.bytes,
]) : Buffer.concat([
  Buffer.from(`Content-Disposition: form-data; name="${name}"\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`),
  Buffer.from(text),
]);

/** multipart/form-data. `end` follows the last part. */
export function multipart(value, { end } = {}) {
  const boundary = `desk-${randomBytes(8).toString('hex')}`;
  const parts = pairs(value).map(([name, text]) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n`), part(name, text), Buffer.from('\r\n')]));
  return raw(`multipart/form-data; boundary=${boundary}`,
    Buffer.concat([...parts, Buffer.from(end ?? `--${boundary}--\r\n`)]));
}

/** The body of a request. Objects are sent as JSON unless wrapped by one of the above. */
export function encode(body) {
  if (body === undefined) return undefined;
  return body instanceof Body ? body : json(body);
}
