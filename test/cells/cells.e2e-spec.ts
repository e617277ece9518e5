import type { INestApplication } from '@nestjs/common';
import { Client } from 'pg';
import { ExpiryService, JournalService } from '../../libs/clients/src';
import { Databases } from '../../libs/platform/src/database/databases';
import { Child } from '../http/child-process';
import { eventually, expectProblem } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import { asService } from '../setup/service-login';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { employee } from '../sync/support';
import { type Campaigns } from '../voting/support/campaigns';
import { ballot, type Vote, Votes } from '../voting/support/votes';
import { type Cell, CELLS, TwoCells } from './support';

const two = perFile(() => TwoCells.start());
const asAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  two.asAdmin(method, path, body);
const created = (more?: object): Promise<Answer> => two.created(more);
const tenantIn = (cell: Cell): Promise<Campaigns> => two.tenantIn(cell);
const rowsIn = (cell: Cell, tenantId: string): Promise<Record<string, number>> => two.rowsIn(cell, tenantId);

/** An open vote with its voters, who are read through the API, because the cell may be any. */
async function openVote(votes: Votes, count: number): Promise<Vote> {
  const vote = await votes.opened(count);
  const { json } = await votes.campaigns.sent('GET', `/${vote.id}/votants`);
  return { ...vote, voters: json.map((one: Answer['json']) => one.VotantId as string) };
}

/** Runs the worker of a cell during some work. */
async function withWorker<T>(cell: Cell, work: () => Promise<T>, cells = two.app.config.cells): Promise<T> {
  const config = { ...two.app.config, cells, workerCell: cell };
  const worker: INestApplication = await startWorker(config, { roundMs: 100 });
  try {
    return await work();
  } finally {
    await worker.close();
  }
}

describe('clients and their cells', () => {
  it('a client names its cell, or gets the one with the fewest data spaces; its item shows it', async () => {
    const cells = async (answer: Promise<Answer>) => (await answer).json.cellules;
    const both = (cellule: string) =>
      ['production', 'staging'].map((environnement) => ({ environnement, cellule }));
    expect(await cells(created({ cellule: 'nord' }))).toEqual(both('nord'));
    for (const cell of ['principal', 'principal'] as const) await tenantIn(cell);
    const { json } = await created();
    expect(json.cellules).toEqual(both('nord'));
    // A client counts before it has a data space.
    expect(await cells(created())).toEqual(both('principal'));
    expect(await cells(asAdmin('GET', `/clients/${json.id}`))).toEqual(both('nord'));
    // The client may be sent back as it was read.
    expect((await asAdmin('PUT', `/clients/${json.id}`, json)).json).toEqual(json);
    const listed = (await asAdmin('GET', '/clients')).json as Answer['json'][];
    expect(listed.find((one) => one.id === json.id)).toEqual(json);
  });

  it('400 Cellule.Inconnue for an unknown cell', async () => {
    expectProblem(await created({ cellule: 'sud' }), 400, 'Cellule.Inconnue');
  });

  it('GET /admin/v1/cellules has their numbers of data spaces, sizes and states', async () => {
    const before = (await asAdmin('GET', '/cellules')).json as Answer['json'][];
    await tenantIn('nord');
    const after = (await asAdmin('GET', '/cellules')).json as Answer['json'][];
    expect(after.map(({ nom, etat }) => [nom, etat])).toEqual(CELLS.map((nom) => [nom, 'Disponible']));
    expect(after[1]!.nombreEspaces).toBe((before[1]!.nombreEspaces as number) + 1);
    expect(Math.min(...after.map(({ taille }) => taille as number))).toBeGreaterThan(1_000_000);
    expectProblem(await two.app.send(undefined, 'GET', '/admin/v1/cellules'), 401, 'Cle.Invalide');
  });
});

/** Runs `work` with another process of the service, whose memory is empty. */
async function withAnother<T>(
  cells: Record<string, string>,
  work: (other: TestApp) => Promise<T>,
): Promise<T> {
  const { secretsKey, adminApiKey } = two.app.config;
  const named = new Map(Object.entries(cells));
  const other = await TestApp.start({
    databaseUrl: two.urls.principal,
    cells: named,
    secretsKey,
    adminApiKey,
  });
  try {
    return await work(other);
  } finally {
    await other.stop();
  }
}

const NEW_KEY = { nom: 'Test', environnement: 'staging', role: 'partenaire' };

describe('a key', () => {
  it.each(CELLS)(
    'of a data space in %s is issued by a process that did not create the client',
    async (cellule) => {
      const { json } = await created({ cellule });
      const path = `/admin/v1/clients/${json.id}/cles`;
      await withAnother(two.urls, async (other) => {
        expect((await other.send(other.adminKey, 'POST', path, NEW_KEY)).status).toBe(201);
      });
    },
  );

  it('the directory cannot record the key: 503, and the cell stores nothing', async () => {
    const { json } = await created({ cellule: 'nord' });
    const spaces = async () =>
      (await two.databases.nord.query('SELECT tenant_id FROM journal_tete ORDER BY tenant_id')).rows;
    const before = await spaces();
    // Entries of the client cannot be written then.
    const { rows } = await two.databases.principal.query<{ sceau: Buffer }>(
      `UPDATE journal_tete SET sceau = '', cle_secrets = 'autre' WHERE tenant_id = $1 RETURNING OLD.sceau`,
      [json.id],
    );
    const answer = await asAdmin('POST', `/clients/${json.id}/cles`, NEW_KEY);
    await two.databases.principal.query(
      'UPDATE journal_tete SET sceau = $2, cle_secrets = NULL WHERE tenant_id = $1',
      [json.id, rows[0]!.sceau],
    );
    expectProblem(answer, 503, 'Service.Indisponible');
    expect(await spaces()).toEqual(before);
  });
});

describe.each(CELLS)('a data space in %s', (cell) => {
  const other = CELLS.find((one) => one !== cell)!;

  it('lives whole there: records, roll, ballots, trail, events and settings', async () => {
    const campaigns = await tenantIn(cell);
    const { tenant } = campaigns;
    const read = await two.app.send(tenant, 'GET', '/b2b/v2/employe');
    expect(read.json).toHaveLength(3);
    const votes = await Votes.of(two.app, campaigns);
    const vote = await openVote(votes, 3);
    for (const voter of [0, 1]) await votes.voted(vote, voter);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    const changed = { drapeaux: { seuilAnonymat: 2 } };
    expect((await asAdmin('PUT', `/clients/${tenant.clientId}`, changed)).status).toBe(200);

    expect(await rowsIn(other, tenant.tenantId)).toEqual({});
    const found = await rowsIn(cell, tenant.tenantId);
    expect(found).toMatchObject({
      employe: 3,
      emploi: 3,
      membership: 3,
      votant: 3,
      bulletin: 2,
      recu: 2,
      reglage: 1,
    });
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['evenement', 'journal', 'journal_tete', 'changement']),
    );
    const { rows } = await two.databases[cell].query(
      'SELECT seuil_anonymat FROM reglage WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows).toEqual([{ seuil_anonymat: 2 }]);
  });

  it('is worked on by the worker of its cell alone', async () => {
    const { tenant } = await tenantIn(cell);
    const body = { Employes: [employee('E-9')] };
    const { status, json } = await two.app.send(tenant, 'POST', '/b2b/v2/sync', body, {
      Prefer: 'respond-async',
    });
    expect(status).toBe(202);
    const state = async () =>
      (await two.app.send(tenant, 'GET', `/b2b/v2/tache/${json.id}`)).json.etat as string;
    await withWorker(other, () => new Promise((resolve) => setTimeout(resolve, 1_500)));
    expect(await state()).toBe('EnAttente');
    await withWorker(cell, () =>
      eventually(async () => (await state()) === 'Reussie' || undefined, 'the task has ended'),
    );
    expect((await two.app.send(tenant, 'GET', '/b2b/v1/employe/E-9')).status).toBe(200);
  });

  it('its vote is opened, closed, sealed and counted by its worker', async () => {
    const campaigns = await tenantIn(cell);
    const votes = await Votes.of(two.app, campaigns);
    const vote = await openVote(votes, 2);
    await votes.cast(vote.id, ballot(vote, 0));
    await two.databases[cell].query(
      `UPDATE campagne SET ouverture_du_vote_utc = now() - interval '2 hours', fermeture_du_vote_utc = now() - interval '1 second'
       WHERE tenant_id = $1`,
      [campaigns.tenant.tenantId],
    );
    await withWorker(cell, () =>
      eventually(async () => {
        const { rows } = await two.databases[cell].query<{ sealed: boolean }>(
          'SELECT urne_scellee AS sealed FROM campagne WHERE tenant_id = $1',
          [campaigns.tenant.tenantId],
        );
        return rows[0]!.sealed || undefined;
      }, 'the box is sealed'),
    );
    const { json } = await campaigns.sent('GET', `/${vote.id}/stats`);
    expect(json).toMatchObject({ votantsAyantVote: 1, resultatsVisibles: true });
  });

  it('a person there is exported and erased', async () => {
    const { tenant } = await tenantIn(cell);
    const path = `/clients/${tenant.clientId}/environnements/staging/employes/E-1`;
    const exported = await asAdmin('GET', path);
    expect([exported.status, exported.text.includes('E-1')]).toEqual([200, true]);
    expect((await asAdmin('DELETE', path)).status).toBeLessThan(300);
    expect((await two.app.send(tenant, 'GET', '/b2b/v1/employe/E-1')).status).toBe(404);
  });
});

/** How often the statement of this name is sent while `work` runs. */
async function sentDuring(name: string, work: () => Promise<unknown>): Promise<number> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls.filter(([statement]) => Object(statement).name === name).length;
  } finally {
    spy.mockRestore();
  }
}

describe('the cell of a data space', () => {
  it('comes with the key of a request', async () => {
    const { tenant } = await tenantIn('nord');
    await withAnother(two.urls, async (other) => {
      const read = () => other.send(tenant, 'GET', '/b2b/v1/employe/E-1');
      expect(await sentDuring('cell_of', async () => expect((await read()).status).toBe(200))).toBe(0);
    });
  });

  it('is looked up once for all who wait for it', async () => {
    const { tenant } = await tenantIn('nord');
    await withAnother(two.urls, async (other) => {
      const databases = other.app.get(Databases);
      const all = () => Promise.all([1, 2, 3].map(async () => databases.of({ tenantId: tenant.tenantId })));
      expect(await sentDuring('cell_of', all)).toBe(1);
    });
  });

  it('is found with its client, which is looked up once and never again', async () => {
    const { tenant } = await tenantIn('nord');
    await withAnother(two.urls, async (other) => {
      const databases = other.app.get(Databases);
      const all = () => Promise.all([1, 2, 3].map(() => databases.clientOf(tenant.tenantId)));
      const { clientId } = tenant;
      expect(
        await sentDuring('cell_of', async () => expect(await all()).toEqual(Array(3).fill(clientId))),
      ).toBe(1);
      expect(await sentDuring('cell_of', all)).toBe(0);
      // A space without a client stands for itself.
      expect(await databases.clientOf(clientId)).toBe(clientId);
    });
  });
});

describe('processes whose CELLS lacks a cell with data spaces', () => {
  const lacking = { principal: '' };
  let tenant: TestTenant;
  beforeAll(async () => {
    lacking.principal = two.urls.principal;
    ({ tenant } = await tenantIn('nord'));
  });

  it('the API returns 503 to its tenants and administrators, and serves others', async () => {
    const near = await tenantIn('principal');
    await withAnother(lacking, async (other) => {
      const written = { idExterne: 'O-1', nom: 'Objet' };
      const answers = [
        await other.send(tenant, 'GET', '/b2b/v1/employe/E-1'),
        await other.send(tenant, 'POST', '/b2b/v2/objet-consentement', written),
        await other.send(
          other.adminKey,
          'GET',
          `/admin/v1/clients/${tenant.clientId}/environnements/staging/employes/E-1`,
        ),
        await other.send(other.adminKey, 'PUT', `/admin/v1/clients/${tenant.clientId}`, { drapeaux: {} }),
      ];
      for (const answer of answers) expectProblem(answer, 503, 'Service.Indisponible');
      expect((await other.send(near.tenant, 'GET', '/b2b/v1/employe/E-1')).status).toBe(200);
    });
    expect(await rowsIn('principal', tenant.tenantId)).toEqual({});
  });

  it('the API logs an error at its start that names it', async () => {
    const env = { DATABASE_URL: two.urls.principal, CELLS: '', LOG_LEVEL: 'info' };
    const api = await Child.start('partner-api', env);
    await api.stop();
    expect(api.lines().filter(({ level }) => level === 50)).toMatchObject([{ cells: ['nord'] }]);
  });

  it.each([
    ['worker', []],
    ['cli', ['rechiffrer']],
    ['cli', ['verifier-journal']],
  ] as const)('%s %s does not start', async (name, args) => {
    const secretsKey = Buffer.alloc(32, 1).toString('base64');
    const env = { DATABASE_URL: asService(two.urls.principal), CELLS: '', SECRETS_KEY: `k1:${secretsKey}` };
    const child = await Child.spawn(name, env, args);
    expect([await child.exited, child.errors]).toEqual([
      1,
      'CELLS must name nord, which has data spaces (docs/operations.md, "Cells").\n',
    ]);
  });
});

describe('without principal in CELLS', () => {
  it('its data spaces are worked on and listed, and new ones are elsewhere', async () => {
    const { tenant } = await tenantIn('principal');
    const { json } = await two.app.send(tenant, 'POST', '/b2b/v2/sync', {}, { Prefer: 'respond-async' });
    const state = async () =>
      (await two.app.send(tenant, 'GET', `/b2b/v2/tache/${json.id}`)).json.etat as string;
    await withWorker(
      'principal',
      () => eventually(async () => (await state()) === 'Reussie' || undefined, 'the task has ended'),
      new Map([['nord', two.urls.nord]]),
    );
    await withAnother({ nord: two.urls.nord }, async (other) => {
      const { json } = await other.send(other.adminKey, 'GET', '/admin/v1/cellules');
      expect(json.map(({ nom, etat }: Answer['json']) => [nom, etat])).toEqual([
        ['nord', 'Disponible'],
        ['principal', 'Disponible'],
      ]);
      const wanted = { nom: 'Sans principal', modules: [], cellule: 'principal' };
      const refused = await other.send(other.adminKey, 'POST', '/admin/v1/clients', wanted);
      expectProblem(refused, 400, 'Cellule.Inconnue');
      expect((await other.send(tenant, 'GET', '/b2b/v1/employe/E-1')).status).toBe(200);
    });
  });
});

describe('cle.expireBientot', () => {
  const expiring = async (cell: Cell): Promise<TestTenant> => {
    const { tenant } = await tenantIn(cell);
    const body = { ...NEW_KEY, expireLe: new Date(Date.now() + 86_400_000).toISOString() };
    expect((await asAdmin('POST', `/clients/${tenant.clientId}/cles`, body)).status).toBe(201);
    return tenant;
  };
  const events = async (cell: Cell, { tenantId }: TestTenant) =>
    (
      await two.databases[cell].query(
        `SELECT data->>'cleId' AS cle FROM evenement WHERE tenant_id = $1 AND type = 'cle.expireBientot'`,
        [tenantId],
      )
    ).rows;

  it('is sent once by the worker of the cell alone, also if the directory lost that it was', async () => {
    const [near, far] = [await expiring('principal'), await expiring('nord')];
    const webhook = { url: 'http://127.0.0.1:9/', types: ['cle.expireBientot'] };
    expect((await two.app.send(far, 'POST', '/b2b/v2/webhook', webhook)).status).toBe(201);
    const worker = await startWorker({ ...two.app.config, workerCell: 'nord' }, { roundMs: 1_000_000 });
    try {
      // The worker's own first round may do it.
      await worker.get(ExpiryService).tellAllDue();
      await eventually(async () => (await events('nord', far)).length > 0 || undefined, 'the event');
      await two.databases.principal.query(
        'UPDATE cle SET expiration_annoncee_le = NULL WHERE tenant_id = $1',
        [far.tenantId],
      );
      await worker.get(ExpiryService).tellAllDue();
      const { rows } = await two.databases.principal.query<{ tenant_id: string }>(
        'SELECT tenant_id FROM cle WHERE expiration_annoncee_le IS NOT NULL',
      );
      expect(rows).toEqual([{ tenant_id: far.tenantId }]);
    } finally {
      await worker.close();
    }
    expect([await events('principal', near), await events('nord', far)]).toMatchObject([[], [{}]]);
    expect((await rowsIn('nord', far.tenantId)).livraison).toBe(1);
  });
});

it('the trails of all spaces verify, each in its cell', async () => {
  const trails: { space: string; faults: readonly string[] }[] = [];
  for await (const trail of two.app.app.get(JournalService).verify(undefined, new Map())) trails.push(trail);
  expect(trails.length).toBeGreaterThan(4);
  expect(trails.filter(({ faults }) => faults.length > 0)).toEqual([]);
});

it('tenants of one cell are served while the other is away', async () => {
  const [near, far] = [await tenantIn('principal'), await tenantIn('nord')];
  const away = new URL(two.urls.nord);
  away.port = '1';
  const cells = new Map([
    ['principal', two.urls.principal],
    ['nord', away.href],
  ]);
  const { secretsKey, adminApiKey } = two.app.config;
  const lame = await TestApp.start({ databaseUrl: two.urls.principal, cells, secretsKey, adminApiKey });
  try {
    const read = (tenant: TestTenant): Promise<Answer> => lame.send(tenant, 'GET', '/b2b/v1/employe/E-1');
    expectProblem(await read(far.tenant), 503, 'Service.Indisponible');
    expect((await read(near.tenant)).status).toBe(200);
    const written = { idExterne: 'O-1', nom: 'Objet' };
    const write = (tenant: TestTenant): Promise<Answer> =>
      lame.send(tenant, 'POST', '/b2b/v2/objet-consentement', written);
    expectProblem(await write(far.tenant), 503, 'Service.Indisponible');
    expect((await write(near.tenant)).status).toBe(201);
    expect((await lame.send(undefined, 'GET', '/health/ready')).status).toBe(200);
    const { json } = await lame.send(lame.adminKey, 'GET', '/admin/v1/cellules');
    expect(json.map(({ etat, taille }: Answer['json']) => [etat, taille === null])).toEqual([
      ...[
        ['Disponible', false],
        ['Indisponible', true],
      ],
    ]);
  } finally {
    await lame.stop();
  }
});
