import type { TestApp } from '../setup/test-app';
import { replacing, rowsRead } from './rows-read';
import { synced, syncedV1, times } from './synced';

/**
 * PostgreSQL plans the check of a foreign key once per connection and keeps the plan. A plan for a table of ten rows
 * reads all rows of a large one for each check: after a first, small sync the next one would take minutes.
 */
const MANY = 2_000;
/** Maximum rows of the referenced table that are read for each record of the large sync. */
const EACH = 100;

type Sync = (count: number, prefix: string) => Promise<unknown>;
/** Opens a tenant that is ready for syncs. */
type Prepare = (app: TestApp) => Promise<Sync>;

/** A large sync follows small ones of the same tenant. */
const afterSmallOnes = (prepare: Prepare, analyzed: boolean) => async (app: TestApp) => {
  const sync = await prepare(app);
  await sync(10, 'A');
  if (analyzed) await app.database.query('ANALYZE');
  await sync(10, 'B');
  await sync(MANY, 'C');
};

/** A tenant's first sync is large, and the statistics of PostgreSQL only know tenants with a row each. */
const besideSmallTenants = (prepare: Prepare) => async (app: TestApp) => {
  for (let n = 0; n < 20; n++) await (await prepare(app))(1, `T${n}`);
  await app.database.query('ANALYZE');
  await (
    await prepare(app)
  )(MANY, 'A');
};

/** The very first sync is large, and autovacuum sees the rows before others refer to them, which can always happen. */
const whileAutovacuumPasses =
  (prepare: Prepare, table: string, referring: string) => async (app: TestApp) => {
    const sync = await prepare(app);
    let passes = 0;
    const pass = async (): Promise<void> => {
      passes++;
      // Like autovacuum, it skips a locked table.
      await app.database.query(`VACUUM (ANALYZE, SKIP_LOCKED) ${table}`);
    };
    await replacing(
      (text, send) => (text.includes(`${referring} `) ? pass().then(send) : send()),
      () => sync(MANY, 'A'),
    );
    expect(passes).toBe(1);
  };

const employeurs = (count: number, prefix: string) =>
  times(count, (n) => ({ IdentifiantExterne: `${prefix}-${n}`, Nom: 'Usine' }));

const KINDS: [what: string, table: string, referring: string, prepare: Prepare][] = [
  [
    'employments, memberships and values refer to their employees',
    'employe',
    'MERGE INTO emploi',
    async (app) => {
      const tenant = await app.tenant();
      await synced(app, tenant, {
        Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'S', Employeurs: employeurs(1, 'EMP') }],
      });
      const champ = { nom: 'Surnom', type: 'texte' };
      expect((await app.send(tenant, 'POST', '/b2b/v2/champ-utilisateur', champ)).status).toBe(201);
      return (count, prefix) =>
        synced(app, tenant, {
          Employes: times(count, (n) => ({
            ...{ IdExterne: `${prefix}-${n}`, Prenom: 'Zoé', Nom: 'Roy' },
            Emplois: [{ IdentifiantExterne: 'M-1', IdentifiantExterneEmployeur: 'EMP-0', Matricule: `${n}` }],
            Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2020-01-01' }],
            ValeursChampUtilisateur: [{ NomChamp: 'Surnom', Valeur: 'Zo' }],
          })),
        });
    },
  ],
  [
    'employees of V1 refer to their employers',
    'employeur',
    'MERGE INTO employe',
    async (app) => {
      const tenant = await app.tenant();
      return (count, prefix) =>
        syncedV1(app, tenant, {
          employeurs: times(count, (n) => ({ idExterne: `${prefix}-${n}`, nom: 'Usine' })),
          employes: times(count, (n) => ({
            ...{ idExterne: `${prefix}-${n}`, prenom: 'Zoé', nom: 'Roy' },
            identifiantExterneEmployeur: `${prefix}-${n}`,
          })),
        });
    },
  ],
  ...(['syndicat', 'employeur'] as const).map((table): (typeof KINDS)[0] => [
    `links of unions and employers refer to both (${table})`,
    table,
    'INSERT INTO syndicat_employeur',
    async (app) => {
      const tenant = await app.tenant();
      return (count, prefix) =>
        synced(app, tenant, {
          Syndicats: employeurs(count, prefix).map((one) => ({ ...one, Employeurs: [one] })),
        });
    },
  ]),
];

describe.each(KINDS)(
  'a large sync, where %s, reads a few rows for each record',
  (...[, table, referring, prepare]) => {
    it.each([false, true])('after small ones (statistics of the small table: %s)', async (analyzed) => {
      expect(await rowsRead(table, afterSmallOnes(prepare, analyzed))).toBeLessThan(EACH * MANY);
    });

    it('first sync of a tenant, after many tenants with a row each', async () => {
      expect(await rowsRead(table, besideSmallTenants(prepare))).toBeLessThan(EACH * MANY);
    });

    it('during an autovacuum', async () => {
      const syncs = whileAutovacuumPasses(prepare, table, referring);
      expect(await rowsRead(table, syncs)).toBeLessThan(EACH * MANY);
    });
  },
);

describe('negative control: it reads all rows for each record', () => {
  const [, table, referring, prepare] = KINDS[0]!;
  /** Returns the rows read by a large sync without the statements that contain this text. */
  const readWithout = async (part: string, syncs: (app: TestApp) => Promise<unknown>): Promise<number> => {
    let read = 0;
    await replacing(
      (text, send) => send(text.includes(part) ? 'SELECT 1' : undefined),
      async () => (read = await rowsRead(table, syncs)),
    );
    return read;
  };

  it('by the plans that small ones left behind', async () => {
    expect(await readWithout('DISCARD PLANS', afterSmallOnes(prepare, false))).toBeGreaterThan(EACH * MANY);
  });

  it('by plans for tenants of one row', async () => {
    const syncs = besideSmallTenants(prepare);
    const read = await rowsRead(table, async (app) => {
      await app.database.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id RESET (n_distinct)`);
      await syncs(app);
    });
    expect(read).toBeGreaterThan(EACH * MANY);
  });

  it('by plans for the empty table that autovacuum saw', async () => {
    const syncs = whileAutovacuumPasses(prepare, table, referring);
    expect(await readWithout('LOCK TABLE', syncs)).toBeGreaterThan(EACH * MANY);
  });
});
