import { deflateSync, inflateSync } from 'node:zlib';

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crc = (bytes) => (bytes.reduce((c, b) => table[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

function chunk(type, data) {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour. Its header may claim another size than its data has. */
export function png(width, height, [r, g, b] = [200, 30, 30], claimed = [width, height]) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(claimed[0], 0);
  head.writeUInt32BE(claimed[1], 4);
  head.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width }, () => [r, g, b]).flat())]);
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** A large PNG in shades of grey, cheap to create. */
export function grey(width, height) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height, 0x55);
  for (let y = 0; y < height; y++) lines[y * (width + 1)] = 0;
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', deflateSync(lines, { level: 1 })), chunk('IEND', Buffer.alloc(0))]);
}

/** {width, height} of a PNG. Inflates its data to check that it is complete. */
export function readPng(bytes) {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new Error('no PNG');
  const data = [];
  for (let at = 8; at < bytes.length;) {
    const n = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + n));
    at += n + 12;
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), size: inflateSync(Buffer.concat(data)).length };
}

/** Pictures of one pixel. */
export const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
/** [width, height] of a JPEG, from its frame header. */
export function jpegSize(bytes) {
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) if (bytes[at + 1] >= 0xc0 && bytes[at + 1] <= 0xc2) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  throw new Error('no JPEG');
}

export const JPEG = Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=', 'base64');

/** A GIF of one colour, with codes of 8 bits: the table is cleared before they grow. */
export function gif(width, height) {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const codes = Array.from({ length: Math.ceil((width * height) / 100) }, (_, i) => [128, ...Array(Math.min(100, width * height - i * 100)).fill(1)]).flat();
  const data = Buffer.from([...codes, 129]);
  const blocks = Array.from({ length: Math.ceil(data.length / 255) }, (_, i) => data.subarray(i * 255, i * 255 + 255)).flatMap((block) => [Buffer.from([block.length]), block]);
  return Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from([0xf6, 0, 0]), Buffer.alloc(128 * 3, 0x40), Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 7]), ...blocks, Buffer.from([0, 0x3b])]);
}

/** A PNG of the most frequent colours; each other pixel gets the nearest of them. pixels: red, green, blue and alpha of each. */
export function paletted(width, height, pixels, most = 64) {
  const counts = new Map(), key = (i) => (pixels[i] & 0xf8) << 16 | (pixels[i + 1] & 0xf8) << 8 | (pixels[i + 2] & 0xf8);
  for (let i = 0; i < pixels.length; i += 4) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  const colors = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most).map(([c]) => [c >> 16, c >> 8 & 255, c & 255]);
  const distance = (a, b) => a.reduce((sum, part, i) => sum + (part - b[i]) ** 2, 0), near = new Map();
  for (const c of counts.keys()) {
    const rgb = [c >> 16, c >> 8 & 255, c & 255];
    near.set(c, colors.reduce((best, one, i) => distance(one, rgb) < distance(colors[best], rgb) ? i : best, 0));
  }
  const head = Buffer.alloc(13), lines = Buffer.alloc((width + 1) * height);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = near.get(key((y * width + x) * 4));
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('PLTE', Buffer.from(colors.flat().map((part) => part | part >> 5))), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
