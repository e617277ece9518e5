'use strict';
// A load generator in a process of its own: it neither waits for the test that started it nor makes it wait. The
// argument is a plan in JSON; what was seen goes to standard output as JSON. Only to 127.0.0.1.
const { connect } = require('node:net');

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** One connection; `answered(status)` is called when an answer is whole, `ended` when there will be none. */
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

  /** Resolves with the status, or with 0 where the connection ended before the answer. */
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
    // What closes after its answer is not used again.
    if (/^connection: close/im.test(head)) this.isClosed = true;
    this.answered(Number(head.slice(9, 12)));
  }
}

/** Requests at a steady rate, whether or not those before were answered; milliseconds of each by its answer. */
async function steady({ port, requests, perSecond, seconds }) {
  const bytes = requests.map((text) => Buffer.from(text));
  const [idle, latencies, running] = [[], [], []];
  const wrong = {};
  const one = async (due, request) => {
    const connection = idle.pop() ?? new Connection(port);
    const status = await connection.send(request);
    latencies.push(performance.now() - due);
    // 0 is a connection that ended before its answer.
    if (status !== 200 && status !== 201) wrong[status] = (wrong[status] ?? 0) + 1;
    if (!connection.isClosed) idle.push(connection);
  };
  const begin = performance.now();
  const count = perSecond * seconds;
  for (let sent = 0; sent < count;) {
    const due = begin + (sent / perSecond) * 1_000;
    const wait = due - performance.now();
    // Timed from when it was due: a generator that is late itself does not hide a server that stood still.
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    running.push(one(Math.max(due, performance.now() - 5), bytes[sent++ % bytes.length]));
  }
  await Promise.all(running);
  return { wrong, latencies };
}

/** One request after another over each connection, as fast as they are answered. */
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
