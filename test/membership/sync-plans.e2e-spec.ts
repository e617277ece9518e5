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

/** Rows of a table that were read by a large sync which follows small ones on the same, only connection. */
async function rowsRead(
  table: string,
  prepare: (app: TestApp) => Promise<Sync>,
  analyzed: boolean,
): Promise<number> {
  const app = await TestApp.start({ poolSize: 1 });
  const sync = await prepare(app);
  await sync(10, 'A');
  if (analyzed) await app.database.query('ANALYZE');
  await sync(10, 'B');
  await sync(MANY, 'C');
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

const employeurs = (count: number, prefix: string) =>
  times(count, (n) => ({ IdentifiantExterne: `${prefix}-${n}`, Nom: 'Usine' }));

const KINDS: [string, string, (app: TestApp) => Promise<Sync>][] = [
  [
    'employments, memberships and values refer to their employees',
    'employe',
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
    async (app) => {
      const tenant = await app.tenant();
      return (count, prefix) =>
        synced(app, tenant, {
          Syndicats: employeurs(count, prefix).map((one) => ({ ...one, Employeurs: [one] })),
        });
    },
  ]),
];

describe.each(KINDS)('a large sync after small ones, where %s', (_what, table, prepare) => {
  it.each([false, true])(
    'reads a few rows for each record (statistics of the small table: %s)',
    async (analyzed) => {
      expect(await rowsRead(table, prepare, analyzed)).toBeLessThan(EACH * MANY);
    },
  );
});

describe('negative control', () => {
  it('by the plans that the small ones left behind, it reads all rows for each record', async () => {
    const [, table, prepare] = KINDS[0]!;
    const query = Client.prototype.query as (...given: unknown[]) => unknown;
    Client.prototype.query = function (this: Client, ...given: unknown[]) {
      return query.apply(this, given[0] === 'DISCARD PLANS' ? ['SELECT 1', ...given.slice(1)] : given);
    } as Client['query'];
    try {
      expect(await rowsRead(table, prepare, false)).toBeGreaterThan(EACH * MANY);
    } finally {
      Client.prototype.query = query as Client['query'];
    }
  });
});
