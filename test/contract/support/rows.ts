import type { Client } from 'pg';
import { isOfDirectory } from '../../setup/two-cells';

type Row = Record<string, unknown>;

/** The number of statements that have written a table. */
interface Counted {
  readonly name: string;
  readonly writes: string;
}

/** Columns of a table, as lists for statements. */
interface Columns {
  readonly writable: string;
  /** Columns of the primary key; null without one. */
  readonly key: string | null;
}

/** Every row of every table, by table. */
export type Snapshot = ReadonlyMap<string, readonly Row[]>;

/** A tenant and its client, which own rows. */
interface Owner {
  readonly tenantId: string;
  readonly clientId: string;
}

/** Tables without rows of tenants: migrations, the state of the directory, request counts, what moves of data spaces need, positions of the log, running work,
 * and when trails were verified. Clocks are apart because production has none. */
const APART = [
  'migration',
  'etat_annuaire',
  'rate_window',
  'deplacement',
  'espace_ferme',
  'horloge_essai',
  'derniere_ecriture',
  'travail_en_cours',
  'verification_journal',
];

/** Reads, compares and restores all rows of a database through a superuser's connection. */
export class Rows {
  /** Caches rows by their text, because the same text then gives the same objects and comparing them is cheap. */
  private readonly known = new Map<string, readonly Row[]>();
  /** The rows of the last read, and the write count of each table at that time. */
  private readonly last = new Map<string, readonly Row[]>();
  private readonly writes = new Map<string, string>();

  private constructor(
    private readonly database: Client,
    private readonly columns: ReadonlyMap<string, Columns>,
    /** Tables that had row-level security when the test began. */
    readonly tenantTables: readonly string[],
  ) {}

  static async of(database: Client): Promise<Rows> {
    const { rows } = await database.query<Columns & { name: string; secured: boolean }>(
      `SELECT c.relname AS name, c.relrowsecurity AS secured,
         string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS writable,
         string_agg(quote_ident(a.attname), ', ') FILTER (WHERE a.attnum = ANY (
           SELECT unnest(conkey) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p')) AS key
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.relname <> ALL ($1)
       GROUP BY c.oid`,
      [APART],
    );
    const secured = rows.filter((row) => row.secured).map((row) => row.name);
    await watch(
      database,
      rows.map((row) => row.name),
    );
    return new Rows(database, new Map(rows.map((row) => [row.name, row])), secured);
  }

  /** Reads the tables that were written since the last read, and returns the cached rows of the others. */
  async read(): Promise<Snapshot> {
    const count = (table: string): string =>
      `SELECT '${table}' AS name, last_value::text AS writes FROM watch.${table}`;
    const counted: Counted[] = [];
    const all = [...this.columns.keys()];
    for (const tables of [all.filter(isOfDirectory), all.filter((table) => !isOfDirectory(table))])
      counted.push(
        // With a name, because to parse and plan it takes longer than to run it.
        ...(
          await this.database.query<Counted>({
            name: `writes of ${tables[0]}`,
            text: tables.map(count).join(' UNION ALL '),
          })
        ).rows,
      );
    for (const { name, writes } of counted) {
      if (this.writes.get(name) === writes) continue;
      // Not jsonb, which would reorder the keys of stored JSON texts.
      const table = await this.database.query<{ text: string }>({
        name: `rows of ${name}`,
        text: `SELECT coalesce(json_agg(t ORDER BY t::text), '[]')::text AS text FROM ${name} t`,
      });
      this.last.set(name, this.rowsIn(table.rows[0]!.text));
      this.writes.set(name, writes);
    }
    return new Map(this.last);
  }

  private rowsIn(text: string): readonly Row[] {
    const rows = this.known.get(text) ?? (JSON.parse(text) as Row[]);
    this.known.set(text, rows);
    return rows;
  }

  /** Restores every table to a snapshot, given the current one. */
  async restore(snapshot: Snapshot, now: Snapshot): Promise<void> {
    const changed = [...this.columns].filter(([table]) => !same(now.get(table), snapshot.get(table)));
    if (changed.length === 0) return;
    await this.withoutForeignKeys(async () => {
      for (const [table, { writable, key }] of changed) {
        const wanted = snapshot.get(table)!;
        const { extra, missing } = differences(wanted, now.get(table)!);
        const rows = `json_populate_recordset(NULL::${table}, $1)`;
        const insert = `INSERT INTO ${table} (${writable}) OVERRIDING SYSTEM VALUE SELECT ${writable} FROM ${rows}`;
        if (key === null) {
          await this.database.query(`DELETE FROM ${table}`);
          await this.database.query(insert, [JSON.stringify(wanted)]);
        } else {
          // Only the rows that differ: the trail of a walk has hundreds, and most requests add one.
          const remove = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${rows})`;
          if (extra.length > 0) await this.database.query(remove, [JSON.stringify(extra)]);
          if (missing.length > 0) await this.database.query(insert, [JSON.stringify(missing)]);
        }
        this.last.set(table, wanted);
      }
    });
  }

  /** Deletes a tenant, its keys and its client. */
  async remove({ tenantId, clientId }: Owner): Promise<void> {
    this.writes.clear();
    await this.withoutForeignKeys(async () => {
      for (const table of [...this.tenantTables, 'cle']) {
        await this.database.query(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenantId]);
      }
      await this.database.query('DELETE FROM tenant WHERE id = $1', [tenantId]);
      await this.database.query('DELETE FROM client WHERE id = $1', [clientId]);
    });
  }

  /** Disables row-level security for the tests without it. */
  async disableSecurity(): Promise<void> {
    for (const table of this.tenantTables) {
      await this.database.query(
        `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY`,
      );
    }
  }

  private async withoutForeignKeys(work: () => Promise<void>): Promise<void> {
    await this.database.query('BEGIN');
    await this.database.query('SET LOCAL session_replication_role = replica');
    await work();
    await this.database.query('COMMIT');
  }
}

/** Returns the rows to remove and those to add, of a table whose rows differ. */
function differences(wanted: readonly Row[], present: readonly Row[]): { extra: Row[]; missing: Row[] } {
  const textOf = (row: Row): string => JSON.stringify(row);
  const [wantedTexts, presentTexts] = [wanted, present].map((rows) => new Set(rows.map(textOf)));
  return {
    extra: present.filter((row) => !wantedTexts!.has(textOf(row))),
    missing: wanted.filter((row) => !presentTexts!.has(textOf(row))),
  };
}

/** Counts the statements that write each table in `watch.<table>`, including statements that are rolled back. */
async function watch(database: Client, tables: readonly string[]): Promise<void> {
  await database.query(`CREATE SCHEMA watch`);
  await database.query(
    `CREATE FUNCTION watch.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
     AS $$ BEGIN PERFORM nextval(format('watch.%I', TG_TABLE_NAME)); RETURN NULL; END $$`,
  );
  for (const table of tables) {
    // Starts at 0 because otherwise the first write would not change the counter.
    await database.query(`CREATE SEQUENCE watch.${table} MINVALUE 0`);
    await database.query(`SELECT nextval('watch.${table}')`);
    await database.query(
      `CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION watch.note()`,
    );
  }
}

/** Returns the rows of a snapshot that belong to a tenant: its own, and those of administration about it. */
export function rowsOf(space: Owner, snapshot: Snapshot): Snapshot {
  const belongs = (table: string, row: Row): boolean => {
    if (table === 'client') return row.id === space.clientId;
    if (table === 'tenant') return row.id === space.tenantId;
    return row.tenant_id === space.tenantId;
  };
  return new Map([...snapshot].map(([table, rows]) => [table, rows.filter((row) => belongs(table, row))]));
}

/** Texts that are not secret: rows of any tenant may contain them. */
const COMMON = /^(production|staging|\d{4}-\d\d-\d\d.*)$/;

/** Returns the texts in rows that identify a tenant. */
export function textsOf(snapshot: Snapshot): Set<string> {
  const texts = stringsIn([...snapshot.values()]).map(shown);
  return new Set(texts.filter((text) => text.length >= 6 && !COMMON.test(text)));
}

/** Returns bytes in the form in which a response shows them. */
function shown(text: string): string {
  return /^\\x(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text.slice(2), 'hex').toString('base64') : text;
}

/** Returns every text in a value, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

export function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
