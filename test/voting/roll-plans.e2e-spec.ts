import type { Statement } from '../../libs/platform/src/database/entered-query';
import { nodesOf, planOf, rowsRead, statementsOf } from '../membership/plans';
import { times } from '../membership/synced';
import { cursorAt } from '../setup/cursor';
import { TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';

const VOTERS = 100_000;
const LIMITE = 100;
/** Rows that a page may read if an index leads to it: its own, the next one, and some that another filter leaves out. */
const MOST_READ = 3 * LIMITE;
/** A time in the middle of the list. */
const MIDDLE = new Date(Date.UTC(2026, 0, 1) + VOTERS / 2);

let app: TestApp;
let campaigns: Campaigns;
let id: string;

/**
 * Voters of a large union and fifty small ones, of a large employer and ninety small ones. One in five hundred has no
 * right to vote, a third has voted, and no voter of SYN-7 has.
 */
async function fill(space: Campaigns, voters: number): Promise<string> {
  const made = await space.draft();
  await space.rows(
    `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
       a_droit_de_vote, a_vote, poids, date_creation)
     SELECT $1, $2, 'Zoé', 'Roy', syndicat, CASE WHEN n % 7 < 4 THEN 'EMP-BIG' ELSE 'EMP-' || n % 90 END,
       n % 500 > 0, n % 3 = 0 AND syndicat <> 'SYN-7', 1, timestamptz '2026-01-01Z' + n * interval '1 millisecond'
     FROM generate_series(0, $3 - 1) n,
       LATERAL (SELECT CASE WHEN n % 10 < 6 THEN 'SYN-BIG' ELSE 'SYN-' || n % 50 END AS syndicat) s`,
    ...[made, voters],
  );
  return made;
}

beforeAll(async () => {
  app = await TestApp.own('volume');
  await app.database.query('ALTER TABLE votant SET (autovacuum_enabled = false)');
  campaigns = new Campaigns(app, await app.tenant());
  id = await fill(campaigns, VOTERS);
  await fill(campaigns, VOTERS / 10);
  await fill(new Campaigns(app, await app.tenant()), VOTERS / 10);
}, 300_000);
afterAll(() => app.stop());

type Filters = Readonly<Record<string, string>>;

/** The only statement by which the service answers a page. */
async function statementOf(filters: Filters, isFar: boolean): Promise<Statement> {
  const query = new URLSearchParams({ ...filters, limite: `${LIMITE}` });
  const path = `/${id}/votants?`;
  if (isFar) {
    const list = `/b2b/v1/campagnes/${id}/votants`;
    query.set('curseur', cursorAt(campaigns.tenant.tenantId, list, filters, { date: MIDDLE, id }));
  }
  const sent = await statementsOf(() => campaigns.sent('GET', path + query.toString()));
  const found = sent.filter(({ text }) => text.includes('"VotantId"'));
  expect(found).toHaveLength(1);
  return found[0]!;
}

const COLUMNS: Record<string, string> = {
  syndicatIdExterne: 'syndicat_id_externe',
  employeurIdentifiantExterne: 'employeur_identifiant_externe',
  aVote: 'a_vote',
  aDroitDeVote: 'a_droit_de_vote',
};

/** How many rows a walk along the index of one condition meets until it has found a page and the next row. */
async function walk(condition: string, all: string, isFar: boolean): Promise<number> {
  const rows = await campaigns.rows<{ met: number }>(
    `SELECT count(*)::int AS met FROM (
       SELECT sum((${all})::int) OVER (ORDER BY date_creation, id_unique) - (${all})::int AS found
       FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND ${condition} AND date_creation >= $3
     ) w WHERE found <= ${LIMITE}`,
    ...[id, isFar ? MIDDLE : new Date(0)],
  );
  return rows[0]!.met;
}

/**
 * Returns the faults of the search for a page, by each plan that PostgreSQL may take. A plan must use the best of the
 * indexes of its filters. There is no index on `a_vote`, because each vote would have to write to it. That filter reads
 * past the voters who do not pass it.
 */
async function faultsOf(filters: Filters, isFar: boolean): Promise<string[]> {
  const statement = await statementOf(filters, isFar);
  const conditions = Object.entries(filters).map(([name, value]) => `${COLUMNS[name]} = '${value}'`);
  const all = ['true', ...conditions].join(' AND ');
  const indexed = conditions.filter((one) => !/^a_vote|^a_droit_de_vote = 'true'/.test(one));
  const walks: number[] = [];
  for (const condition of indexed.length > 0 ? indexed : ['true'])
    walks.push(await walk(condition, all, isFar));
  const faults: string[] = [];
  const most = Math.min(...walks);
  // One with a name is planned for its values five times, and then perhaps once for any.
  for (const execution of statement.name === undefined ? [1] : [1, 6]) {
    const plan = await planOf(app, campaigns.tenant.tenantId, statement, execution);
    const nodes = nodesOf(plan).filter(
      (node) => node['Relation Name'] === 'votant' && node['Actual Loops'] > 0,
    );
    for (const node of nodes) {
      if (!/^(Index|Bitmap)/.test(node['Node Type']))
        faults.push(`execution ${execution}: ${node['Node Type']}`);
    }
    const read = rowsRead(plan, ['votant']);
    if (read > Math.max(MOST_READ, 2 * most)) {
      faults.push(`execution ${execution}: reads ${read} rows, where ${most} lead to the page`);
    }
  }
  return faults;
}

const VALUES: Record<string, string[]> = {
  syndicatIdExterne: ['SYN-BIG', 'SYN-7', 'SYN-NONE'],
  employeurIdentifiantExterne: ['EMP-BIG', 'EMP-13', 'EMP-NONE'],
  aVote: ['true', 'false'],
  aDroitDeVote: ['true', 'false'],
};
const NAMES = Object.keys(VALUES);
const COMBINATIONS = times(2 ** NAMES.length, (bits) => NAMES.filter((_, bit) => bits & (1 << bit)));

function choices([name, ...rest]: readonly string[]): Filters[] {
  if (name === undefined) return [{}];
  return choices(rest).flatMap((others) => VALUES[name]!.map((value) => ({ [name]: value, ...others })));
}

/** Before PostgreSQL has counted the voters, it does not know whether a union or an employer leads to fewer of them. */
const isGuess = (names: readonly string[]): boolean =>
  names.includes('syndicatIdExterne') && names.includes('employeurIdentifiantExterne');

describe.each([
  ['has not counted yet', COMBINATIONS.filter((names) => !isGuess(names))],
  ['has counted', COMBINATIONS],
])(
  `a page of a roll of ${VOTERS.toLocaleString('en')} voters, whom PostgreSQL %s,`,
  (state, combinations) => {
    beforeAll(async () => {
      // As autovacuum does within a minute.
      if (state === 'has counted') await app.database.query('ANALYZE');
    });

    it.each(combinations.map((names) => [names.join(', ') || 'nothing', names] as const))(
      'filtered by %s is found through an index, the first one and one in the middle',
      async (_what, names) => {
        const faults: Record<string, string[]> = {};
        for (const filters of choices(names)) {
          for (const isFar of [false, true]) {
            const found = await faultsOf(filters, isFar);
            if (found.length > 0) faults[`${Object.values(filters).join(' ')} ${isFar}`] = found;
          }
        }
        expect(faults).toEqual({});
      },
      120_000,
    );

    it.each<[index: string, filters: Filters]>([
      ['votant_syndicat', { syndicatIdExterne: 'SYN-7' }],
      ['votant_employeur', { employeurIdentifiantExterne: 'EMP-13' }],
      ['votant_sans_droit', { aDroitDeVote: 'false' }],
      ['votant_creation', {}],
    ])('negative control: without the index %s, a page of %j is a fault', async (index, filters) => {
      expect(await faultsOf(filters, true)).toEqual([]);
      const { rows } = await app.database.query<{ definition: string }>(
        `SELECT pg_get_indexdef($1::regclass) AS definition`,
        [index],
      );
      await app.database.query(`DROP INDEX ${index}`);
      expect(await faultsOf(filters, true)).not.toEqual([]);
      await app.database.query(rows[0]!.definition);
    });
  },
);
