import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** The files of a ZIP: {name: text}. */
export function unzip(bytes) {
  const list = 'import io, json, sys, zipfile\nz = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nassert z.testzip() is None\nprint(json.dumps({n: z.read(n).decode() for n in z.namelist()}))';
  const { status, stdout, stderr } = spawnSync('python3', ['-c', list], { input: bytes, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}
