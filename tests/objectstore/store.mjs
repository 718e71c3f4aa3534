// An object store for tests: s3rver behind a proxy that verifies signatures and makes faults.
import { createHash, createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const S3rver = createRequire(import.meta.url)('s3rver');

export const KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }; // the key that s3rver has
export const BUCKET = 'desk-files';
const refusal = (code) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

/** The code of the refusal of a request whose signature (version 4, in a header or in the address) is wrong. s3rver does not
 * compute it. */
function wrongSignature(req, body) {
  const [path, text = ''] = req.url.split('?'), given = text.split('&').filter(Boolean), query = new URLSearchParams(text);
  const inHeader = /^AWS4-HMAC-SHA256 Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]+)$/.exec(req.headers.authorization ?? '');
  const [credential, names, signature] = inHeader ? inHeader.slice(1) : ['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map((name) => query.get(name));
  if (!signature) return 'AccessDenied';
  const [id, day, region, service] = credential.split('/'), at = inHeader ? req.headers['x-amz-date'] : query.get('X-Amz-Date');
  const time = Date.parse(at.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (id !== KEY.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  if (inHeader && Math.abs(Date.now() - time) > 900_000) return 'RequestTimeTooSkewed';
  if (!inHeader && Date.now() > time + 1000 * Number(query.get('X-Amz-Expires'))) return 'AccessDenied';
  const sum = inHeader ? req.headers['x-amz-content-sha256'] : 'UNSIGNED-PAYLOAD';
  if (sum !== 'UNSIGNED-PAYLOAD' && sum !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const canonical = [req.method, path, given.filter((p) => !p.startsWith('X-Amz-Signature=')).sort().join('&'),
    ...names.split(';').map((name) => `${name}:${req.headers[name]}`), '', names, sum].join('\n');
  let key = hmac(`AWS4${KEY.AWS_SECRET_ACCESS_KEY}`, day);
  for (const part of [region, service, 'aws4_request']) key = hmac(key, part);
  const right = hmac(key, ['AWS4-HMAC-SHA256', at, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n')).toString('hex');
  return right === signature ? undefined : 'SignatureDoesNotMatch';
}

/** A store with an empty bucket. `fault` is called for each request ({method, url}): undefined lets it pass; {status, code}
 * answers so; 'half', 'other' and 'cut' spoil the body of the reply; {after: promise} delays it. */
export async function objectStore(t) {
  const directory = mkdtempSync(join(tmpdir(), 'deskd-objects-'));
  const s3 = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: BUCKET }] });
  const { port } = await s3.run();
  const store = { fault: undefined, requests: [] };
  const agent = new http.Agent({ keepAlive: true });
  // s3rver neither lists nor aborts uploads in parts, and answers 500 to one that is not there: the proxy does that on its folder.
  const uploads = join(directory, BUCKET, '._S3rver_uploads');
  const begun = () => (existsSync(uploads) ? readdirSync(uploads) : []);
  const uploadsList = () => `<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult><Bucket>${BUCKET}</Bucket>${begun().map((id) => `<Upload><Key>${readFileSync(join(uploads, id, 'key'), 'utf8')}</Key><UploadId>${id}</UploadId><Initiated>${statSync(join(uploads, id, 'key')).mtime.toISOString()}</Initiated></Upload>`).join('')}</ListMultipartUploadsResult>\n`;
  const proxy = http.createServer(async (req, res) => {
    const asked = { method: req.method, url: req.url };
    const fault = store.fault?.(asked);
    store.requests.push(asked);
    const parts = [];
    for await (const part of req) parts.push(part);
    const body = Buffer.concat(parts);
    const refuse = (status, code, headers) => res.writeHead(status, { 'Content-Type': 'application/xml', ...headers }).end(refusal(code));
    if (fault?.status) return refuse(fault.status, fault.code, fault.headers);
    const wrong = wrongSignature(req, body);
    if (wrong) return refuse(wrong === 'XAmzContentSHA256Mismatch' ? 400 : 403, wrong);
    if (fault?.after) await fault.after;
    const query = new URLSearchParams(req.url.split('?')[1]), upload = query.get('uploadId');
    if (query.has('uploads') && req.method === 'GET') return res.writeHead(200, { 'Content-Type': 'application/xml' }).end(uploadsList());
    if (upload && !existsSync(join(uploads, upload))) return refuse(404, 'NoSuchUpload');
    if (upload && req.method === 'DELETE') {
      rmSync(join(uploads, upload), { recursive: true });
      return res.writeHead(204).end();
    }
    const there = http.request({ port, host: '127.0.0.1', agent, method: req.method, path: req.url, headers: req.headers }, async (reply) => {
      const got = [];
      for await (const part of reply) got.push(part);
      let bytes = Buffer.concat(got);
      const { 'transfer-encoding': _, connection: __, ...headers } = reply.headers;
      if (fault === 'other' && bytes.length) bytes = Buffer.from(bytes).fill(bytes[0] ^ 1, 0, 1);
      if (req.method !== 'HEAD' && reply.statusCode !== 204) headers['content-length'] = bytes.length;
      if (fault === 'half') { // a whole reply with half of the bytes
        bytes = bytes.subarray(0, bytes.length / 2);
        headers['content-length'] = bytes.length;
      }
      if (fault === 'cut' && bytes.length === 0) return res.destroy();
      res.writeHead(reply.statusCode, headers);
      if (fault !== 'cut') return res.end(bytes);
      res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy());
    });
    there.on('error', () => res.destroy());
    there.end(body);
  });
  await new Promise((ready) => proxy.listen(0, '127.0.0.1', ready));
  t.after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    agent.destroy();
    await s3.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return Object.assign(store, {
    args: (prefix = 'one') => ['--files', `s3://${BUCKET}/${prefix}`, '--s3-endpoint', `http://127.0.0.1:${proxy.address().port}`],
    endpoint: `http://127.0.0.1:${proxy.address().port}`,
    /** The requests of this method that the store has got since the last call, without lists: a sweep makes one each minute. */
    taken(method) {
      const found = store.requests.filter((r) => r.method === method && !r.url.includes('list-type'));
      store.requests.length = 0;
      return found;
    },
    /** The uploads in parts that are neither completed nor aborted. */
    begun,
    abort: (id) => rmSync(join(uploads, id), { recursive: true }),
    /** Makes such an upload older by `seconds`. */
    age: (id, seconds) => utimesSync(join(uploads, id, 'key'), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds),
    file: (prefix, sha256) => join(directory, BUCKET, prefix, sha256.slice(0, 2), `${sha256}._S3rver_object`),
  });
}
