import { Client } from 'pg';
import { ACCESS_TABLES } from '../contract/support/catalogue';
import { cloneTemplate } from '../setup/test-app';

/**
 * Tables that hold rows of a tenant, and what would keep an engine from spreading them by tenant_id (docs/citus.md). The
 * feed of changes is left out: it needs triggers and partitions (docs/adr/0034).
 */
const OBSTACLES = `
  WITH tables AS (
    SELECT c.oid AS id, c.oid::regclass::text AS name, relkind, a.attnum, a.atttypid FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1::text[])
      AND relname NOT LIKE 'changement%'
  )
  SELECT name || ': tenant_id is a ' || format_type(atttypid, -1) AS obstacle FROM tables WHERE atttypid <> 'uuid'::regtype
  UNION ALL SELECT name || ': is partitioned' FROM tables WHERE relkind = 'p'
  UNION ALL SELECT name || ': has or is a child' FROM tables JOIN pg_inherits ON id IN (inhrelid, inhparent)
  UNION ALL SELECT name || ': trigger ' || tgname FROM tables JOIN pg_trigger ON tgrelid = id WHERE NOT tgisinternal
    AND tgname NOT LIKE 'changement%'
  UNION ALL SELECT name || ': rule ' || rulename FROM tables JOIN pg_rewrite ON ev_class = id
  UNION ALL SELECT name || ': exclusion ' || conname FROM tables t JOIN pg_constraint ON conrelid = t.id WHERE contype = 'x'
  UNION ALL SELECT name || ': numbers of ' || attname FROM tables t JOIN pg_attribute a ON attrelid = t.id
    LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = a.attnum
    WHERE attidentity <> '' OR pg_get_expr(adbin, adrelid) LIKE 'nextval(%'
  UNION ALL SELECT name || ': ' || conname || ' leads out of the tenants' FROM tables t JOIN pg_constraint ON conrelid = t.id
    WHERE contype = 'f' AND confrelid NOT IN (SELECT id FROM tables)
  UNION ALL SELECT name || ': ' || conname || ' joins tenants in another place' FROM tables t JOIN pg_constraint c ON conrelid = t.id
    WHERE contype = 'f' AND confrelid IN (SELECT id FROM tables)
      AND array_position(conkey, t.attnum) IS DISTINCT FROM array_position(confkey, (SELECT attnum FROM tables WHERE id = confrelid))
  UNION ALL SELECT name || ': ' || conname || ' writes tenant_id' FROM tables t JOIN pg_constraint ON conrelid = t.id
    WHERE contype = 'f' AND (confupdtype NOT IN ('a', 'r')
      OR confdeltype IN ('n', 'd') AND (confdelsetcols IS NULL OR t.attnum = ANY (confdelsetcols)))
  ORDER BY 1`;

const CHILD = 'CREATE TABLE broken (tenant_id uuid NOT NULL, id uuid, PRIMARY KEY (tenant_id, id)';
const SUPPRESS = 'EXECUTE FUNCTION suppress_redundant_updates_trigger()';

describe('Tables of tenants', () => {
  let database: Client;

  beforeAll(async () => {
    database = new Client({ connectionString: await cloneTemplate() });
    await database.connect();
  });
  afterAll(() => database.end());

  async function obstacles(): Promise<string[]> {
    const { rows } = await database.query<{ obstacle: string }>(OBSTACLES, [ACCESS_TABLES]);
    return rows.map(({ obstacle }) => obstacle);
  }

  it('have nothing that keeps them from being spread over machines by tenant', async () => {
    expect(await obstacles()).toEqual([]);
  });

  const fkey = (definition: string): string =>
    `${CHILD}, CONSTRAINT broken_id_fkey FOREIGN KEY ${definition})`;
  it.each<[obstacle: string, schema: string]>([
    ['tenant_id is a text', 'CREATE TABLE broken (tenant_id text PRIMARY KEY)'],
    ['is partitioned', 'CREATE TABLE broken (tenant_id uuid PRIMARY KEY) PARTITION BY HASH (tenant_id)'],
    ['has or is a child', 'CREATE TABLE broken () INHERITS (reglage)'],
    ['trigger late', `${CHILD}); CREATE TRIGGER late BEFORE UPDATE ON broken ${SUPPRESS}`],
    ['rule quiet', `${CHILD}); CREATE RULE quiet AS ON DELETE TO broken DO INSTEAD NOTHING`],
    [
      'exclusion broken_id_excl',
      `CREATE EXTENSION btree_gist;
       ${CHILD}, CONSTRAINT broken_id_excl EXCLUDE USING gist (tenant_id WITH =, id WITH =))`,
    ],
    ['numbers of n', `${CHILD}, n bigint GENERATED ALWAYS AS IDENTITY)`],
    ['numbers of n', `${CHILD}, n bigserial)`],
    [
      'broken_client_fkey leads out of the tenants',
      `${CHILD}, client uuid CONSTRAINT broken_client_fkey REFERENCES client)`,
    ],
    [
      'broken_id_fkey joins tenants in another place',
      fkey('(id, tenant_id) REFERENCES campagne (tenant_id, id_unique)'),
    ],
    ['broken_id_fkey writes tenant_id', fkey('(tenant_id, id) REFERENCES campagne ON DELETE SET NULL')],
    ['broken_id_fkey writes tenant_id', fkey('(tenant_id, id) REFERENCES campagne ON UPDATE CASCADE')],
  ])('are reported for "%s"', async (obstacle, schema) => {
    await database.query('BEGIN');
    try {
      await database.query(schema);
      expect(await obstacles()).toContain(`broken: ${obstacle}`);
    } finally {
      await database.query('ROLLBACK');
    }
  });
});
