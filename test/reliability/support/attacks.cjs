'use strict';
// Attacks on the availability of an API, in a separate process. The argument is a plan in JSON. The results of the
// attacker are written to standard output as JSON. Only to 127.0.0.1, with limited connections and time.
const { connect } = require('node:net');
// In the field an attacker has a machine of its own: it must not take processor time from the service.
require('node:os').setPriority(15);

/** Responses by status; `closed` counts connections that ended without one. */
const seen = {};
const count = (what) => (seen[what] = (seen[what] ?? 0) + 1);

const sockets = new Set();
function open(port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.add(socket);
  return socket;
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const head = (request, length) =>
  `${request.method} ${request.path} HTTP/1.1\r\nHost: mandat\r\n${request.key ? `X-Api-Key: ${request.key}\r\n` : ''}` +
  (length === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`) +
  '\r\n';

/** Many readers of a response, each of which reads a little of it every second. */
async function slowReaders({ port, request, connections, endsAt }) {
  const one = async () => {
    const socket = open(port);
    let status;
    socket.on('data', (data) => {
      status ??= data.toString('latin1', 9, 12);
      socket.pause();
    });
    socket.on('close', () => count(status ?? 'closed'));
    socket.write(head(request));
    while (Date.now() < endsAt && !socket.destroyed) {
      await wait(1_000);
      socket.resume();
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Bodies with a large announced length that arrive byte by byte; each closed connection is opened again. */
async function slowSenders({ port, requests, announced, begin = 1, everyMs, connections, endsAt }) {
  const one = async (_, index) => {
    const request = requests[index % requests.length];
    while (Date.now() < endsAt) {
      const socket = open(port);
      let status;
      socket.on('data', (data) => (status ??= data.toString('latin1', 9, 12)));
      socket.write(head(request, announced));
      socket.write(Buffer.alloc(begin, ' '));
      while (Date.now() < endsAt && !socket.destroyed && status === undefined) {
        await wait(everyMs);
        if (!socket.destroyed) socket.write(' ');
      }
      count(status ?? 'closed');
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** An object with this many unknown properties, because it is too long for a plan. */
const unknownProperties = (many) => `{${Array.from({ length: many }, (_, n) => `"p${n}":1`).join()}}`;

/** A campaign whose welcome page has this many open tags. */
const campaignOfTags = (many) =>
  JSON.stringify({
    titre: 'Entente',
    ouvertureDuVoteUtc: '2099-01-01T13:00:00Z',
    fermetureDuVoteUtc: '2099-01-08T22:00:00Z',
    textePageAccueil: '<b>'.repeat(many),
  });

/** Sends requests one after the other over each connection, as fast as they are answered, up to `most` in all. */
async function flood({ port, request, text, properties, tags, connections, most = Infinity, endsAt }) {
  const body = text ?? (properties ? unknownProperties(properties) : tags && campaignOfTags(tags));
  const bytes = Buffer.from(head(request, body?.length) + (body ?? ''));
  let sent = 0;
  const one = async () => {
    let socket;
    while (Date.now() < endsAt && sent++ < most) {
      if (!socket || socket.destroyed) socket = open(port);
      const status = await new Promise((resolve) => {
        let length;
        let got = 0;
        let first;
        const done = (what) => {
          socket.removeAllListeners('data').removeAllListeners('close');
          resolve(what);
        };
        socket.on('close', () => done('closed'));
        socket.on('data', (data) => {
          if (first === undefined) {
            const text = data.toString('latin1');
            first = text.slice(9, 12);
            if (/^connection: close/im.test(text)) socket.closing = true;
            length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? NaN) + text.indexOf('\r\n\r\n') + 4;
          }
          got += data.length;
          const isWhole = Number.isNaN(length) ? data.subarray(-5).toString() === '0\r\n\r\n' : got >= length;
          if (isWhole) done(first);
        });
        socket.write(bytes);
      });
      count(status);
      if (socket.closing) socket.destroy();
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

const KINDS = { slowReaders, slowSenders, flood };
const plan = JSON.parse(process.argv[2]);
const endsAt = Date.now() + plan.seconds * 1_000;
const finish = () => {
  for (const socket of sockets) socket.destroy();
  process.stdout.write(JSON.stringify(seen), () => process.exit(0));
};
setTimeout(finish, plan.seconds * 1_000 + 3_000);
Promise.all(plan.attacks.map((attack) => KINDS[attack.kind]({ ...attack, port: plan.port, endsAt }))).then(
  finish,
);
