import type { INestApplication } from '@nestjs/common';
import { ATTEMPTS, DELAYS_S, JITTER } from '../../libs/webhooks/src/domain/retry-schedule';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver, until } from './support/receiver';
import { ShiftedClock } from './support/shifted-clock';
import { register, scene, type Scene, sign } from './support/signed';

describe('The schedule of attempts, by a clock that the test sets', () => {
  let app: TestApp;
  let receiver: Receiver;
  let worker: INestApplication;
  let place: Scene;
  let clock: ShiftedClock;

  beforeAll(async () => {
    app = await TestApp.own('a worker runs');
    clock = await ShiftedClock.install(app.database);
    receiver = await Receiver.start();
    worker = await startWorker(app.config, { clock });
    place = await scene(app);
  });
  afterAll(async () => {
    await worker.close();
    await receiver.stop();
    await app.stop();
  });

  it('tries ten times with the documented delays, then gives up', async () => {
    const { id } = await register(app, place, `${receiver.url}/never`);
    receiver.behaviours.set('/never', (_request, response) => void response.writeHead(500).end('no'));
    await sign(app, place);
    const livraison = async () =>
      (await app.send(place.tenant, 'GET', `/b2b/v2/webhook/${id}/livraisons`)).json[0];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await until(`attempt ${attempt} noted`, async () => (await livraison()).tentatives.length === attempt);
      const { prochaineTentative, tentatives, etat } = await livraison();
      const last = tentatives.at(-1);
      if (attempt === ATTEMPTS) {
        expect({ etat, prochaineTentative }).toEqual({ etat: 'Echouee', prochaineTentative: null });
        break;
      }
      const delay = (Date.parse(prochaineTentative) - Date.parse(last.date)) / 1_000;
      expect(delay).toBeGreaterThanOrEqual(DELAYS_S[attempt - 1]!);
      expect(delay).toBeLessThanOrEqual(DELAYS_S[attempt - 1]! * (1 + JITTER) + 1);
      // Not before the attempt is due.
      await clock.moveTo(new Date(Date.parse(prochaineTentative) - 1_000));
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(receiver.of('/never')).toHaveLength(attempt);
      await clock.moveTo(new Date(Date.parse(prochaineTentative) + 1));
    }
    expect(new Set(receiver.of('/never').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});
