import { allRowsRead, replacing } from '../membership/rows-read';
import { synced, times } from '../membership/synced';
import type { TestApp, TestTenant } from '../setup/test-app';
import { Campaigns } from './support/campaigns';

/**
 * PostgreSQL knows only small tenants, whose one employee, union and voter have the same identifiers. It then assumes that
 * most rows have the identifier that a record names, and that reading all rows finds one soonest.
 */
const SMALL = 1_000;
const MANY = 4_000;
/** Rows that each record may read. */
const EACH = 20;

async function filled(app: TestApp, tenant: TestTenant, count: number): Promise<void> {
  const one = (n: number) => ({ IdentifiantExterne: `N-${n}`, Nom: 'Nom' });
  await synced(app, tenant, {
    Syndicats: times(count, (n) => ({ ...one(n), Employeurs: [one(n)] })),
    Employes: times(count, (n) => ({ IdExterne: `N-${n}`, Prenom: 'Zoé', Nom: 'Roy' })),
  });
}

/** Tenants with a row of each kind, each with the same identifier. */
async function smallTenants(app: TestApp): Promise<void> {
  const client = await app.connect('-c session_replication_role=replica');
  const each = `FROM generate_series(1, $1) n, LATERAL (SELECT lpad(n::text, 32, '0')::uuid AS id) t`;
  for (const table of ['syndicat', 'employeur']) {
    await client.query(`INSERT INTO ${table} (tenant_id, id_externe, nom) SELECT id, 'N-0', 'Nom' ${each}`, [
      SMALL,
    ]);
  }
  await client.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom) SELECT id, 'N-0', 'Zoé', 'Roy' ${each}`,
    [SMALL],
  );
  await client.query(
    `INSERT INTO votant (tenant_id, campagne_id, identifiant, prenom, nom, employe_id_externe, a_droit_de_vote, poids)
     SELECT id, id, 'N-0', 'Zoé', 'Roy', 'N-0', true, 1 ${each}`,
    [SMALL],
  );
  await client.query('ANALYZE');
  await client.end();
}

/** Enters a new tenant's employees into the roll, twice: the second time each of them is refused as a voter already. */
async function upserts(app: TestApp): Promise<void> {
  for (const table of ['employe', 'syndicat', 'employeur', 'votant']) {
    await app.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  await smallTenants(app);
  const large = new Campaigns(app, await app.tenant());
  await filled(app, large.tenant, MANY);
  const id = await large.draft();
  const voters = times(MANY, (n) => ({
    ...{ EmployeIdExterne: `N-${n}`, SyndicatIdExterne: `N-${n}`, EmployeurIdentifiantExterne: `N-${n}` },
    Identifiant: `N-${n}`,
  }));
  const first = await large.sent('POST', `/${id}/votants/upsert`, voters);
  expect(first.json).toEqual({ NombreCrees: MANY, NombreModifies: 0, Erreurs: [] });
  const again = voters.map((voter) => ({ ...voter, Identifiant: null }));
  const second = await large.sent('POST', `/${id}/votants/upsert`, again);
  expect(second.json.Erreurs).toHaveLength(MANY);
}

/** Runs work with as little memory as two hundred thousand employees leave: they do not fit into a table of hashes. */
const withoutMemory = (work: () => Promise<unknown>): Promise<void> =>
  replacing(
    (text, send) =>
      send(
        text.startsWith('ANALYZE stage_votant')
          ? `${text}; SET LOCAL work_mem = '64kB'; SET LOCAL hash_mem_multiplier = 1`
          : undefined,
      ),
    work,
  );

describe(`an upsert of ${MANY} voters of a tenant that PostgreSQL has not counted`, () => {
  let read: Map<string, number>;
  beforeAll(() => withoutMemory(async () => (read = await allRowsRead(upserts))));

  it.each(['employe', 'syndicat', 'employeur', 'votant'])(
    'reads a few rows of %s for each record',
    (table) => {
      expect(read.get(table)).toBeLessThan(EACH * MANY);
    },
  );

  describe('negative control', () => {
    const TABLES = ['employe', 'syndicat', 'employeur'];
    let readByOthers: Map<string, number>;
    const upsertsByOthers = async (app: TestApp): Promise<void> => {
      for (const table of TABLES) {
        await app.database.query(`ALTER TABLE ${table} ALTER COLUMN id_externe RESET (n_distinct)`);
      }
      await upserts(app);
    };
    beforeAll(() => withoutMemory(async () => (readByOthers = await allRowsRead(upsertsByOthers))));

    it.each(TABLES)(
      'reads all rows of %s for each record by plans for the identifiers that tenants share',
      (table) => {
        expect(readByOthers.get(table)).toBeGreaterThan(EACH * MANY);
      },
    );
  });
});
