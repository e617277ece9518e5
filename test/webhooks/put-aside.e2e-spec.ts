import type { INestApplication } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { Child } from '../http/child-process';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { addEvents, brokenChains, closeAll, countJobs, replay, rowsOf } from './support/deliveries';
import { Receiver, until } from './support/receiver';
import { register, scene, type Scene } from './support/signed';

const SECRETS_KEY = randomBytes(32);

let app: TestApp;
let receiver: Receiver;
let place: Scene;
const workers: INestApplication[] = [];

beforeEach(async () => {
  app = await TestApp.start({ secretsKey: KeyRing.of(SECRETS_KEY) });
  receiver = await Receiver.start();
  place = await scene(app);
});
afterEach(async () => {
  await Promise.all([receiver.stop(), closeAll(workers)]);
  await app.stop();
});

async function endpoint(path: string, events: number): Promise<string> {
  const { id } = await register(app, place, receiver.url + path);
  await addEvents(app, place, events);
  await replay(app, place, id);
  return id;
}

/** Notes of running work: `travail`, `morts`, and whether the piece was put aside. */
async function notes(): Promise<object[]> {
  const { rows } = await app.database.query<object>(
    'SELECT travail, morts, mis_de_cote IS NOT NULL AS aside FROM travail_en_cours ORDER BY travail, id',
  );
  return rows;
}

/** Makes it so that processes died while they had leased the first jobs. @returns the oldest of them */
async function lost(leases: number, most = 1): Promise<{ id: string; livraisonId: string }> {
  const { rows } = await app.database.query<{ id: string; livraisonId: string }>(
    `UPDATE pgboss.job SET state = 'retry', retry_count = $1, started_on = now() WHERE id IN (
       SELECT id FROM pgboss.job WHERE name = 'livraison' ORDER BY created_on, id LIMIT $2)
     RETURNING id, data ->> 'livraisonId' AS "livraisonId"`,
    // The next lease counts the last one.
    [leases - 1, most],
  );
  return rows[0]!;
}

/** Adds the note of a piece that a dead process has left. */
async function left(id: string, counts: boolean): Promise<void> {
  await app.database.query(
    `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua, morts, compte)
     VALUES ($1, 'livraison', $2, 'dead', now() - interval '1 second', 1, $3)`,
    [place.tenant.tenantId, id, counts],
  );
}

const arrived = (path: string): number => receiver.of(path).length;
const noJobIsLeft = (): Promise<void> =>
  until('no job is left', async () => (await countJobs(app.database)) === 0);

describe('A delivery that ends its process', () => {
  it('twice is put aside, and those of others are made', async () => {
    const killing = await endpoint('/killing', 1);
    const other = await endpoint('/other', 3);
    let child: Child;
    receiver.behaviours.set('/killing', () => void child.process.kill('SIGKILL'));
    const env = {
      DATABASE_URL: app.config.databaseUrl,
      SECRETS_KEY: SECRETS_KEY.toString('base64'),
      WEBHOOK_ALLOW_INSECURE: 'true',
      // Another one at the same place has the same name.
      WORKER_PORT: String(Number(new URL(receiver.url).port) + 1),
    };
    let deaths = 0;
    for (; (await rowsOf(app.database, killing))[0]!.etat === 'EnAttente'; deaths++) {
      expect(deaths).toBeLessThan(5);
      child = await Child.spawn('worker', env);
      const isOver = async (): Promise<boolean> =>
        !child.isRunning || (await rowsOf(app.database, killing))[0]!.etat !== 'EnAttente';
      await until('the worker has died or put it aside', isOver);
      if (child.isRunning) break;
      // Its lease ends.
      await app.database.query(
        `UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'`,
      );
    }
    await noJobIsLeft();
    await until('the note says so', async () => JSON.stringify(await notes()).includes('"aside":true'));
    await until('the log says so', () => child.output.includes('is put aside'));
    const [livraison] = await rowsOf(app.database, killing);
    const lines = child!.output.split('\n').filter((line) => line.includes('is put aside'));
    await child!.stop('SIGTERM');
    expect(deaths).toBe(2);
    expect(livraison).toMatchObject({ etat: 'Echouee', essais: 1, prochaine: null });
    expect(livraison!.tentatives).toEqual([
      { date: expect.any(String), statut: null, dureeMs: 0, reponse: expect.stringContaining('ended') },
    ]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 50, queue: 'livraison', livraisonId: livraison!.id }),
    ]);
    expect((await rowsOf(app.database, other)).map(({ etat }) => etat)).toEqual(Array(4).fill('Reussie'));
    expect(await notes()).toEqual([{ travail: 'livraison', morts: 2, aside: true }]);
    expect(await brokenChains(app.database)).toEqual([]);
    // The endpoint is not blamed.
    const health = `SELECT FROM webhook WHERE echec_depuis IS NOT NULL`;
    expect((await app.database.query(health)).rowCount).toBe(0);
  }, 120_000);

  it.each([
    ['beside hundreds of others is not blamed for one lost lease', 1, 300, undefined],
    ['is made if its leases were lost before it began', 2, 1, undefined],
    ['is made if its process was asked to stop', 2, 1, false],
  ])('%s', async (_what, leases, most, counts) => {
    await endpoint('/one', 300);
    const { id } = await lost(leases, most);
    if (counts !== undefined) await left(id, counts);
    workers.push(await startWorker(app.config));
    await noJobIsLeft();
    expect(arrived('/one')).toBe(300);
    expect(await notes()).toEqual([]);
  });

  it('is put aside before it begins, if a dead process has left it', async () => {
    const id = await endpoint('/one', 20);
    const job = await lost(2);
    await left(job.id, true);
    workers.push(await startWorker(app.config));
    await noJobIsLeft();
    expect(arrived('/one')).toBe(19);
    const ended = await rowsOf(app.database, id, 'Echouee');
    expect(ended.map((row) => row.id)).toEqual([job.livraisonId]);
    await until('it is noted', async () => (await notes()).length === 1);
    expect(await notes()).toEqual([{ travail: 'livraison', morts: 2, aside: true }]);
    // The partner may send it again: it is a new job.
    const resent = `/b2b/v2/webhook/${id}/livraisons/${job.livraisonId}/renvoyer`;
    expect((await app.send(place.tenant, 'POST', resent)).status).toBe(202);
    await noJobIsLeft();
    expect(arrived('/one')).toBe(20);
  });
});
