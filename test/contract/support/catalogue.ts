import type { Client } from 'pg';

/** Tables of administration: mandat_access alone reads them. */
export const ACCESS_TABLES = ['client', 'tenant', 'cle', 'rate_window'];

/** Tables of nobody's data. */
const TECHNICAL_TABLES = ['migration'];

/** The one condition under which a row of a tenant is seen and written. */
const OWN_ROWS = `(tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif"))`;

/** What does not begin with tenant_id, or opens more than the own rows, and why it may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'index idempotency_record_date_creation':
    'the purge removes the expired records of all tenants in one statement',
  'policy idempotency_record_purge': 'lets that purge, and the purge only, reach expired records',
};

/** Each query answers `what` is wrong and the `name` of the object that has it. */
const RULES: Readonly<Record<string, string>> = {
  'a table without tenant_id that is neither of administration nor technical': `
    SELECT 'table ' || relname AS name FROM tables WHERE NOT is_tenant AND relname <> ALL ($1::text[] || $2::text[])`,
  'row-level security is not enabled': `
    SELECT 'table ' || relname AS name FROM tables WHERE is_tenant AND NOT relrowsecurity`,
  'row-level security is not forced': `
    SELECT 'table ' || relname AS name FROM tables WHERE is_tenant AND NOT relforcerowsecurity`,
  'no policy for all commands that holds to the own rows': `
    SELECT 'table ' || relname AS name FROM tables t WHERE is_tenant AND NOT EXISTS (
      SELECT FROM policies p WHERE p.relname = t.relname AND p.own_rows AND p.polcmd = '*')`,
  'a policy that opens more than the own rows': `
    SELECT 'policy ' || polname AS name FROM policies WHERE polpermissive AND NOT own_rows`,
  'tenant_id can be null': `
    SELECT 'table ' || t.relname AS name FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'
    WHERE is_tenant AND NOT a.attnotnull`,
  'no primary key': `
    SELECT 'table ' || relname AS name FROM tables t
    WHERE is_tenant AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'p')`,
  'a key that does not begin with tenant_id': `
    SELECT 'constraint ' || conname AS name FROM pg_constraint c JOIN tables t ON t.oid = c.conrelid
    WHERE is_tenant AND contype IN ('p', 'u', 'f', 'x') AND (
      column_name(c.conrelid, c.conkey[1]) <> 'tenant_id'
      OR contype = 'f' AND column_name(c.confrelid, c.confkey[1]) <> 'tenant_id')`,
  'an index that does not begin with tenant_id': `
    SELECT 'index ' || i.indexrelid::regclass AS name FROM pg_index i JOIN tables t ON t.oid = i.indrelid
    WHERE is_tenant AND coalesce(column_name(i.indrelid, i.indkey[0]), '') <> 'tenant_id'`,
  'a privilege of the application that goes round row-level security': `
    SELECT 'table ' || relname || ': ' || role || ' ' || privilege AS name
    FROM tables, unnest(ARRAY['mandat_app', 'mandat_access']) role,
      unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) privilege
    WHERE has_table_privilege(role, tables.oid, privilege)`,
  'a view that runs with the rights of its owner': `
    SELECT 'view ' || relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'v' AND NOT coalesce(reloptions @> '{security_invoker=true}', false)`,
  'a materialized view, which no policy guards': `
    SELECT 'view ' || relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'm'`,
  'a function that runs with the rights of its owner': `
    SELECT 'function ' || proname AS name FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prosecdef`,
};

const CATALOGUE = `
  WITH tables AS (
    SELECT c.oid, relname, relrowsecurity, relforcerowsecurity, relname <> ALL ($1::text[]) AND EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    ) AS is_tenant
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE relkind IN ('r', 'p', 'f') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
  ), policies AS (
    SELECT relname, polname, polcmd, polpermissive,
      coalesce(pg_get_expr(polqual, polrelid), $3) = $3 AND coalesce(pg_get_expr(polwithcheck, polrelid), $3) = $3
        AND (polqual IS NOT NULL OR polcmd = 'a') AS own_rows
    FROM pg_policy p JOIN tables t ON t.oid = p.polrelid
  )`;

/** Every place where the schema breaks a rule of tenancy (design, "Schema rules"), as a sentence each. */
export async function tenancyFaults(database: Client): Promise<string[]> {
  const faults: string[] = [];
  for (const [rule, query] of Object.entries(RULES)) {
    const text = `${CATALOGUE} SELECT name FROM (${query}) broken, (SELECT $1::text[], $2::text[], $3::text) used ORDER BY name`;
    const plain = text.replaceAll(/column_name\(([\w.]+), ([\w.[\]]+)\)/g, COLUMN_NAME);
    const { rows } = await database.query<{ name: string }>(plain, [
      ACCESS_TABLES,
      TECHNICAL_TABLES,
      OWN_ROWS,
    ]);
    for (const { name } of rows) if (!(name in EXCEPTIONS)) faults.push(`${name}: ${rule}`);
  }
  return faults;
}

const COLUMN_NAME = '(SELECT attname FROM pg_attribute WHERE attrelid = $1 AND attnum = $2)';

/** Exceptions that nothing needs any longer. */
export async function staleExceptions(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT 'index ' || relname AS name FROM pg_class WHERE relkind = 'i' UNION SELECT 'policy ' || polname FROM pg_policy`,
  );
  const known = new Set(rows.map(({ name }) => name));
  return Object.keys(EXCEPTIONS).filter((name) => !known.has(name));
}

/** The schema as one list of lines, the same for the same schema. */
export async function describeSchema(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ line: string }>(`
    WITH objects AS (
      SELECT oid, relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions, relacl, relowner
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
    )
    SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions::text,
      relowner::regrole, (SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(relacl) acl)) AS line FROM objects
    UNION ALL
    SELECT concat_ws(' ', 'column', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attgenerated, attcollation::regcollation, attacl::text, pg_get_expr(adbin, adrelid))
    FROM objects o JOIN pg_attribute a ON a.attrelid = o.oid AND attnum > 0
      LEFT JOIN pg_attrdef d ON d.adrelid = o.oid AND d.adnum = a.attnum
    UNION ALL
    SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN objects o ON o.oid = conrelid
    UNION ALL
    SELECT concat_ws(' ', 'index', indisvalid, pg_get_indexdef(indexrelid)) FROM pg_index i JOIN objects o ON o.oid = indrelid
    UNION ALL
    SELECT concat_ws(' ', 'policy', polrelid::regclass, polname, polcmd, polpermissive, polroles::regrole[]::text,
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    FROM pg_policy p JOIN objects o ON o.oid = polrelid
    UNION ALL
    SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN objects o ON o.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', 'function', pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
    UNION ALL
    SELECT concat_ws(' ', 'schema', nspname, (SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(nspacl) acl))
    FROM pg_namespace WHERE nspname = 'public'
    ORDER BY line`);
  return rows.map(({ line }) => line);
}
