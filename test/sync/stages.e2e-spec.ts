import { Stage, type StagedRow, StageTable } from '../../libs/platform/src/bulk/stage';
import { inOneTrip } from '../../libs/platform/src/database/one-trip';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { statementsOf } from './statements';
import { employee, employer, job, membership, Partner, union } from './support';

// Requests of one connection follow each other.
const app = perFile(() => TestApp.start({ poolSize: 1 }));
let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start(app);
  await partner.sync({ Syndicats: [union('S', [employer('R')])] });
});

const full = (id: string) => employee(id, { Emplois: [job('J', 'R')], Adhesions: [membership('S')] });

/** Writes rows into a stage, in the ambient transaction. */
async function filled(table: StageTable, rows: StagedRow[]): Promise<void> {
  const client = app.app.get(Transactions).client();
  const stage = new Stage(table);
  await stage.fill(client, rows);
  await Stage.load(client, [stage]);
}

/** Returns the number of rows of each temporary table of the connection. */
const staged = (): Promise<Record<string, number>> =>
  app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
    const client = app.app.get(Transactions).client();
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind = 'r' ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name}`);
      counts[name.replace(/_[0-9a-f]{8}$/, '')] = rows[0]!.count;
    }
    return counts;
  });

it('a connection makes its stages once, and no row stays in them after a sync, a simulation or a failure', async () => {
  expect((await partner.sync({ Employes: [full('E-1')] })).status).toBe(200);
  const made = (names: readonly string[]): number =>
    names.filter((name) => /^CREATE TEMPORARY TABLE.* stage_/.test(name)).length;
  const again = await statementsOf(() => partner.sync({ Employes: [full('E-2')] }));
  expect([made(again), again.length > 10]).toEqual([0, true]);
  const none = { effets: 0, stage_employe_v2: 0, stage_emploi: 0, stage_membership: 0, stage_valeur: 0 };
  expect(await staged()).toMatchObject(none);
  await partner.sync({ Employes: [full('E-3')] }, '?simulation=true');
  const table = new StageTable('stage_failed', { n: 'integer' });
  const failing = app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
    await filled(table, [[1]]);
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await staged()).toMatchObject(none);
  expect((await partner.get('/b2b/v2/employe')) as unknown).toHaveLength(2);
});

it('stages of identifiers and times have no table for long values, which each commit would empty, too', async () => {
  await partner.sync({ Employes: [full('E-1')] });
  const longValues = await app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, () =>
    app.app.get(Transactions).value<Record<string, boolean>>(
      `SELECT json_object_agg(substring(relname FROM 'stage_(.*)_'), reltoastrelid <> 0) FROM pg_class
           WHERE relnamespace = pg_my_temp_schema() AND relname LIKE 'stage\\_%' AND relkind = 'r'`,
    ),
  );
  // The control: names and addresses may be long.
  expect(longValues).toMatchObject({ emploi: false, membership: false, employe_v2: true });
});

it('two definitions of a stage are two tables, because behind a pooler two releases use one connection', async () => {
  const [old, next] = [
    new StageTable('stage_test', { n: 'integer' }),
    new StageTable('stage_test', { n: 'integer', nom: 'text' }),
  ];
  await app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
    await filled(old, [[1]]);
    await filled(next, [[1, 'a']]);
    const { rows } = await app.app
      .get(Transactions)
      .client()
      .query(`SELECT * FROM ${old.name} JOIN ${next.name} USING (n)`);
    expect(rows).toEqual([{ n: 1, nom: 'a' }]);
  });
});

it('a stage has statistics of about as many rows as it holds', async () => {
  const table = new StageTable('stage_measured', { n: 'integer' });
  const expected: number[] = [];
  for (const count of [1, 2, 3, 40, 1_000, 5_000, 1]) {
    await app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
      await filled(
        table,
        Array.from({ length: count }, (_, n) => [n]),
      );
      const { rows } = await app.app
        .get(Transactions)
        .client()
        .query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
          `EXPLAIN (FORMAT JSON) SELECT * FROM ${table.name}`,
        );
      expected.push(rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'] / count);
    });
  }
  expect(expected.filter((ratio) => ratio < 0.2 || ratio > 5)).toEqual([]);
});

it.each([
  ['a few rows', 1],
  ['many rows', 150],
  ['a few rows of many bytes', 1, 'x'.repeat(70_000)],
])('a stage holds the values that were given: %s', async (_rows, times, long = '') => {
  const awkward = `\\ \\N \t \n \r \b \f \v " ' { } , 𝄞 œ é ${long}`;
  const longest = '😀'.repeat(255);
  const table = new StageTable('stage_of_values', {
    n: 'integer',
    text: 'text',
    one: 'identifier',
    other: 'identifier',
    third: 'identifier',
    fourth: 'identifier',
    yes: 'boolean',
    at: 'timestamptz',
  });
  const dates = ['0001-01-01T00:00:00.000Z', '2026-03-08T07:00:00.001Z', '9999-12-31T23:59:59.999Z'];
  const given = dates.map((date) => [
    ...[7, awkward, longest, longest, longest, longest, false, new Date(date)],
  ]) as StagedRow[];
  const without = [[8, null, undefined, '', 'a', 'b', null, undefined]] as StagedRow[];
  const rows = Array.from({ length: times }, () => [...given, ...without]).flat();
  const read = await app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
    await filled(table, rows);
    const text = `SELECT n, text, one, other, third, fourth, yes, at FROM ${table.name}`;
    return (await app.app.get(Transactions).client().query({ text, rowMode: 'array' })).rows;
  });
  const kept = (row: StagedRow): unknown[] => row.map((value) => value ?? null);
  expect(read).toEqual(rows.map(kept));
});

describe('the statements of small syncs', () => {
  /** Returns the prepared statements over stages of the connection. */
  const prepared = async (): Promise<{ name: string; uses: number; plans: number }[]> =>
    app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
      const { rows } = await app.app
        .get(Transactions)
        .client()
        .query<{ name: string; uses: number; plans: number }>(
          `SELECT name, (generic_plans + custom_plans)::int AS uses, custom_plans::int AS plans FROM pg_prepared_statements
           WHERE name LIKE 'staged_%' ORDER BY name`,
        );
      return rows;
    });

  it('are prepared once, whatever the records have, and planned a few times', async () => {
    const syncs = [
      ...[
        full('E-1'),
        full('E-2'),
        employee('E-3', { Emplois: [], Adhesions: [] }),
        employee('E-4', { Ville: null }),
      ],
      ...[
        employee('E-5', { Courriel: 'a@example.org' }),
        employee('E-6', { NoMembre: '7', Adresse1: 'rue' }),
      ],
    ];
    for (const employe of syncs.slice(0, 3)) await partner.sync({ Employes: [employe] });
    const before = await prepared();
    for (let round = 0; round < 6; round++)
      for (const employe of syncs) await partner.sync({ Employes: [{ ...employe, Prenom: `Zoé ${round}` }] });
    const after = await prepared();
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(Math.min(...after.map(({ uses }) => uses))).toBeGreaterThan(6);
    expect(Math.max(...after.map(({ plans }) => plans))).toBeLessThan(10);
  });

  it('are left out over stages without rows', async () => {
    await partner.sync({ Employes: [full('E-1')] });
    const before = await prepared();
    await partner.sync({ Employes: [employee('E-2', { Emplois: [job('J', 'R')], Adhesions: [] })] });
    const used = (await prepared())
      .filter(({ name, uses }) => before.some((one) => one.name === name && one.uses < uses))
      .map(({ name }) => name.split('_')[1]);
    const ofEmplois = ['employeurs', 'withoutEmployeur', 'emplois', 'omitted'];
    expect(new Set(used)).toEqual(new Set(['refused', 'employes', ...ofEmplois]));
  });

  it('control: many records prepare nothing, and their statements name only what all of them have', async () => {
    const before = await prepared();
    const many = (more: Record<string, unknown>) =>
      Array.from({ length: 120 }, (_, n) => employee(`M-${n}`, more));
    expect((await partner.sync({ Employes: many({}) })).status).toBe(200);
    expect(
      (await partner.sync({ Employes: many({ Ville: 'Québec', Courriel: 'a@example.org' }) })).status,
    ).toBe(200);
    expect((await prepared()).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  });
});

describe('statements in one round trip', () => {
  const named = (name: string, text: string, ...values: (string | number)[]) => ({ name, text, values });
  const two = [
    named('trip_one', 'SELECT $1::int AS one, $2::text AS text', 1, 'é'),
    named('trip_nothing', 'SELECT WHERE false'),
    named('trip_last', 'SELECT 10 / $1::int AS ten', 5),
  ];

  it.each(['when they are new', 'when the connection knows them'])(
    'have the rows of each: %s',
    async (when) => {
      await app.app.get(Transactions).run({ tenantId: partner.tenant.tenantId }, async () => {
        const client = app.app.get(Transactions).client();
        if (when === 'when the connection knows them') await inOneTrip(client, two);
        const results = await inOneTrip(client, two);
        expect(results.map(({ rows }) => rows)).toEqual([[{ one: 1, text: 'é' }], [], [{ ten: 2 }]]);
        expect(await inOneTrip(client, [])).toEqual([]);
        expect((await inOneTrip(client, two.slice(0, 1))).map(({ rows }) => rows)).toEqual([
          [{ one: 1, text: 'é' }],
        ]);
      });
    },
  );

  it('fail together: the later ones are left out, and the connection goes on', async () => {
    const transactions = app.app.get(Transactions);
    const failing = transactions.run({ tenantId: partner.tenant.tenantId }, async () => {
      const client = transactions.client();
      await inOneTrip(client, two);
      await inOneTrip(client, [named('trip_last', 'SELECT 10 / $1::int AS ten', 0), ...two]);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const after = await transactions.run({ tenantId: partner.tenant.tenantId }, () =>
      inOneTrip(transactions.client(), two),
    );
    expect(after[2]!.rows).toEqual([{ ten: 2 }]);
  });
});
