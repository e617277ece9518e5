import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientsService, DeplacementsService, Mover, type Step, STEPS } from '../../libs/clients/src';
import { copySpace, CopyRefused, connectForCopy } from '../../libs/platform/src/database/space-copy';
import { Config } from '../../libs/platform/src/ops/config';
import { eventually, expectProblem } from '../http/expect-problem';
import { synced } from '../membership/synced';
import { TEST_ACTOR } from '../setup/actor';
import { asService } from '../setup/service-login';
import { type Answer, cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { employee, employer, job, membership, union } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';
import { Votes } from '../voting/support/votes';

const CELLS = ['principal', 'nord'] as const;
type Cell = (typeof CELLS)[number];

let app: TestApp;
let urls: Record<Cell, string>;
const databases = {} as Record<Cell, Client>;
let mover: Mover;

beforeAll(async () => {
  urls = { principal: await cloneTemplate(), nord: await cloneTemplate() };
  app = await TestApp.start({ databaseUrl: urls.principal, cells: new Map(Object.entries(urls)) });
  for (const cell of CELLS) {
    databases[cell] = new Client({ connectionString: urls[cell] });
    await databases[cell].connect();
  }
  // The login of migrations; the application has that of the processes.
  mover = new Mover(app.app.get(DeplacementsService), app.config);
});
afterAll(async () => {
  for (const cell of CELLS) await databases[cell].end();
  await app.stop();
});

const asAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.send(app.adminKey, method, `/admin/v1${path}`, body);
const pathOf = ({ clientId }: TestTenant, what: string): string =>
  `/clients/${clientId}/environnements/staging/${what}`;
const request = (tenant: TestTenant, cellule: Cell): Promise<Answer> =>
  asAdmin('POST', pathOf(tenant, 'deplacer'), { cellule });
const latest = async (tenant: TestTenant): Promise<Answer['json']> =>
  (await asAdmin('GET', pathOf(tenant, 'deplacement'))).json;

let number = 0;
/** A tenant with records, and its campaigns. */
async function tenantIn(cellule: Cell): Promise<Campaigns> {
  const body = { nom: `Déplacé ${++number}`, modules: ['carteMembre', 'vote'], cellule };
  const { json } = await asAdmin('POST', '/clients', body);
  const wanted = { nom: 'Test', environnement: 'staging' as const, role: 'partenaire' as const };
  const cle = await app.app.get(ClientsService).issueCle(TEST_ACTOR, json.id as string, wanted);
  const tenant: TestTenant = { clientId: json.id, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
  await synced(app, tenant, {
    Syndicats: [union('SYN-1', [employer('EMP-1')])],
    Employes: ['E-1', 'E-2', 'É-3 😀\t\\N'].map((name) =>
      employee(name, { Emplois: [job('J-1', 'EMP-1')], Adhesions: [membership('SYN-1')] }),
    ),
  });
  return new Campaigns(app, tenant);
}

/** Everything that a partner can read of the tenant without a list of ids. */
async function readings(tenant: TestTenant): Promise<Record<string, string>> {
  const paths = [
    ...['/b2b/v1/employe', '/b2b/v1/employeur', '/b2b/v1/campagnes', '/b2b/v2/employe', '/b2b/v2/emploi'],
    ...['/b2b/v2/syndicat', '/b2b/v2/objet-consentement', '/b2b/v2/changement', '/b2b/v2/evenement'],
  ];
  const found: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await app.send(tenant, 'GET', path);
    expect([path, status]).toEqual([path, 200]);
    found[path] = text;
  }
  return found;
}

/** Tables of tenants, with the number of rows that a database has of a tenant, if any. */
async function rowsIn(cell: Cell, tenantId: string): Promise<Record<string, number>> {
  const { rows: tables } = await databases[cell].query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relnamespace = 'public'::regnamespace AND c.relname NOT IN ('cle', 'deplacement', 'espace_ferme')`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await databases[cell].query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} WHERE tenant_id = $1`,
      [tenantId],
    );
    if (rows[0]!.count > 0) found[name] = rows[0]!.count;
  }
  return found;
}

let written = 0;
const write = (tenant: TestTenant): Promise<Answer> =>
  app.send(tenant, 'POST', '/b2b/v2/objet-consentement', { idExterne: `O-${++written}`, nom: 'Objet' });

describe('a request', () => {
  it('400, 404 and 409 say what is wrong, and change nothing', async () => {
    const { tenant } = await tenantIn('principal');
    expectProblem(await request(tenant, 'sud' as Cell), 400, 'Cellule.Inconnue');
    expectProblem(await asAdmin('POST', pathOf(tenant, 'deplacer'), {}), 400, 'Requete.Invalide');
    expectProblem(await request(tenant, 'principal'), 409, 'Deplacement.Inutile');
    expectProblem(await asAdmin('GET', pathOf(tenant, 'deplacement')), 404, 'Deplacement.NotFound');
    const production = `/clients/${tenant.clientId}/environnements/production/deplacer`;
    expectProblem(await asAdmin('POST', production, { cellule: 'nord' }), 404, 'Deplacement.NotFound');
    const nobody = '/clients/00000000-0000-0000-0000-000000000001/environnements/staging/deplacer';
    expectProblem(await asAdmin('POST', nobody, { cellule: 'nord' }), 404, 'Client.NotFound');
    expectProblem(
      await app.send(tenant, 'POST', `/admin/v1${pathOf(tenant, 'deplacer')}`, { cellule: 'nord' }),
      403,
      'Cle.RoleInsuffisant',
    );
    const accepted = await request(tenant, 'nord');
    expect([accepted.status, accepted.json.etat, accepted.headers.get('location')]).toEqual([
      ...[202, 'EnAttente', `/admin/v1${pathOf(tenant, 'deplacement')}`],
    ]);
    expect(await latest(tenant)).toEqual(accepted.json);
    expectProblem(await request(tenant, 'nord'), 409, 'Deplacement.EnCours');
    expect((await write(tenant)).status).toBe(201);
  });

  it('409 Deplacement.VoteOuvert from five minutes before a vote until its box is sealed', async () => {
    const campaigns = await tenantIn('principal');
    const votes = await Votes.of(app, campaigns);
    const vote = await votes.opened(2);
    expectProblem(await request(campaigns.tenant, 'nord'), 409, 'Deplacement.VoteOuvert');
    const opensIn = (interval: string): Promise<unknown> =>
      databases.principal.query(
        `UPDATE campagne SET ouverture_du_vote_utc = now() + $2::interval, fermeture_du_vote_utc = now() + $2::interval * 2
         WHERE tenant_id = $1`,
        [campaigns.tenant.tenantId, interval],
      );
    await opensIn('4 minutes');
    expectProblem(await request(campaigns.tenant, 'nord'), 409, 'Deplacement.VoteOuvert');
    await opensIn('10 minutes');
    expect((await request(campaigns.tenant, 'nord')).status).toBe(202);
    // It opens after the request.
    await opensIn('1 second');
    const [move] = (await app.app.get(DeplacementsService).open()).filter(
      ({ tenantId }) => tenantId === campaigns.tenant.tenantId,
    );
    await mover.perform(move!);
    expect(await latest(campaigns.tenant)).toMatchObject({
      etat: 'Echouee',
      erreur: { code: 'Deplacement.VoteOuvert' },
    });
    expect((await write(campaigns.tenant)).status).toBe(201);
    expect(vote.id).toBeTruthy();
  });
});

/** Requests the move of a tenant and performs it. */
async function moved(
  tenant: TestTenant,
  cellule: Cell,
  onStep?: (step: Step) => Promise<void> | void,
): Promise<void> {
  expect((await request(tenant, cellule)).status).toBe(202);
  await performed(tenant, onStep);
}

async function performed(tenant: TestTenant, onStep?: (step: Step) => Promise<void> | void): Promise<void> {
  const open = await app.app.get(DeplacementsService).open();
  await mover.perform(
    open.find(({ tenantId }) => tenantId === tenant.tenantId)!,
    onStep,
  );
}

describe('a move', () => {
  it('brings everything; reads go on, writes of this space wait, those of others do not; and back again', async () => {
    const campaigns = await tenantIn('principal');
    const { tenant } = campaigns;
    const other = await tenantIn('principal');
    const votes = await Votes.of(app, campaigns);
    const vote = await votes.opened(3);
    for (const voter of [0, 1]) await votes.voted(vote, voter);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    const worker = await startWorker({ ...app.config, workerCell: 'principal' }, { roundMs: 100 });
    await eventually(async () => {
      const { rows } = await databases.principal.query<{ sealed: boolean }>(
        'SELECT bool_and(urne_scellee) AS sealed FROM campagne WHERE tenant_id = $1',
        [tenant.tenantId],
      );
      return rows[0]!.sealed || undefined;
    }, 'the box is sealed');
    await worker.close();
    const statistics = async (): Promise<string> => (await campaigns.sent('GET', `/${vote.id}/stats`)).text;
    const seen = { readings: await readings(tenant), statistics: await statistics() };
    const rows = await rowsIn('principal', tenant.tenantId);

    const answers: Record<string, number[]> = {};
    await moved(tenant, 'nord', async (step) => {
      const [read, refused, free] = [await readings(tenant), await write(tenant), await write(other.tenant)];
      expect(read).toEqual(seen.readings);
      if (refused.status === 503) {
        expectProblem(refused, 503, 'EspaceDonnees.EnDeplacement');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      answers[step] = [refused.status, free.status];
      // Otherwise the next step would see what this one has written.
      if (refused.status === 201) {
        seen.readings = await readings(tenant);
        Object.assign(rows, await rowsIn('principal', tenant.tenantId));
      }
    });
    const closed = STEPS.filter((step) => answers[step]![0] === 503);
    expect(closed).toEqual(expect.arrayContaining(['shut', 'copied', 'kept', 'closed', 'switched']));
    expect(answers.counted).toEqual([201, 201]);
    expect(Object.values(answers).map(([, free]) => free)).toEqual(STEPS.map(() => 201));

    expect(await latest(tenant)).toMatchObject({ etat: 'Reussie' });
    expect(await rowsIn('principal', tenant.tenantId)).toEqual({});
    const { json } = await asAdmin('GET', `/clients/${tenant.clientId}`);
    expect(json.cellules).toContainEqual({ environnement: 'staging', cellule: 'nord' });
    expect(await statistics()).toEqual(seen.statistics);
    expect((await write(tenant)).status).toBe(201);

    const before = await readings(tenant);
    // Standbys of the new cell serve no reads before they have the copy.
    const position = 'SELECT FROM derniere_ecriture WHERE espace = $1';
    expect((await databases.nord.query(position, [tenant.tenantId])).rowCount).toBe(1);
    await moved(tenant, 'principal');
    expect(await readings(tenant)).toEqual(before);
    expect(await rowsIn('nord', tenant.tenantId)).toEqual({});
    expect((await write(tenant)).status).toBe(201);
  }, 120_000);

  it('killed after any step is completed by the next mover, and no confirmed write is lost', async () => {
    await Promise.all(
      STEPS.map(async (killed) => {
        const { tenant } = await tenantIn('principal');
        await expect(
          moved(tenant, 'nord', (step) => {
            if (step === killed) throw new Error('killed');
          }),
        ).rejects.toThrow('killed');
        // Writes are possible again by themselves.
        let confirmed = 0;
        await eventually(
          async () => {
            const { status } = await write(tenant);
            confirmed = status === 201 ? written : 0;
            return status === 201 || undefined;
          },
          `writes after ${killed}`,
          20_000,
        );
        await performed(tenant);
        expect(await latest(tenant)).toMatchObject({ etat: 'Reussie' });
        expect(await rowsIn('principal', tenant.tenantId)).toEqual({});
        const { json } = await app.send(tenant, 'GET', '/b2b/v2/objet-consentement');
        expect(confirmed).toBeGreaterThan(0);
        expect(json).toHaveLength(1);
        expect((await write(tenant)).status).toBe(201);
      }),
    );
  }, 180_000);

  it('tasks that wait in the old cell are done there, in the new one', async () => {
    const { tenant } = await tenantIn('principal');
    const body = { Employes: [employee('E-9')] };
    const headers = { Prefer: 'respond-async' };
    const { json } = await app.send(tenant, 'POST', '/b2b/v2/sync', body, headers);
    await moved(tenant, 'nord');
    const worker = await startWorker({ ...app.config, workerCell: 'principal' }, { roundMs: 100 });
    try {
      await eventually(async () => {
        const { json: task } = await app.send(tenant, 'GET', `/b2b/v2/tache/${json.id}`);
        return task.etat === 'Reussie' || undefined;
      }, 'the task has ended');
    } finally {
      await worker.close();
    }
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe/E-9')).status).toBe(200);
  }, 60_000);

  it('waits for running writes, and a process that still knows the old cell cannot write there', async () => {
    const { tenant } = await tenantIn('principal');
    const stale = await TestApp.start({ ...app.config, databaseUrl: urls.principal });
    try {
      expect((await stale.send(tenant, 'GET', '/b2b/v2/employe')).status).toBe(200);
      await moved(tenant, 'nord', async (step) => {
        if (step !== 'switched') return;
        const body = { idExterne: 'stale', nom: 'Objet' };
        const refused = await stale.send(tenant, 'POST', '/b2b/v2/objet-consentement', body);
        expectProblem(refused, 503, 'EspaceDonnees.EnDeplacement');
      });
    } finally {
      await stale.stop();
    }
  }, 60_000);

  it('a copy that differs is refused, and nothing has changed', async () => {
    const { tenant } = await tenantIn('principal');
    await databases.nord.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RETURN CASE WHEN NEW.id_externe = 'E-2' THEN NULL ELSE NEW END; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON employe FOR EACH ROW EXECUTE FUNCTION lose();
      ALTER TABLE employe ENABLE ALWAYS TRIGGER lose`);
    await moved(tenant, 'nord').finally(() =>
      databases.nord.query('DROP TRIGGER lose ON employe; DROP FUNCTION lose()'),
    );
    expect(await latest(tenant)).toMatchObject({
      etat: 'Echouee',
      dateBascule: null,
      erreur: { code: 'Service.ErreurInterne', detail: 'The copy of employe differs: 2 of 3 rows.' },
    });
    expect(await rowsIn('nord', tenant.tenantId)).toEqual({});
    expect((await write(tenant)).status).toBe(201);
  });

  it('makes the months of changes that the new cell lacks, as the tables of months are', async () => {
    const { tenant } = await tenantIn('principal');
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    const [change, batch] = [`changement_${month}`, `changement_lot_${month}`];
    await databases.nord.query(`DROP TABLE ${change}, ${batch}`);
    await moved(tenant, 'nord');
    expect(await latest(tenant)).toMatchObject({ etat: 'Reussie' });
    const described = async (cell: Cell, table: string): Promise<unknown> =>
      (
        await databases[cell].query(
          `SELECT relrowsecurity, relforcerowsecurity, pg_get_expr(relpartbound, oid) AS bound, relacl,
             (SELECT json_agg(json_build_object('name', indexdef)) FROM pg_indexes WHERE tablename = relname) AS indexes,
             (SELECT json_agg(json_build_array(policyname, qual, with_check)) FROM pg_policies WHERE tablename = relname) AS policies
           FROM pg_class WHERE oid = $1::regclass`,
          [table],
        )
      ).rows;
    for (const table of [change, batch])
      expect(await described('nord', table)).toEqual(await described('principal', table));
  }, 60_000);
});

it('a move to the same database, or from a cell that the space has left, is refused', async () => {
  const { tenant } = await tenantIn('principal');
  expect((await request(tenant, 'nord')).status).toBe(202);
  const same = new Mover(
    app.app.get(DeplacementsService),
    new Config({ ...app.config, cells: new Map([['nord', urls.principal]]) }),
  );
  const open = await app.app.get(DeplacementsService).open();
  const move = open.find(({ tenantId }) => tenantId === tenant.tenantId)!;
  await expect(same.perform(move)).rejects.toThrow('Both cells are the same database.');
  await databases.principal.query(`INSERT INTO espace_ferme VALUES ($1, 'infinity')`, [tenant.tenantId]);
  await mover.perform(move);
  expect(await latest(tenant)).toMatchObject({ etat: 'Echouee', dateBascule: null });
  expect(Object.keys(await rowsIn('principal', tenant.tenantId))).toContain('employe');
});

it('the login of the processes cannot copy a data space', async () => {
  await expect(connectForCopy(asService(urls.principal))).rejects.toThrow(CopyRefused);
});

it('databases with different tables are refused', async () => {
  const [from, to] = [await connectForCopy(urls.principal), await connectForCopy(urls.nord)];
  await to.query('BEGIN');
  await to.query('ALTER TABLE employe ADD COLUMN more text');
  await expect(copySpace(from, to, '00000000-0000-0000-0000-000000000001', () => undefined)).rejects.toThrow(
    'The two databases have different tables: migrate both.',
  );
  await to.end();
  await from.end();
  await sleep(0);
});
