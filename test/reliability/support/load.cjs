'use strict';
// A load generator in a separate process: it and the test that started it do not delay each other. The argument is a
// plan in JSON; the results are written to standard output as JSON. Only to 127.0.0.1.
const { connect } = require('node:net');

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** A connection; calls `answered(status)` for each complete response, and `ended` at the end of the connection. */
class Connection {
  constructor(port) {
    this.buffer = Buffer.alloc(0);
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('data', (data) => this.read(data));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.ended?.();
    });
  }

  /** Resolves with the status, or with 0 if the connection ended before the response. */
  send(bytes) {
    return new Promise((resolve) => {
      if (this.isClosed) return resolve(0);
      this.answered = resolve;
      this.ended = () => resolve(0);
      this.socket.write(bytes);
    });
  }

  read(data) {
    this.buffer = this.buffer.length === 0 ? data : Buffer.concat([this.buffer, data]);
    const end = this.buffer.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.buffer.toString('latin1', 0, end);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? this.buffer.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
        : this.buffer.length >= end + HEAD_END.length + Number(length);
    if (!isWhole) return;
    this.buffer = Buffer.alloc(0);
    // A connection that closes after its response is not used again.
    if (/^connection: close/im.test(head)) this.isClosed = true;
    this.answered(Number(head.slice(9, 12)));
  }
}

/** Sends requests at a steady rate, also if earlier ones have no response yet; returns the milliseconds of each. */
async function steady({ port, requests, perSecond, seconds }) {
  const bytes = requests.map((text) => Buffer.from(text));
  const [idle, latencies, running] = [[], [], []];
  const wrong = {};
  const one = async (due, request) => {
    const connection = idle.pop() ?? new Connection(port);
    const status = await connection.send(request);
    latencies.push(performance.now() - due);
    // 0 means that the connection ended before its response.
    if (status !== 200 && status !== 201) wrong[status] = (wrong[status] ?? 0) + 1;
    if (!connection.isClosed) idle.push(connection);
  };
  const begin = performance.now();
  const count = perSecond * seconds;
  for (let sent = 0; sent < count;) {
    const due = begin + (sent / perSecond) * 1_000;
    const wait = due - performance.now();
    // Measured from the planned time: a generator that is late itself must not hide a server that stood still.
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    running.push(one(Math.max(due, performance.now() - 5), bytes[sent++ % bytes.length]));
  }
  await Promise.all(running);
  return { wrong, latencies };
}

/** Sends one request after another over each connection, as fast as they are answered. */
async function flood({ port, request, bodyBytes = 0, connections, isKept, seconds }) {
  const bytes = Buffer.concat([Buffer.from(request), Buffer.alloc(bodyBytes, ' ')]);
  const end = performance.now() + seconds * 1_000;
  const statuses = {};
  const one = async () => {
    let connection;
    while (performance.now() < end) {
      if (!connection || connection.isClosed || !isKept) {
        connection?.socket.destroy();
        connection = new Connection(port);
      }
      const late = new Promise((resolve) =>
        setTimeout(resolve, end - performance.now() + 50, undefined).unref(),
      );
      const status = await Promise.race([connection.send(bytes), late]);
      if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
    }
    connection?.socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { statuses };
}

const plan = JSON.parse(process.argv[2]);
(plan.kind === 'flood' ? flood : steady)(plan).then((seen) => {
  process.stdout.write(JSON.stringify(seen), () => process.exit(0));
});
