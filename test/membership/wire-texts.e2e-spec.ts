import fc from 'fast-check';
import { EMPLOYE_FIELDS } from '../../libs/membership/src/domain/employe.fields';
import { EMPLOYEUR_FIELDS } from '../../libs/membership/src/domain/employeur.fields';
import { snakeCase } from '../../libs/platform/src/input/field';
import { depth } from '../setup/depth';
import { perFile } from '../setup/fixtures';
import { TestApp, type TestTenant } from '../setup/test-app';

/** Members that the database stores with a row, and the fields that they must show. */
const STORED = {
  employe: {
    columns: ['json_identite', 'json_coordonnees', 'json_lecture'],
    fields: EMPLOYE_FIELDS,
    // Their values come from other tables, so a list adds them.
    added: ['identifiantExterneEmployeur', 'valeursChampUtilisateur'],
  },
  employeur: { columns: ['json_identite', 'json_lecture'], fields: EMPLOYEUR_FIELDS, added: [] as string[] },
};
type Table = keyof typeof STORED;
type Row = Record<string, string | Date | null>;

/** Texts that JSON escapes, that have several bytes or code units, or that a client may mistake for markup. */
const TEXTS = [
  `"`,
  '\\',
  '\\"',
  '/',
  '\u2028',
  '\u007f',
  '\u0085',
  '<b>',
  '😀',
  'é',
  'n\u0303',
  '{"a":1}',
  "'",
  ' ',
];
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', '')),
);
const moment = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());
/** Times that end with zeros, which PostgreSQL omits by default. */
const time = fc.oneof(
  moment,
  fc.constantFrom('2026-11-26T00:00:00.000Z', '2026-02-28T23:59:59.900Z', '0001-01-01T00:00:00.120Z'),
);

const app = perFile(() => TestApp.start());
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await app.tenant();
});

const names = (table: Table): string[] =>
  Object.keys(STORED[table].fields).filter((name) => !STORED[table].added.includes(name));

/** Writes a row by SQL, and returns it as the columns have it and as its stored members show it. */
async function stored(table: Table, values: Record<string, unknown>): Promise<{ row: Row; shown: string }> {
  const columns = Object.keys(values);
  const { columns: members } = STORED[table];
  const { rows } = await app.database.query<Row & { shown: string }>(
    `INSERT INTO ${table} AS t (tenant_id, ${columns.join(', ')}) VALUES ($1, ${columns.map((_, n) => `$${n + 2}`).join(', ')})
     ON CONFLICT (tenant_id, id_externe) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
     RETURNING *, '{' || ${members.join(` || ',' || `)} || '}' AS shown`,
    [tenant.tenantId, ...Object.values(values)],
  );
  const { shown, ...row } = rows[0]!;
  return { row, shown };
}

/** Returns the columns as JSON.stringify writes them, in the order of the fields. */
function expected(table: Table, row: Row): string {
  return JSON.stringify(Object.fromEntries(names(table).map((name) => [name, row[snakeCase(name)]])));
}

describe.each(['employe', 'employeur'] as const)('The stored members of a row of %s', (table) => {
  const written = names(table).filter((name) => name !== 'idUnique');
  const columns = written.map(snakeCase);
  const isRequired = (name: string): boolean => ['prenom', 'nom'].includes(name);
  const record = fc.record(
    Object.fromEntries(
      written.map((name) => [
        snakeCase(name),
        name === 'idExterne'
          ? fc.constant('E-1')
          : ['derniereMAJ', 'dateCreation'].includes(name)
            ? time
            : isRequired(name)
              ? text
              : fc.option(text),
      ]),
    ),
  );

  it('are the columns, byte for byte, after an insert and each update', async () => {
    await fc.assert(
      fc.asyncProperty(record, async (values) => {
        const { row, shown } = await stored(table, values);
        expect(shown).toBe(expected(table, row));
      }),
      { numRuns: depth(100, 2_000) },
    );
  });

  it('change with each column alone', async () => {
    const plain = Object.fromEntries(columns.map((name) => [name, 'a']));
    const start = { ...plain, id_externe: 'E-2', derniere_maj: '2026-01-01', date_creation: '2026-01-01' };
    await stored(table, start);
    for (const column of columns) {
      const value = ['derniere_maj', 'date_creation'].includes(column)
        ? '2027-02-03T04:05:06.070Z'
        : `new ${column}`;
      const { rows } = await app.database.query<{ shown: string }>(
        `UPDATE ${table} SET ${column} = $2 WHERE tenant_id = $1 AND id_externe LIKE '%E-2' OR id_externe = 'new id_externe'
         RETURNING ${STORED[table].columns.join(` || ',' || `)} AS shown`,
        [tenant.tenantId, value],
      );
      expect(rows.map(({ shown }) => shown)).toEqual([expect.stringContaining(value)]);
    }
  });

  // Otherwise the comparison could pass with members that miss a field, or have them in another order.
  it('have all fields, in the order of the answers', async () => {
    const { json } = await app.send(tenant, 'GET', `/b2b/v1/${table}?limite=1`);
    const [first] = json as unknown as Record<string, unknown>[];
    expect(Object.keys(first!)).toEqual(Object.keys(STORED[table].fields));
  });
});
