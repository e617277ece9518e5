import { Client } from 'pg';
import { eventually } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { synced, syncedV1, times } from './synced';

/**
 * PostgreSQL plans the check of a foreign key once a connection and keeps the plan. One that suits a table of ten rows
 * reads all of a large one for each check: a first, small sync then makes the next one take minutes.
 */
const MANY = 2_000;
/** What each record of the large sync may look at, of the table that it refers to. */
const EACH = 100;

type Sync = (count: number, prefix: string) => Promise<unknown>;
/** Makes a tenant that is ready for syncs. */
type Prepare = (app: TestApp) => Promise<Sync>;

/** Rows of a table that were read by syncs on the same, only connection. */
async function rowsRead(table: string, syncs: (app: TestApp) => Promise<unknown>): Promise<number> {
  const app = await TestApp.start({ poolSize: 1 });
  await syncs(app);
  // Connections tell what they have read when they end, at the latest.
  await app.stop();
  const client = new Client({ connectionString: app.config.databaseUrl });
  await client.connect();
  try {
    await eventually(async () => {
      const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend'`;
      return (await client.query(text)).rowCount === 0 ? true : undefined;
    }, 'The end of all connections');
    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::int AS read
       FROM pg_stat_user_tables t WHERE relname = $1`,
      [table],
    );
    return rows[0]!.read;
  } finally {
    await client.end();
  }
}

/** A large sync follows small ones of the same tenant. */
const afterSmallOnes = (prepare: Prepare, analyzed: boolean) => async (app: TestApp) => {
  const sync = await prepare(app);
  await sync(10, 'A');
  if (analyzed) await app.database.query('ANALYZE');
  await sync(10, 'B');
  await sync(MANY, 'C');
};

/** A tenant's first sync, a large one, where all that PostgreSQL knows is tenants with a row each. */
const besideSmallTenants = (prepare: Prepare) => async (app: TestApp) => {
  for (let n = 0; n < 20; n++) await (await prepare(app))(1, `T${n}`);
  await app.database.query('ANALYZE');
  await (
    await prepare(app)
  )(MANY, 'A');
};

/** The first sync of all, a large one: autovacuum looks at the rows before others refer to them, as it may at any time. */
const whileAutovacuumPasses =
  (prepare: Prepare, table: string, referring: string) => async (app: TestApp) => {
    const sync = await prepare(app);
    let passes = 0;
    const pass = async (): Promise<void> => {
      passes++;
      // Like autovacuum it does not wait for a table that is locked.
      await app.database.query(`VACUUM (ANALYZE, SKIP_LOCKED) ${table}`);
    };
    await replacing(
      (text, send) => (text.includes(`${referring} `) ? pass().then(send) : send()),
      () => sync(MANY, 'A'),
    );
    expect(passes).toBe(1);
  };

/** Runs `work` while each statement of this process goes through `change`. */
async function replacing(
  change: (text: string, send: (instead?: string | void) => unknown) => unknown,
  work: () => Promise<unknown>,
): Promise<void> {
  const query = Client.prototype.query as (...given: unknown[]) => unknown;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    if (typeof given[0] !== 'string') return query.apply(this, given);
    return change(given[0], (instead) =>
      query.apply(this, instead === undefined ? given : [instead, ...given.slice(1)]),
    );
  } as Client['query'];
  try {
    await work();
  } finally {
    Client.prototype.query = query as Client['query'];
  }
}

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

    it('as the first one of a tenant beside many that have a row each', async () => {
      expect(await rowsRead(table, besideSmallTenants(prepare))).toBeLessThan(EACH * MANY);
    });

    it('while autovacuum passes', async () => {
      const syncs = whileAutovacuumPasses(prepare, table, referring);
      expect(await rowsRead(table, syncs)).toBeLessThan(EACH * MANY);
    });
  },
);

describe('negative control: it reads all rows for each record', () => {
  const [, table, referring, prepare] = KINDS[0]!;
  /** What a large sync reads where statements with this in their text are left out. */
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
