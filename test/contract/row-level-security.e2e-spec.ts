import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Client, type Pool, type PoolClient } from 'pg';
import { createReadPool } from '../../libs/shared/src/database/connections';
import { cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { ACCESS_TABLES, describeSchema, staleExceptions, tenancyFaults } from './support/catalogue';
import { Rows } from './support/rows';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');
const ROLES = ['mandat_app', 'mandat_access'];
const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'];
const INSUFFICIENT_PRIVILEGE = { code: '42501' };

describe('The schema keeps data spaces apart', () => {
  let database: Client;

  beforeAll(async () => {
    database = new Client({ connectionString: await cloneTemplate() });
    await database.connect();
  });
  afterAll(() => database.end());

  it('every table of tenants has forced row-level security, and tenant_id first in every key and index', async () => {
    expect(await tenancyFaults(database)).toEqual([]);
    expect(await staleExceptions(database)).toEqual([]);
  });

  const secured = `ALTER TABLE broken ENABLE ROW LEVEL SECURITY; ALTER TABLE broken FORCE ROW LEVEL SECURITY;
    CREATE POLICY broken_tenant ON broken USING (tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid));`;
  const sound = `CREATE TABLE broken (tenant_id uuid NOT NULL, id uuid, other uuid, PRIMARY KEY (tenant_id, id)); ${secured}`;
  it.each<[fault: string, schema: string]>([
    [
      'table broken: row-level security is not forced',
      `${sound} ALTER TABLE broken NO FORCE ROW LEVEL SECURITY`,
    ],
    [
      'table broken: row-level security is not enabled',
      `${sound} ALTER TABLE broken DISABLE ROW LEVEL SECURITY`,
    ],
    [
      'table broken: no policy for all commands that holds to the own rows',
      `${sound} DROP POLICY broken_tenant ON broken`,
    ],
    [
      'policy broken_all: a policy that opens more than the own rows',
      `${sound} CREATE POLICY broken_all ON broken USING (true)`,
    ],
    [
      'constraint broken_pkey: a key that does not begin with tenant_id',
      `CREATE TABLE broken (id uuid PRIMARY KEY, tenant_id uuid NOT NULL); ${secured}`,
    ],
    [
      'constraint broken_other_key: a key that does not begin with tenant_id',
      `${sound} ALTER TABLE broken ADD UNIQUE (other)`,
    ],
    [
      'constraint broken_other_fkey: a key that does not begin with tenant_id',
      `${sound} ALTER TABLE broken ADD FOREIGN KEY (other) REFERENCES client (id)`,
    ],
    [
      'index broken_other_tenant_id_idx: an index that does not begin with tenant_id',
      `${sound} CREATE INDEX ON broken (other, tenant_id)`,
    ],
    [
      'index broken_lower_idx: an index that does not begin with tenant_id',
      `${sound} CREATE INDEX ON broken (lower(other::text))`,
    ],
    ['table broken: tenant_id can be null', `CREATE TABLE broken (tenant_id uuid, id uuid); ${secured}`],
    ['table broken: no primary key', `CREATE TABLE broken (tenant_id uuid, id uuid); ${secured}`],
    [
      'table broken: a table without tenant_id that is neither of administration nor technical',
      'CREATE TABLE broken (id uuid PRIMARY KEY)',
    ],
    [
      'table broken: mandat_app TRUNCATE: a privilege of the application that goes round row-level security',
      `${sound} GRANT TRUNCATE ON broken TO mandat_app`,
    ],
    [
      'view broken: a view that runs with the rights of its owner',
      'CREATE VIEW broken AS SELECT * FROM employe',
    ],
    [
      'view broken: a materialized view, which no policy guards',
      'CREATE MATERIALIZED VIEW broken AS SELECT * FROM employe',
    ],
    [
      'function broken: a function that runs with the rights of its owner',
      `CREATE FUNCTION broken() RETURNS bigint SECURITY DEFINER AS 'SELECT count(*) FROM employe' LANGUAGE sql`,
    ],
  ])('reports "%s"', async (fault, schema) => {
    await database.query('BEGIN');
    await database.query(schema);
    const faults = await tenancyFaults(database);
    await database.query('ROLLBACK');
    expect(faults).toContain(fault);
  });

  it('the roles of the processes own nothing, bypass nothing and belong to nothing', async () => {
    const { rows } = await database.query(
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
         (SELECT count(*)::int FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o') AS owned,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
         has_schema_privilege(r.oid, 'public', 'CREATE') AS creates
       FROM pg_roles r WHERE rolname = ANY ($1) ORDER BY rolname DESC`,
      [ROLES],
    );
    const harmless = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false };
    const nothing = { rolreplication: false, rolcanlogin: false, owned: 0, memberships: 0, creates: false };
    expect(rows).toEqual(ROLES.map((rolname) => ({ rolname, ...harmless, ...nothing })));
  });

  it('mandat_app has no privilege on the tables of administration, mandat_access none on what tenants own', async () => {
    const { tenantTables } = await Rows.of(database);
    expect(tenantTables).toEqual(
      expect.arrayContaining(['employe', 'employeur', 'objet_consentement', 'idempotency_record']),
    );
    const held = async (role: string, tables: readonly string[]): Promise<string[]> => {
      const { rows } = await database.query<{ held: string }>(
        `SELECT t || ' ' || p AS held FROM unnest($2::text[]) t, unnest($3::text[]) p
         WHERE has_table_privilege($1, t, p) OR p IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege($1, t, p)`,
        [role, tables, PRIVILEGES],
      );
      return rows.map((row) => row.held);
    };
    expect(await held('mandat_app', [...ACCESS_TABLES, 'migration'])).toEqual([]);
    // Administrators' own idempotency records are there, and the purge of expired ones.
    const tenants = tenantTables.filter((table) => table !== 'idempotency_record');
    expect(await held('mandat_access', [...tenants, 'migration'])).toEqual([]);
    // The query sees a privilege where there is one.
    expect(await held('mandat_access', ['cle'])).toEqual(['cle SELECT', 'cle INSERT', 'cle UPDATE']);
  });
});

describe("A connection like the application's", () => {
  let app: TestApp;
  let pool: Pool;
  let connection: PoolClient;
  let one: TestTenant;
  let other: TestTenant;

  beforeAll(async () => {
    app = await TestApp.start();
    one = await app.tenant();
    other = await app.tenant();
    for (const tenant of [one, other]) {
      await app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: tenant.tenantId });
    }
    pool = createReadPool(
      { url: app.config.databaseUrl, size: 1, applicationName: 'like the application' },
      () => undefined,
    );
  });
  afterAll(async () => {
    await pool.end();
    await app.stop();
  });
  beforeEach(async () => {
    connection = await pool.connect();
  });
  afterEach(() => connection.release());

  const enter = async ({ tenantId }: TestTenant): Promise<void> => {
    await connection.query('BEGIN');
    await connection.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
  };
  const names = async (): Promise<string[]> =>
    (await connection.query<{ nom: string }>('SELECT nom FROM employeur')).rows.map(({ nom }) => nom);

  it('is mandat_app, although the URL names a superuser, and reads no key', async () => {
    const { rows } = await connection.query('SELECT current_user, session_user = current_user AS same');
    expect(rows).toEqual([{ current_user: 'mandat_app', same: false }]);
    for (const table of ACCESS_TABLES) {
      await expect(connection.query(`SELECT 1 FROM ${table}`)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
    }
  });

  it('sees nothing before a tenant is set, its own rows while it is, and nothing after the transaction', async () => {
    expect(await names()).toEqual([]);
    for (const end of ['COMMIT', 'ROLLBACK']) {
      await enter(one);
      expect(await names()).toEqual([one.tenantId]);
      await connection.query(end);
      expect(await names()).toEqual([]);
    }
  });

  it('can neither read, change, remove nor make a row of another tenant', async () => {
    await enter(one);
    const foreign = [other.tenantId];
    expect((await connection.query('SELECT FROM employeur WHERE tenant_id = $1', foreign)).rowCount).toBe(0);
    expect(
      (await connection.query(`UPDATE employeur SET nom = 'x' WHERE tenant_id = $1`, foreign)).rowCount,
    ).toBe(0);
    expect((await connection.query('DELETE FROM employeur WHERE tenant_id = $1', foreign)).rowCount).toBe(0);
    for (const write of [
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, 'EMP-2', 'x')`,
      'UPDATE employeur SET tenant_id = $1',
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, 'EMP-1', 'x') ON CONFLICT (tenant_id, id_externe) DO UPDATE SET nom = 'x'`,
    ]) {
      await connection.query('SAVEPOINT attempt');
      await expect(connection.query(write, foreign)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
      await connection.query('ROLLBACK TO attempt');
    }
    await connection.query('COMMIT');
  });

  it('sees nothing with a tenant that does not exist, and is refused one that is no GUID', async () => {
    await connection.query('BEGIN');
    await connection.query(
      `SELECT set_config('app.tenant_id', '00000000-0000-0000-0000-000000000000', true)`,
    );
    expect(await names()).toEqual([]);
    await connection.query(`SELECT set_config('app.tenant_id', '%', true)`);
    await expect(names()).rejects.toMatchObject({ code: '22P02' });
    await connection.query('ROLLBACK');
  });
});

describe('npm run cli -- migrate-down, then migrate', () => {
  let url: string;
  let database: Client;

  beforeAll(async () => {
    url = await cloneTemplate();
    database = new Client({ connectionString: url });
    await database.connect();
  });
  afterAll(() => database.end());

  const run = (...command: string[]): string =>
    execFileSync(process.execPath, [CLI, ...command], {
      env: { ...process.env, DATABASE_URL: url },
      encoding: 'utf8',
    });

  it('takes everything away and makes the same schema again, with the built command', async () => {
    const before = await describeSchema(database);
    const { rows: migrations } = await database.query('SELECT FROM migration');

    expect(run('migrate-down', String(migrations.length))).toBe(`Undid ${migrations.length} migrations.\n`);
    const { rows: left } = await database.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'i' ORDER BY relname`,
    );
    expect(left).toEqual([{ relname: 'migration' }, { relname: 'migration_id_seq' }]);
    expect((await describeSchema(database)).filter((line) => line.includes('mandat_'))).toEqual([]);

    expect(run('migrate')).toMatch(/^Applied /);
    expect(await describeSchema(database)).toEqual(before);
    expect(run('migrate')).toBe('The schema is up to date.\n');
  });
});
