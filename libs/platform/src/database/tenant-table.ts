import { APP_ROLE } from './roles';

/**
 * Returns the statements that put a table under row-level security: forced, because it must hold for its owner too, and
 * granted to the application's role. The sub-select makes PostgreSQL read the setting once a statement instead of once
 * a row; the nullif turns the '' that a finished SET LOCAL leaves behind into "no tenant".
 *
 * Plans for any tenant expect a table to have one only: where most tenants have one row, PostgreSQL would expect one row
 * of each, and go through all rows of a large one again and again (docs/adr/0011).
 */
export function secureTenantTable(table: string, roles: readonly string[] = [APP_ROLE]): string[] {
  const own = `tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid)`;
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} ALTER COLUMN tenant_id SET (n_distinct = 1)`,
    `CREATE POLICY ${table}_tenant ON ${table} USING (${own}) WITH CHECK (${own})`,
    ...(roles.length > 0 ? [`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${roles.join(', ')}`] : []),
  ];
}
