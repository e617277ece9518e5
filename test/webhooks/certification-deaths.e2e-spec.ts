import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { Child } from '../http/child-process';
import { TestApp } from '../setup/test-app';
import { certification, certify, namesOf, PartnerReceiver, prove, verdict } from './support/certified';
import { Receiver, until } from './support/receiver';
import { Space } from './support/space';

const SECRETS_KEY = randomBytes(32);
const PATH = '/receiver';
/** Requests of a certification that is not interrupted. */
const REQUESTS = 27;

let app: TestApp;
let receiver: Receiver;
let space: Space;
let child: Child;

const start = async (): Promise<Child> =>
  (child = await Child.spawn('worker', {
    DATABASE_URL: app.config.databaseUrl,
    SECRETS_KEY: SECRETS_KEY.toString('base64'),
    WEBHOOK_ALLOW_INSECURE: 'true',
    // Another one at the same place has the same name.
    WORKER_PORT: String(Number(new URL(receiver.url).port) + 1),
  }));

beforeEach(async () => {
  app = await TestApp.start({ secretsKey: KeyRing.of(SECRETS_KEY) });
  receiver = await Receiver.start();
  space = await Space.open(app);
  await start();
});
afterEach(async () => {
  await Promise.all([child.stop('SIGKILL'), receiver.stop()]);
  await app.stop();
});

describe('A certification whose process is killed', () => {
  it('once, between two of ten requests at once, is ended by the next process, which repeats that scenario', async () => {
    const made = await space.endpoint({ url: receiver.url + PATH });
    const partner = new PartnerReceiver(made.secret);
    let kills = 0;
    receiver.behaviours.set(PATH, (received, response) => {
      if (receiver.of(PATH).length === 20 && kills++ === 0) child.process.kill('SIGKILL');
      void partner['take'](received, response);
    });
    await certify(space, made);
    await until('the process has died', () => !child.isRunning);
    expect(namesOf(await certification(space, made), null)).toEqual(['dixALaFois']);
    await start();
    const done = await verdict(space, made);
    expect([done.verdict, done.raison, kills]).toEqual(['Reussi', null, 1]);
    expect((await prove(space, made, done.id, partner.traites)).json.verdict).toBe('Reussi');
    const sent = receiver.of(PATH).length;
    expect(sent).toBeGreaterThan(REQUESTS);
    expect(sent).toBeLessThanOrEqual(REQUESTS + 10);
  }, 120_000);

  it('by each of its first requests is put aside after two deaths', async () => {
    const made = await space.endpoint({ url: receiver.url + PATH });
    receiver.behaviours.set(PATH, () => void child.process.kill('SIGKILL'));
    await certify(space, made);
    let deaths = 0;
    for (; (await certification(space, made)).verdict === null; deaths++) {
      expect(deaths).toBeLessThan(4);
      const isOver = async (): Promise<boolean> =>
        !child.isRunning || (await certification(space, made)).verdict !== null;
      await until('the process has died, or the certification has ended', isOver, 60_000);
      if (child.isRunning) break;
      await start();
    }
    const done = await certification(space, made);
    expect([deaths, done.verdict, done.raison]).toEqual([2, 'Echoue', expect.stringContaining('twice')]);
    expect(receiver.of(PATH)).toHaveLength(2);
  }, 180_000);
});

describe('A receiver that costs as much as it can', () => {
  it('with answers that do not end, one of them byte by byte in its header: every attempt ends, and little is read', async () => {
    const made = await space.endpoint({ url: receiver.url + PATH });
    const flood = Buffer.alloc(1 << 16, 'a');
    let bytes = 0;
    const pour = (response: ServerResponse): void => {
      for (let on = true; on && !response.destroyed; bytes += flood.length) on = response.write(flood);
      if (!response.destroyed) response.once('drain', () => pour(response));
    };
    receiver.behaviours.set(PATH, (_received, response, socket) => {
      const place = receiver.of(PATH).length;
      if (place === 2) {
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        const drip = setInterval(() => (socket.writable ? socket.write('a') : clearInterval(drip)), 100);
      } else pour(response.writeHead(500));
    });
    const begun = Date.now();
    await certify(space, made);
    await until('it has ended', async () => (await certification(space, made)).verdict !== null, 60_000);
    const done = await certification(space, made);
    expect(Date.now() - begun).toBeLessThan(40_000);
    expect(done.scenarios[1]!.observe).toBe('request 1 of 2: No answer within 15 s.');
    expect(done.scenarios[2]!.observe!.length).toBeLessThan(300);
    expect(bytes).toBeLessThan(REQUESTS * 16 * 2 ** 20);
  }, 120_000);
});
