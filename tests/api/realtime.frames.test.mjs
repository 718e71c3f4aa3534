import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { BINARY, CLOSE, PING, PONG, RawSocket, TEXT, beat, closing, frame, heartbeat } from './lib/frames.mjs';
import { dice, shared, statusOf, talk, until } from './lib/index.mjs';

// RFC 6455, one test for each rule that a server must keep. Section numbers are those of the RFC.

const world = shared(async (made) => {
  made.client = (await made.desk.session(made.desk.staff)).bare;
});
const open = (t, options) => RawSocket.open(t, world.client, options);
/** Opens a socket, sends the bytes, and returns the close code of the server. */
const fate = async (t, ...pieces) => {
  const raw = await open(t);
  await raw.write(...pieces);
  const { code } = await raw.close();
  return code;
};
const after = { closed: (code) => async (t, ...pieces) => assert.equal(await fate(t, ...pieces), code) };
const [violates, misspells, exceeds] = [1002, 1007, 1009].map(after.closed);

describe('handshake (4.2):', () => {
  test('the reply to the key of the RFC has the accept value of the RFC, and names neither extension nor subprotocol', async (t) => {
    const raw = await open(t, { headers: { 'Sec-WebSocket-Protocol': 'chat, phoenix', 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' } });
    assert.match(raw.head, /^HTTP\/1\.1 101 /);
    assert.equal(raw.header('Sec-WebSocket-Accept'), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    assert.equal(raw.header('Upgrade')?.toLowerCase(), 'websocket');
    assert.equal(raw.header('Connection')?.toLowerCase(), 'upgrade');
    for (const name of ['Sec-WebSocket-Extensions', 'Sec-WebSocket-Protocol', 'Content-Length', 'Transfer-Encoding']) assert.equal(raw.header(name), undefined, name);
    await raw.write(beat('1'));
    await raw.answered('1');
  });

  test('tokens and names of headers are compared without case, also within lists', async (t) => {
    for (const headers of [{ Upgrade: 'WebSocket' }, { Connection: 'upgrade' }, { Connection: 'keep-alive, Upgrade' }, { Connection: 'Upgrade,keep-alive' }, { Upgrade: undefined, UPGRADE: 'WEBSOCKET' }, { Upgrade: 'h2c, websocket' }])
      assert.equal((await open(t, { headers })).status, 101, JSON.stringify(headers));
  });

  test('a handshake without one of its headers, or with another value, opens no socket', async (t) => {
    const key = (n) => randomBytes(n).toString('base64');
    for (const headers of [
      { Upgrade: undefined }, { Upgrade: 'h2c' }, { Upgrade: 'websockets' }, { Connection: undefined }, { Connection: 'keep-alive' }, { Connection: 'Upgraded' }, { Host: undefined }, { Host: ['a.example', 'b.example'] },
      { 'Sec-WebSocket-Key': undefined }, { 'Sec-WebSocket-Key': '' }, { 'Sec-WebSocket-Key': key(15) }, { 'Sec-WebSocket-Key': key(17) }, { 'Sec-WebSocket-Key': '!'.repeat(24) }, { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ' }]) {
      const raw = await open(t, { headers });
      assert.ok(raw.status >= 400 && raw.status < 500, `${JSON.stringify(headers)}: ${raw.head}`);
      assert.equal(raw.header('Sec-WebSocket-Accept'), undefined);
    }
  });

  test('another version gets an error that names the version that is spoken (4.4)', async (t) => {
    for (const version of [undefined, '', '8', '12', '14', '13a', '013', '256']) {
      const raw = await open(t, { headers: { 'Sec-WebSocket-Version': version } });
      assert.ok([400, 426].includes(raw.status), `${version}: ${raw.head}`);
      assert.equal(raw.header('Sec-WebSocket-Version'), '13');
    }
  });

  test('only GET of HTTP/1.1 opens a socket', async (t) => {
    for (const line of ['POST /socket/websocket HTTP/1.1', 'PUT /socket/websocket HTTP/1.1', 'HEAD /socket/websocket HTTP/1.1', 'GET /socket/websocket HTTP/1.0', 'GET /socket/websocket HTTP/1.1x', 'GET /socket/other HTTP/1.1']) {
      const raw = await open(t, { line });
      assert.ok(raw.head && raw.status !== 101, `${line}: ${raw.head}`);
    }
    assert.equal((await open(t, { line: 'GET /socket/websocket HTTP/1.1' })).status, 101);
  });

  test('frames that a client sends before it has read the reply, against section 4.1, harm no other socket', async (t) => {
    const bytes = Buffer.concat([beat('a'), beat('b')]);
    for (const cut of [bytes.length, 1, 7, bytes.length - 3]) {
      const early = await open(t, { behind: bytes.subarray(0, cut) });
      assert.equal(early.status, 101, `${cut} bytes: ${early.error ?? early.head}`);
      await early.write(bytes.subarray(cut), closing(1000));
      early.tcp.destroy();
    }
    const raw = await open(t);
    await raw.write(beat('on'));
    await raw.answered('on');
  });

  test('a socket without a close of its own does not stop other requests: a refused handshake leaves the connection usable', async () => {
    const request = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: a.example\r\n${more}\r\n`;
    const reply = await talk(world.desk, [request('/socket/websocket', 'User-Agent: deskd-tests/1\r\n'), request('/api/v1/health', 'Connection: close\r\nUser-Agent: deskd-tests/1\r\n')]);
    assert.ok(statusOf(reply) >= 400);
    assert.ok(reply.split('HTTP/1.1 ').length >= 3 || /connection: close/i.test(reply), reply);
  });
});

describe('masks (5.1, 5.3):', () => {
  test('an unmasked frame of any kind closes with 1002', async (t) => {
    for (const opcode of [TEXT, BINARY, PING, PONG]) await violates(t, frame(opcode, 'x', { mask: null }));
    await violates(t, frame(CLOSE, '', { mask: null }));
  });

  test('every mask is taken off, also one of zeros, in frames of any length', async (t) => {
    const raw = await open(t);
    const masks = [[0, 0, 0, 0], [255, 255, 255, 255], [1, 2, 3, 4], [0, 0, 0, 128]];
    for (const [i, mask] of masks.entries()) await raw.write(frame(TEXT, heartbeat(`m${i}`), { mask: Buffer.from(mask) }));
    await raw.answered(`m${masks.length - 1}`);
    assert.deepEqual(raw.refs, masks.map((_, i) => `m${i}`));
  });

  test('the server masks no frame, sets no reserved bit and sends no fragment of a control frame', async (t) => {
    const raw = await open(t);
    await raw.write(beat('1'), frame(PING, 'p'));
    await raw.answered('1');
    await raw.write(closing(1000));
    await raw.close();
    assert.ok(raw.frames.length >= 3);
    for (const f of raw.frames) assert.deepEqual([f.masked, f.rsv, f.fin || f.opcode < 8], [false, 0, true]);
  });
});

describe('fragments (5.4):', () => {
  const pieces = (text, sizes) => {
    const bytes = Buffer.from(text), out = [];
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const end = Math.min(bytes.length, at + sizes[i % sizes.length]);
      out.push(frame(i ? 0 : TEXT, bytes.subarray(at, end), { fin: end === bytes.length }));
      at = end;
    }
    return out;
  };

  test('a message of fragments is one message, with fragments of one byte, of none, and a last one that is empty', async (t) => {
    const raw = await open(t);
    await raw.write(...pieces(heartbeat('one'), [1]));
    await raw.write(...pieces(heartbeat('three'), [3, 1, 7]));
    await raw.write(frame(TEXT, '', { fin: false }), frame(0, heartbeat('empty'), { fin: false }), frame(0, '', { fin: false }), frame(0, ''));
    await raw.answered('empty');
    assert.deepEqual(raw.refs, ['one', 'three', 'empty']);
  });

  test('frames that arrive byte by byte are read', async (t) => {
    const raw = await open(t);
    await raw.drip(Buffer.concat(pieces(heartbeat('slow'), [20])));
    await raw.answered('slow');
  });

  test('control frames between fragments are obeyed at once', async (t) => {
    const raw = await open(t);
    const [first, ...rest] = pieces(heartbeat('whole'), [10]);
    await raw.write(first, frame(PING, 'between'));
    await until('a pong', () => raw.of(PONG).length);
    assert.deepEqual(raw.refs, []);
    await raw.write(rest[0], frame(PONG, 'unasked'), ...rest.slice(1));
    await raw.answered('whole');
    await raw.write(first, closing(1000));
    assert.equal((await raw.close()).code, 1000);
  });

  test('a continuation that continues nothing, and a new message within a message, close with 1002', async (t) => {
    await violates(t, frame(0, 'x'));
    await violates(t, frame(0, 'x', { fin: false }));
    await violates(t, beat('1'), frame(0, 'x'));
    await violates(t, frame(TEXT, 'a', { fin: false }), frame(TEXT, 'b'));
    await violates(t, frame(TEXT, 'a', { fin: false }), frame(BINARY, 'b'));
    await violates(t, frame(TEXT, 'a', { fin: false }), frame(PING, 'p'), frame(0, 'b', { fin: false }), frame(TEXT, 'c', { fin: false }));
  });
});

describe('control frames (5.5):', () => {
  test('a ping is answered by a pong with its payload, of up to 125 bytes', async (t) => {
    const raw = await open(t);
    for (const payload of [Buffer.alloc(0), Buffer.from('hello'), randomBytes(125)]) {
      const before = raw.of(PONG).length;
      await raw.write(frame(PING, payload));
      await until('a pong', () => raw.of(PONG).length > before);
      assert.deepEqual(raw.of(PONG).at(-1).payload, payload);
    }
  });

  test('pongs that were not asked for are ignored', async (t) => {
    const raw = await open(t);
    await raw.write(frame(PONG, ''), frame(PONG, 'x'), frame(PONG, randomBytes(125)), beat('on'));
    await raw.answered('on');
    assert.equal(raw.frames.length, 1);
  });

  test('a control frame that is too long or a fragment closes with 1002', async (t) => {
    for (const opcode of [CLOSE, PING, PONG]) {
      await violates(t, frame(opcode, Buffer.alloc(126, 3)));
      await violates(t, frame(opcode, Buffer.alloc(3), { bits: 16 }));
      await violates(t, frame(opcode, opcode === CLOSE ? [3, 232] : '', { fin: false }));
    }
  });

  test('reserved bits and unknown opcodes close with 1002', async (t) => {
    for (const rsv of [1, 2, 4, 7]) await violates(t, beat('1', { rsv }));
    await violates(t, frame(PING, '', { rsv: 4 }));
    await violates(t, frame(TEXT, 'a', { fin: false }), frame(0, 'b', { rsv: 4 }));
    for (const opcode of [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]) await violates(t, frame(opcode, ''));
  });
});

describe('lengths (5.2, 10.4):', () => {
  const long = (size) => heartbeat('long', { payload: { x: 'x'.repeat(size) } });

  test('messages with lengths of 7, 16 and 64 bits are read up to 64 KiB', async (t) => {
    const bare = Buffer.byteLength(long(0)), raw = await open(t);
    let n = 0;
    for (const size of [125, 126, 127, 128, 65535, 65536]) {
      await raw.write(frame(TEXT, long(size - bare)));
      n++;
      await until(`a reply to ${size} bytes`, () => raw.refs.length === n || (raw.ended && raw.fail(`${size} bytes`)));
    }
  });

  test('a message over 64 KiB closes with 1009: in one frame, in fragments, and by its announced length when one byte has come', async (t) => {
    await exceeds(t, frame(TEXT, Buffer.alloc(65537, 120)));
    await exceeds(t, frame(TEXT, Buffer.alloc(40000, 120), { fin: false }), frame(0, Buffer.alloc(25537, 120)));
    const announced = Buffer.alloc(14);
    announced.set([0x81, 0xff]);
    announced.writeBigUInt64BE(2n ** 62n, 2);
    await exceeds(t, announced, 'x');
  });

  test('a length that is not in its smallest form, or with the highest bit, closes with 1002', async (t) => {
    await violates(t, frame(TEXT, 'abc', { bits: 16 }));
    await violates(t, frame(TEXT, 'abc', { bits: 64 }));
    await violates(t, frame(TEXT, Buffer.alloc(125, 120), { bits: 16 }));
    await violates(t, frame(TEXT, Buffer.alloc(300, 120), { bits: 64 }));
    await violates(t, frame(TEXT, Buffer.alloc(65535, 120), { bits: 64 }));
    const negative = Buffer.alloc(14);
    negative.set([0x81, 0xff, 0x80]);
    await violates(t, negative);
  });
});

describe('data (5.6, 8.1):', () => {
  test('a binary message closes with 1003', async (t) => {
    assert.equal(await fate(t, frame(BINARY, heartbeat('1'))), 1003);
    assert.equal(await fate(t, frame(BINARY, '', { fin: false }), frame(0, '')), 1003);
  });

  test('text that is UTF-8 is read, with characters that are cut by fragments and packets', async (t) => {
    const raw = await open(t);
    const texts = ['é', '€', '𝄞', '\u{10FFFF}', '\uD7FF', '\uE000', '\uFFFF', 'aé€𝄞z'];
    for (const ref of texts) {
      const bytes = Buffer.from(heartbeat(ref));
      await raw.write(...[...bytes].map((byte, i) => frame(i ? 0 : TEXT, [byte], { fin: i === bytes.length - 1 })));
      await raw.answered(ref);
    }
    await raw.drip(beat('€𝄞'));
    await raw.answered('€𝄞');
  });

  test('text that is not UTF-8 closes with 1007', async (t) => {
    const bad = [[0x80], [0xc0, 0xaf], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xfe], [0xff], [0xe0, 0x80, 0xaf], [0xc1, 0xbf]];
    for (const bytes of bad) await misspells(t, frame(TEXT, Buffer.concat([Buffer.from('{"topic":"'), Buffer.from(bytes), Buffer.from('"}')])));
    for (const bytes of [[0xc3], [0xe2, 0x82], [0xf0, 0x9d, 0x84]]) {
      await misspells(t, frame(TEXT, bytes));
      await misspells(t, frame(TEXT, bytes, { fin: false }), frame(0, ''));
      await misspells(t, frame(TEXT, bytes, { fin: false }), frame(0, 'a'));
    }
  });

  test('text that is no frame of a channel closes with 1008', async (t) => {
    for (const text of ['', ' ', 'x', '{', '[]', 'null', '1', '""', '{}', '{"topic":1,"event":"heartbeat"}', '{"topic":"phoenix"}', '["1","2","phoenix","heartbeat",{}]', '{"topic":"phoenix","event":"heartbeat"}x', '{"topic":"a\u0000b"'])
      assert.equal(await fate(t, frame(TEXT, text)), 1008, text);
    const array = (text) => open(t, { line: 'GET /socket/websocket?vsn=2.0.0 HTTP/1.1' }).then(async (raw) => { await raw.write(frame(TEXT, text)); return (await raw.close()).code; });
    for (const text of ['{}', heartbeat('1'), '[]', '[null,"1","phoenix","heartbeat"]', '[null,"1","phoenix","heartbeat",{},1]', '[null,"1",null,"heartbeat",{}]', '[null,"1","phoenix",7,{}]'])
      assert.equal(await array(text), 1008, text);
  });

  test('text that nests deep, or has names without end, kills nothing', async (t) => {
    for (const text of ['['.repeat(60_000), `{"a":`.repeat(10_000), heartbeat('1').replace('{}', `${'['.repeat(9000)}${']'.repeat(9000)}`), `{${'"a":1,'.repeat(9000)}"topic":"phoenix","event":"x"}`]) {
      const raw = await open(t);
      await raw.write(frame(TEXT, text), closing(1000));
      await raw.close();
    }
    assert.equal((await world.desk.staff.get('/session')).status, 200);
  });
});

describe('the end (5.5.1, 7):', () => {
  test('a close frame is answered by one with the same code, and the server closes the connection', async (t) => {
    for (const code of [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]) assert.equal(await fate(t, closing(code, 'bye')), code);
    assert.ok([null, 1000].includes(await fate(t, frame(CLOSE, ''))));
    assert.equal(await fate(t, closing(1000, 'x'.repeat(123))), 1000);
  });

  test('codes that no frame may have close with 1002, and so does half a code', async (t) => {
    for (const code of [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]) assert.equal(await fate(t, closing(code)), 1002, `${code}`);
    await violates(t, frame(CLOSE, [3]));
  });

  test('a reason that is not UTF-8 closes with 1007', async (t) => {
    await misspells(t, frame(CLOSE, [3, 232, 0xff]));
    await misspells(t, frame(CLOSE, [3, 232, 0xe2, 0x82]));
  });

  test('what follows a close frame, or an error, is ignored', async (t) => {
    for (const end of [closing(1000), frame(3, ''), frame(TEXT, [0xff])]) {
      const raw = await open(t);
      await raw.write(end, beat('late'), frame(PING, 'late'), closing(1001), randomBytes(3000));
      await raw.close();
      assert.deepEqual(raw.frames.map((f) => f.opcode), [CLOSE]);
    }
  });

  test('a close frame behind messages is answered behind their replies, or ends them', async (t) => {
    const raw = await open(t);
    await raw.write(beat('1'));
    await raw.answered('1');
    await raw.write(closing(1000));
    await raw.close();
    assert.equal(raw.frames.at(-1).opcode, CLOSE);
    assert.equal(raw.of(CLOSE).length, 1);
  });

  test('a peer that never answers a close frame is disconnected by the server', async (t) => {
    const raw = await open(t);
    await raw.write(frame(3, ''));
    assert.equal((await raw.close({ answers: false })).code, 1002);
  });

  test('a peer that ends its half of the connection, or resets it, is forgotten', async (t) => {
    const held = () => readdirSync(`/proc/${world.desk.child.pid}/fd`).length;
    const before = held();
    const sockets = [];
    for (let i = 0; i < 10; i++) sockets.push(await open(t, { port: world.desk.daemons[0].port }));
    assert.ok(held() >= before + 8);
    sockets.forEach((raw, i) => (i % 2 ? raw.tcp.end() : raw.tcp.resetAndDestroy()));
    await until('the end of all', () => held() <= before + 2);
  });
});

describe('random bytes:', () => {
  test('neither random bytes nor changed frames kill the daemon or leave a connection behind', async (t) => {
    const { below, one } = dice(6455);
    const held = () => world.desk.daemons.reduce((n, { child }) => n + readdirSync(`/proc/${child.pid}/fd`).length, 0);
    const before = held();
    const some = () => Buffer.from(Array.from({ length: below(40) }, () => below(256)));
    const good = () => one([() => beat(`${below(9)}`), () => frame(PING, some()), () => frame(TEXT, some(), { fin: false }), () => frame(0, some()), () => frame(TEXT, heartbeat('1').slice(0, below(60))), () => closing(below(6000), 'x')])();
    const changed = (bytes) => {
      for (let n = below(3); n > 0 && bytes.length; n--) bytes[below(bytes.length)] = one([0, 255, 127, 128, 126, below(256)]);
      return bytes.subarray(0, one([bytes.length, bytes.length, below(bytes.length + 1)]));
    };
    const close = (raw) => { raw.tcp[one(['destroy', 'end', 'resetAndDestroy'])](); return until('its end', () => raw.tcp.destroyed || raw.ended); };
    let sent = 0;
    const attack = async () => {
      for (let i = 0; i < 40; i++) {
        const raw = await open(t, { line: `GET /socket/websocket?vsn=${one(['1.0.0', '2.0.0'])} HTTP/1.1` });
        assert.equal(raw.status, 101);
        const bytes = Array.from({ length: 12 }, () => one([good, good, good, () => changed(good()), some])());
        sent += bytes.length;
        await raw.write(...bytes);
        await close(raw);
        raw.tcp.destroy();
      }
    };
    await Promise.all(Array.from({ length: 8 }, attack));
    assert.ok(sent > 3000);
    await until('the end of all sockets', () => held() <= before + 8);
    const raw = await open(t);
    await raw.write(beat('alive'));
    await raw.answered('alive');
  });
});
