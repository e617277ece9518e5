import type { Statement } from '../../libs/platform/src/database/entered-query';
import { nodesOf, planOf, rowsRead, statementsOf } from '../membership/plans';
import { times } from '../membership/synced';
import { cursorAt } from '../setup/cursor';
import { TestApp, type TestTenant } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

const CARDS = 100_000;
const LIMITE = 100;
/** Maximum rows that a page may read: its own, the next row, and the few cards of one person. */
const MOST_READ = 2 * LIMITE;

const app = perFile(() => TestApp.own('volume'));
let tenant: TestTenant;

/**
 * Cards of 40,000 employees over three years, with the worst distribution for the filters: in the union with most
 * cards, hardly any card has a payment or a handwritten signature; in the others nearly all have both.
 */
async function fill(tenantId: string, cards: number): Promise<void> {
  await app.database.query(
    `INSERT INTO syndicat (tenant_id, id_externe, nom)
     SELECT $1, unnest(ARRAY['SYN-BIG', 'SYN-NONE'] || ARRAY(SELECT 'SYN-' || n FROM generate_series(0, 49) n)), 'Syndicat'`,
    [tenantId],
  );
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom)
     SELECT $1, 'E-' || n, 'Zoé', 'Roy' FROM generate_series(0, $2 - 1) n`,
    [tenantId, Math.ceil(cards / 2.5)],
  );
  await app.database.query(
    `INSERT INTO adhesion (tenant_id, id_externe_employe, employe_id_unique, syndicat_id_externe, prenom, nom, courriel,
       no_membre, date_signature, a_signature_manuscrite, avec_paiement, valeurs_champ)
     SELECT $1, 'E-' || n % $3, uuidv7(), CASE WHEN big THEN 'SYN-BIG' ELSE 'SYN-' || n % 50 END, 'Zoé', 'Roy',
       'zoe@example.org', CASE WHEN n % 5 > 0 THEN 'M-' || n % $3 END,
       timestamptz '2024-01-01Z' + n * interval '15 minutes', big = (n % 5000 = 0), big = (n % 7000 = 0), '[]'
     FROM generate_series(0, $2 - 1) n, LATERAL (SELECT n % 10 < 6 AS big) b`,
    [tenantId, cards, Math.ceil(cards / 2.5)],
  );
}

beforeAll(async () => {
  tenant = await app.tenant();
  await fill(tenant.tenantId, CARDS);
  await fill((await app.tenant()).tenantId, CARDS / 10);
  // Autovacuum does the same within a minute.
  await app.database.query('ANALYZE');
}, 300_000);

/** Returns the only statement of the service for a list. */
async function statementOf(path: string, filters: Record<string, string>): Promise<Statement> {
  const query = new URLSearchParams({ ...filters, limite: String(LIMITE) }).toString();
  const sent = await statementsOf(async () => {
    expect((await app.send(tenant, 'GET', `${path}?${query}`)).status).toBe(200);
  });
  const found = sent.filter(({ text }) => text.includes('"idUniqueAdhesion"'));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** Returns the faults in the access paths of a statement, for each plan that PostgreSQL may use. */
async function faultsOf(statement: Statement): Promise<string[]> {
  const faults: string[] = [];
  // PostgreSQL plans it for its values five times, and may use a generic plan from the sixth on.
  for (const execution of [1, 6]) {
    const plan = await planOf(app, tenant.tenantId, statement, execution);
    const nodes = nodesOf(plan).filter(
      (node) => node['Relation Name'] === 'adhesion' && node['Actual Loops'] > 0,
    );
    for (const node of nodes) {
      if (!node['Node Type'].startsWith('Index')) faults.push(`execution ${execution}: ${node['Node Type']}`);
    }
    const read = rowsRead(plan, ['adhesion']);
    if (read > MOST_READ) faults.push(`execution ${execution}: reads ${read} rows`);
  }
  return faults;
}

const VALUES: Record<string, string[]> = {
  apres: ['2025-06-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  avant: ['2024-02-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  idExterneSyndicat: ['SYN-BIG', 'SYN-7', 'SYN-NONE'],
  idExterneEmploye: ['E-5000'],
  noMembre: ['M-5001'],
  aSignatureManuscrite: ['true', 'false'],
  avecPaiement: ['true', 'false'],
};
const NAMES = Object.keys(VALUES);
const COMBINATIONS = times(2 ** NAMES.length, (bits) => NAMES.filter((_, bit) => bits & (1 << bit)));

function choices([name, ...rest]: readonly string[]): Record<string, string>[] {
  if (name === undefined) return [{}];
  return choices(rest).flatMap((others) => VALUES[name]!.map((value) => ({ [name]: value, ...others })));
}

describe(`the first page of ${CARDS.toLocaleString('en')} cards`, () => {
  it.each(COMBINATIONS.map((names) => [names.join(', ') || 'nothing', names] as const))(
    'filtered by %s is found through an index with all these columns',
    async (_what, names) => {
      const faults: Record<string, string[]> = {};
      // More filters only leave fewer cards: some of the many combinations of values are enough.
      const all = choices(names);
      const some = names.length <= 2 ? all : [all.at(0)!, all.at(all.length / 2)!, all.at(-1)!];
      for (const filters of new Set(some)) {
        const found = await faultsOf(await statementOf('/b2b/v2/adhesion', filters));
        if (found.length > 0) faults[Object.values(filters).join(' ')] = found;
      }
      expect(faults).toEqual({});
    },
  );

  it.each<Record<string, string>>([{}, { apres: '2026-11-01T00:00:00Z' }, { idExterne: 'E-5000' }])(
    'of V1 with %j is found through an index',
    async (filters) => {
      expect(await faultsOf(await statementOf('/b2b/v1/adhesion', filters))).toEqual([]);
    },
  );

  it('a page in the middle is found as well', async () => {
    for (const filters of choices(['idExterneSyndicat', 'avecPaiement'])) {
      const path = '/b2b/v2/adhesion';
      const middle = { date: new Date('2025-01-01'), id: tenant.tenantId };
      const curseur = cursorAt(tenant.tenantId, path, filters, middle);
      expect(await faultsOf(await statementOf(path, { ...filters, curseur }))).toEqual([]);
    }
  });

  it('negative control: without the index of union and payment, a page filtered by both is a fault', async () => {
    const filters = { idExterneSyndicat: 'SYN-BIG', avecPaiement: 'true' };
    const statement = await statementOf('/b2b/v2/adhesion', filters);
    expect(await faultsOf(statement)).toEqual([]);
    await app.database.query(
      'DROP INDEX adhesion_syndicat_paiement, adhesion_syndicat_signature_paiement, adhesion_signature_paiement',
    );
    expect(await faultsOf(statement)).not.toEqual([]);
  });
});
