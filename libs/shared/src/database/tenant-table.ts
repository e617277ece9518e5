import { APP_ROLE } from './connections';

/**
 * The statements that put a table under row-level security: forced, so that not even its owner sees past it, and
 * granted to the application's role. The sub-select makes PostgreSQL read the setting once a statement instead of once
 * a row; the nullif turns the '' that a finished SET LOCAL leaves behind into "no tenant".
 */
export function secureTenantTable(table: string, roles: readonly string[] = [APP_ROLE]): string[] {
  const own = `tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid)`;
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY ${table}_tenant ON ${table} USING (${own}) WITH CHECK (${own})`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${roles.join(', ')}`,
  ];
}
