import type { INestApplication } from '@nestjs/common';
import { idempotencyKey, partenaire, type Partenaire, TaskError, taskResult } from '@mandat/client';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';

let app: TestApp;
let mandat: Partenaire;
const workers: INestApplication[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
});
afterAll(() => app.stop());
beforeEach(async () => {
  mandat = partenaire({ address: app.url, key: (await app.tenant()).cle });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

const SIZE = 300;
const body = {
  Employes: [
    ...Array.from({ length: SIZE }, (_, at) => ({ IdExterne: `E-${at}`, Prenom: 'Zoé', Nom: 'Roy' })),
    { IdExterne: 'BAD', Prenom: 'Zoé', Nom: 'Roy', Courriel: 'no' },
  ],
};
const headers = { Prefer: 'respond-async' };

const expected = {
  AddCount: SIZE,
  UpdateCount: 0,
  Erreurs: [{ IdUnique: 'BAD', Message: 'invalid e-mail' }],
};

describe('A sync in the background', () => {
  it('returns the result of a sync after the worker has run it', async () => {
    workers.push(await startWorker(app.config));
    const answer = await mandat.syncV2.sync({ body, headers: { ...headers, ...idempotencyKey() } });
    expect(answer.response.status).toBe(202);
    const looks: string[] = [];
    const resultat = await taskResult(mandat, answer, {
      intervalSeconds: 0.05,
      onProgress: ({ etat }) => void looks.push(etat),
    });
    expect(resultat.Employes).toEqual(expected);
    expect(looks.at(-1)).toBe('Reussie');
  });

  it('a sync that ran at once needs no wait', async () => {
    const answer = await mandat.syncV2.sync({ body });
    expect((await taskResult(mandat, answer)).Employes).toEqual(expected);
  });

  it('a task that no worker runs throws after the given time', async () => {
    const answer = await mandat.syncV2.sync({ body, headers });
    const error: unknown = await taskResult(mandat, answer, {
      intervalSeconds: 0.01,
      timeoutSeconds: 0.05,
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskError);
    expect(error).toMatchObject({ code: undefined, task: { etat: 'EnAttente', total: SIZE + 1 } });
  });

  it('the wait ends when the caller aborts', async () => {
    const answer = await mandat.syncV2.sync({ body, headers });
    const controller = new AbortController();
    const waiting = taskResult(mandat, answer, {
      intervalSeconds: 60,
      signal: controller.signal,
      onProgress: () => setImmediate(() => controller.abort(new Error('given up'))),
    });
    await expect(waiting).rejects.toEqual(new Error('given up'));
  });

  it('a failed task throws an error with its code', async () => {
    workers.push(await startWorker(app.config));
    const answer = await mandat.syncV2.sync({
      body: { Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' }] },
      headers,
    });
    const id = answer.response.headers.get('location')!.split('/').at(-1)!;
    const failed = {
      taches: {
        // The form of a failed task in the service. Requests of clients cannot cause one.
        get: async () => ({
          data: {
            ...(await mandat.taches.get({ path: { id } })).data,
            etat: 'Echouee' as const,
            erreur: { code: 'Requete.Invalide', detail: 'the body must be valid JSON' },
          },
        }),
      },
    };
    await expect(taskResult(failed, answer)).rejects.toMatchObject({
      name: 'TaskError',
      code: 'Requete.Invalide',
      message: 'The task failed: Requete.Invalide: the body must be valid JSON',
    });
  });
});
