import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { messageSocket } from './message-socket';

/** A message with its kind and content. */
function message(kind: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const content = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index % 251));

/** Returns whether bytes consist of whole messages. */
function areWhole(bytes: Buffer): boolean {
  let end = 0;
  while (end < bytes.length) end += 1 + bytes.readUInt32BE(end + 1);
  return end === bytes.length;
}

/** Sends each piece when the one before has arrived. @returns copies of the bytes that the socket passed on */
async function passedOn(socket: Socket, pieces: readonly Buffer[]): Promise<Buffer[]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const passed: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => passed.push(Buffer.from(bytes)));
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [other] = await accepted;
  other.setNoDelay(true);
  let sent = 0;
  for (const piece of pieces) {
    other.write(piece);
    sent += piece.length;
    while (socket.bytesRead < sent) await setImmediate();
  }
  other.end();
  await once(socket, 'close');
  server.close();
  return passed;
}

const MESSAGES = Buffer.concat([
  message('1', Buffer.alloc(0)),
  message('D', content(200)),
  message('D', content(300_000)),
  message('C', content(9)),
  message('D', content(65_531)),
  message('D', content(131_067)),
  message('Z', content(1)),
]);

const cut = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

it.each([
  ['at once', [MESSAGES]],
  ['in pieces of 8,192 bytes', cut(MESSAGES, 8_192)],
  ['in pieces of 70,001 bytes', cut(MESSAGES, 70_001)],
  ['byte by byte', cut(MESSAGES.subarray(0, 240), 1)],
])('passes on whole messages that arrive %s', async (_how, pieces) => {
  const passed = await passedOn(messageSocket({}), pieces);
  expect(passed.filter((bytes) => !areWhole(bytes))).toEqual([]);
  const sent = Buffer.concat(pieces);
  const all = Buffer.concat(passed);
  expect(all.equals(sent.subarray(0, all.length))).toBe(true);
  // The rest is less than a whole message.
  expect(sent.length - all.length).toBeLessThan(pieces.length === 240 ? 35 : 1);
});

it('control: another socket passes on parts of messages', async () => {
  const passed = await passedOn(new Socket(), cut(MESSAGES, 8_192));
  expect(passed.every(areWhole)).toBe(false);
});

it('uses the same memory again', async () => {
  const places = new Set<ArrayBufferLike>();
  const socket = messageSocket({});
  socket.on('data', (bytes: Buffer) => places.add(bytes.buffer));
  await passedOn(socket, cut(Buffer.concat(Array(20).fill(message('D', content(32_768)))), 8_192));
  expect(places.size).toBe(1);
});

it('gives back the memory of a longer message', async () => {
  const sizes: number[] = [];
  const socket = messageSocket({});
  socket.on('data', (bytes: Buffer) => sizes.push(bytes.buffer.byteLength));
  await passedOn(socket, [message('D', content(300_000)), message('Z', content(1))]);
  expect([Math.max(...sizes) > 300_000, sizes.at(-1)]).toEqual([true, 131_072]);
});

it('does not read the messages of an encrypted connection', async () => {
  const passed = await passedOn(messageSocket({ ssl: true }), [Buffer.from('S')]);
  expect(Buffer.concat(passed).toString()).toBe('S');
});
