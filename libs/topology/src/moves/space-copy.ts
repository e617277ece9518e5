import { type Client, escapeLiteral } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serversOf } from '#platform/ops/database-servers';
import { PrimaryClient } from '../routing/primary';
import { ranOutOfTime } from '#platform/errors/sql-errors';
import { secureTenantTable } from '#platform/database/tenant-table';

/** A copy that another attempt would not make better. The message has no values of rows. */
export class CopyRefused extends Error {}

/** A table that has rows of data spaces. */
interface SpaceTable {
  /** Quoted name. */
  readonly name: string;
  /** Quoted names of its stored columns. */
  readonly columns: string;
  /** Stored columns as another server may have them. */
  readonly values: string;
}

/** Number and digest of the rows of a table. */
interface Digest {
  readonly count: string;
  readonly sum: string | null;
}

/** Rows between two reports of progress. */
const REPORT_ROWS = 10_000;

/**
 * Row-level security is forced on these tables and on no others. An id of a transaction means nothing to another server: 2
 * is the id that stands for a transaction that was committed long ago (`FrozenTransactionId`).
 */
const TABLES = `
  SELECT quote_ident(c.relname) AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns,
    string_agg(CASE WHEN a.atttypid = 'xid8'::regtype
      THEN format('CASE WHEN %1$I IS NOT NULL THEN ''2''::xid8 END', a.attname) ELSE quote_ident(a.attname) END,
      ', ' ORDER BY a.attnum) AS values
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relforcerowsecurity AND c.relname <> 'espace_ferme'
    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  GROUP BY c.oid ORDER BY c.relname`;

const PARTITIONS = `
  SELECT c.relname AS name, i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relispartition ORDER BY c.relname`;

interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly bound: string;
}

/**
 * Opens a connection that may copy data spaces.
 *
 * @throws CopyRefused if the login may not: it must be a superuser, or bypass row-level security, own the tables and be allowed to
 * set session_replication_role
 */
export async function connectForCopy(url: string): Promise<Client> {
  const client = new PrimaryClient({
    connectionString: serversOf(url).urls[0],
    databaseUrl: url,
    application_name: 'mandat deplacement',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    options:
      '-c timezone=UTC -c jit=off -c statement_timeout=0 -c tcp_user_timeout=25000 ' +
      // The locks of a mover whose machine is lost end within half a minute.
      '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
  });
  // A lost connection fails its next statement.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT (rolsuper OR rolbypassrls) AND has_parameter_privilege('session_replication_role', 'SET') AS may
     FROM pg_roles WHERE rolname = current_user`,
  );
  if (rows[0]!.may) return client;
  await client.end();
  throw new CopyRefused(
    'The login may not copy data spaces. Use the login of migrations, with BYPASSRLS and SET ON PARAMETER ' +
      'session_replication_role (docs/operations.md, "Moving a data space").',
  );
}

/** Number of rows of a data space. */
export async function countSpace(client: Client, tenantId: string): Promise<number> {
  let count = 0;
  for (const { name } of await tablesOf(client)) {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) AS count FROM ${name} WHERE tenant_id = $1`,
      [tenantId],
    );
    count += Number(rows[0]!.count);
  }
  return count;
}

/**
 * Copies all rows of a data space from the ambient snapshot of one database into the transaction of another one, and
 * compares them there. Triggers and foreign keys do not act: the rows are those that they have passed.
 *
 * @param until by `performance.now()`
 * @param onRows called with the number of rows that were copied
 * @throws CopyRefused if it takes longer, the copies differ, or the databases do not have the same tables
 */
export async function copySpace(
  from: Client,
  to: Client,
  tenantId: string,
  until: number,
  onRows: (count: number) => void,
): Promise<void> {
  const tables = await tablesOf(from);
  if (JSON.stringify(tables) !== JSON.stringify(await tablesOf(to)))
    throw new CopyRefused('The two databases have different tables: migrate both.');
  await makePartitions(from, to);
  await to.query(`SET LOCAL session_replication_role = 'replica'`);
  for (const table of tables) {
    await limit([from, to], until);
    await copyTable(from, to, table, tenantId, onRows).catch(refuseLate);
  }
  for (const table of tables) {
    await limit([from, to], until);
    const [there, here] = await Promise.all([digestOf(from, table, tenantId), digestOf(to, table, tenantId)]);
    if (there.count !== here.count || there.sum !== here.sum)
      throw new CopyRefused(`The copy of ${table.name} differs: ${here.count} of ${there.count} rows.`);
  }
}

/** Ends statements of both transactions at this time. */
async function limit(clients: readonly Client[], until: number): Promise<void> {
  const left = Math.ceil(until - performance.now());
  if (left <= 0) refuseLate({ code: '57014' });
  for (const client of clients) await client.query(`SET LOCAL statement_timeout = ${left}`);
}

function refuseLate(error: unknown): never {
  throw ranOutOfTime(error) ? new CopyRefused('The copy took too long, so nothing was moved.') : error;
}

/** Removes all rows of a data space, each table in a transaction of its own unless one is open. Safe to repeat. */
export async function removeSpace(client: Client, tenantId: string): Promise<void> {
  await client.query(`SET session_replication_role = 'replica'`);
  for (const { name } of await tablesOf(client))
    await client.query(`DELETE FROM ${name} WHERE tenant_id = $1`, [tenantId]);
  await client.query('RESET session_replication_role');
}

/** Refreshes the statistics of planning, which a large copy has outdated. */
export async function analyzeSpaces(client: Client): Promise<void> {
  for (const { name } of await tablesOf(client)) await client.query(`ANALYZE ${name}`);
}

async function tablesOf(client: Client): Promise<SpaceTable[]> {
  return (await client.query<SpaceTable>(TABLES)).rows;
}

/** Makes the partitions that only the first database has, because rows of earlier months belong into them. */
async function makePartitions(from: Client, to: Client): Promise<void> {
  const { rows: there } = await from.query<Partition>(PARTITIONS);
  const { rows: here } = await to.query<Partition>(PARTITIONS);
  const known = new Set(here.map(({ name }) => name));
  for (const { name, parent, bound } of there) {
    if (known.has(name)) continue;
    await to.query(`CREATE TABLE ${name} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    for (const statement of secureTenantTable(name, [])) await to.query(statement);
    await to.query(`ALTER TABLE ${parent} ATTACH PARTITION ${name} ${bound}`);
  }
}

async function copyTable(
  from: Client,
  to: Client,
  { name, columns, values }: SpaceTable,
  tenantId: string,
  onRows: (count: number) => void,
): Promise<void> {
  const rows = `SELECT ${values} FROM ${name} WHERE tenant_id = ${escapeLiteral(tenantId)}`;
  let waiting = 0;
  // COPY sends each row as one chunk or more, and ends each with a line feed, which no value contains in this form.
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) waiting += 1;
      if (waiting >= REPORT_ROWS) {
        onRows(waiting);
        waiting = 0;
      }
      done(undefined, chunk);
    },
  });
  await pipeline(
    from.query(copyTo(`COPY (${rows}) TO STDOUT`)),
    counter,
    to.query(copyFrom(`COPY ${name} (${columns}) FROM STDIN`)),
  );
  if (waiting > 0) onRows(waiting);
}

async function digestOf(client: Client, { name, values }: SpaceTable, tenantId: string): Promise<Digest> {
  const { rows } = await client.query<Digest>(
    `SELECT count(*)::text AS count, sum(hashtextextended(ROW(${values})::text, 0))::text AS sum
     FROM ${name} WHERE tenant_id = $1`,
    [tenantId],
  );
  return rows[0]!;
}
