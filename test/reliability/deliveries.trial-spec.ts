import { Mortal } from '../http/mortal';
import { TestApp } from '../setup/test-app';
import { pendingOf } from '../webhooks/support/card-ledger';
import { Receiver, until } from '../webhooks/support/receiver';
import { register, scene, sign } from '../webhooks/support/signed';
import { report } from './support/report';

let app: TestApp;
let receiver: Receiver;
const mortals: Mortal[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
});
afterEach(async () => {
  await Promise.all(mortals.splice(0).map((mortal) => mortal.end()));
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

function startWorker(): Mortal {
  const made = new Mortal('worker', {
    DATABASE_URL: app.config.databaseUrl,
    SECRETS_KEY: app.config.secretsKey.text(),
    WEBHOOK_ALLOW_INSECURE: 'true',
  });
  mortals.push(made);
  return made;
}

describe('A worker killed while a receiver delays its responses', () => {
  it('another worker attempts its deliveries again within a minute and delivers them', async () => {
    const place = await scene(app);
    receiver.behaviours.set('/hang', () => undefined);
    await register(app, place, `${receiver.url}/hang`);
    const first = startWorker();
    await first.url();
    const cards = await Promise.all(Array.from({ length: 10 }, () => sign(app, place)));
    await until('all are held', () => receiver.of('/hang').length === cards.length);
    const held = receiver.of('/hang').map(({ headers, body }) => ({ id: headers['webhook-id'], body }));
    const second = startWorker();
    await second.url();
    receiver.behaviours.delete('/hang');
    await first.end();
    mortals.splice(mortals.indexOf(first), 1);
    const begun = Date.now();
    await until('all are attempted again', () => receiver.of('/hang').length >= 2 * cards.length, 60_000);
    const ms = Date.now() - begun;
    await until('all are delivered', async () => {
      const { pendingDeliveries, jobs } = await pendingOf(app.database, place.tenant.tenantId);
      return pendingDeliveries + jobs === 0;
    });
    const again = receiver.of('/hang').slice(cards.length);
    expect(again.map(({ headers, body }) => ({ id: headers['webhook-id'], body })).sort(byId)).toEqual(
      [...held].sort(byId),
    );
    report('worker killed while a receiver delays its responses', {
      trials: '1 kill',
      checked: `${cards.length} running deliveries`,
      losses: 0,
      figures: `attempted again by another worker after ${(ms / 1_000).toFixed(0)} s`,
    });
  }, 180_000);
});

function byId(one: { id: unknown }, other: { id: unknown }): number {
  return String(one.id) < String(other.id) ? -1 : 1;
}
