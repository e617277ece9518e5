import { Client, type QueryConfig } from 'pg';
import { TABLES } from '../boundaries/tables';
import { type Config, PRINCIPAL } from '../../libs/platform/src/ops/config';
import { NO_TENANT } from '../../libs/platform/src/database/scope';
import { asService } from './service-login';

/** The cell of all data spaces with TEST_CELLS=2. */
const NORD = 'nord';

/** The database on the second server that has the data spaces of this directory; with one server the directory itself. */
export function dataUrlOf(databaseUrl: string): string {
  const second = process.env.TEST_CELL_URL;
  const url = URL.parse(databaseUrl);
  if (!second || !url?.pathname.startsWith('/mandat_test_')) return databaseUrl;
  return new URL(url.pathname, second).href;
}

/** The cells of a directory that the tests have made. */
export function testCells(databaseUrl: string): Map<string, string> {
  const dataUrl = dataUrlOf(databaseUrl);
  return new Map([[dataUrl === databaseUrl ? PRINCIPAL : NORD, dataUrl]]);
}

/** The variables that give a process the cells and standbys of its DATABASE_URL. @param dataUrl another way to the data spaces */
export function cellVariables(
  { DATABASE_URL, CELLS }: Record<string, string>,
  dataUrl = DATABASE_URL && dataUrlOf(DATABASE_URL),
): Record<string, string> {
  if (CELLS !== undefined || !dataUrl) return {};
  const standby = standbyOf(dataUrl);
  if (dataUrl === DATABASE_URL) return standby ? { DATABASE_READ_URLS: standby } : {};
  return {
    CELLS: `${NORD}=${asService(dataUrl)}`,
    WORKER_CELL: NORD,
    ...(standby ? { CELLS_READ: `${NORD}=${standby}` } : {}),
  };
}

/** Returns the same database on the standby of TEST_READS=1; undefined for databases that it does not have. */
function standbyOf(databaseUrl: string): string | undefined {
  const standby = process.env.TEST_STANDBY_URL;
  const primary = process.env.TEST_CELL_URL ?? process.env.TEST_DATABASE_URL!;
  const url = URL.parse(databaseUrl);
  if (!standby || url?.host !== new URL(primary).host) return undefined;
  return asService(new URL(url.pathname, standby).href);
}

/** The standbys of databases, in the form of `Config`. */
export function testStandbys(databaseUrls: Iterable<string>): Map<string, readonly string[]> {
  return new Map(
    [...databaseUrls].flatMap((url) => {
      const standby = standbyOf(url);
      return standby ? [[url, [standby]] as const] : [];
    }),
  );
}

/** A superuser's connection to a directory and its data spaces, if the test did not give it other cells. */
export function superuserOf({ databaseUrl, cells }: Config): Client {
  const dataUrl = dataUrlOf(databaseUrl);
  const isDivided = dataUrl !== databaseUrl && [...cells.values()].includes(dataUrl);
  return isDivided ? new TwoServers(databaseUrl, dataUrl) : new SharedClient(databaseUrl);
}

/** `query` of `pg`, which has several signatures. */
type Send = (...query: unknown[]) => Promise<unknown>;

const isStream = ([first]: unknown[]): boolean =>
  typeof (first as { submit?: unknown }).submit === 'function';

/** A connection that callbacks of a test share. Each statement waits for the one before, because `pg` 9 keeps no queue. */
export class SharedClient extends Client {
  private last: Promise<unknown> = Promise.resolve();

  constructor(connectionString: string) {
    super({ connectionString });
    const send = this.query.bind(this) as Send;
    const queue: Send = (...query) => {
      const next = (): Promise<unknown> => send(...query);
      return (this.last = this.last.then(next, next));
    };
    Object.assign(this, { query: (...query: unknown[]) => (isStream(query) ? send : queue)(...query) });
  }
}

/** Tables of the directory, which are empty in other databases. */
const OF_DIRECTORY: readonly string[] = [
  'client',
  'tenant',
  'cle',
  'etat_annuaire',
  'cle_dossier',
  'rate_window',
  'deplacement',
  'verification_journal',
];
/** Tables with rows of administration, which are in the directory. */
const OF_BOTH: readonly string[] = ['idempotency_record', 'journal', 'journal_tete'];
const OF_DATA_SPACES = Object.values(TABLES)
  .flat()
  .filter((table) => !OF_DIRECTORY.includes(table) && !OF_BOTH.includes(table));

export const isOfDirectory = (table: string): boolean => OF_DIRECTORY.includes(table);

/** Matches a statement that names one of the tables. */
const naming = (tables: readonly string[]): RegExp =>
  new RegExp(
    String.raw`\b(?:from|update|into|join|table|on)\s+(?:(?:public|watch)\.)?"?(?:${tables.join('|')})\b`,
    'i',
  );
export const ofDirectory = naming(OF_DIRECTORY);
export const ofDataSpaces = naming(OF_DATA_SPACES);
export const ofBoth = naming(OF_BOTH);
const BOTH =
  /^\s*(begin|commit|rollback|savepoint|release|set|reset|create (schema|sequence|function) watch)\b/i;

/**
 * Sends a statement about tables of the directory alone to the directory, and others to the data spaces. Both have trails and
 * recorded responses: those of a client as a whole and of administrators are in the directory.
 */
class TwoServers extends SharedClient {
  private readonly directory: Client;

  constructor(databaseUrl: string, dataUrl: string) {
    super(dataUrl);
    this.directory = new SharedClient(databaseUrl);
    const send = this.query.bind(this) as Send;
    const route = async (statement: string | QueryConfig, values?: unknown[]): Promise<unknown> => {
      const text = typeof statement === 'string' ? statement : statement.text;
      if (BOTH.test(text)) await this.directory.query(text);
      else if (ofDirectory.test(text) && !ofDataSpaces.test(text))
        return this.directory.query(statement, values);
      const given = values ?? (typeof statement === 'string' ? [] : (statement.values ?? []));
      if (ofBoth.test(text) && (await this.isAdministration(given)))
        return this.directory.query(statement, values);
      return send(statement, values);
    };
    Object.assign(this, {
      query: (...query: unknown[]) =>
        isStream(query) ? send(...query) : route(query[0] as string, query[1] as unknown[]),
      connect: async () => {
        await this.directory.connect();
        await super.connect();
      },
      end: async () => {
        await this.directory.end();
        await super.end();
      },
    });
  }

  private async isAdministration(values: readonly unknown[]): Promise<boolean> {
    if (values.includes(NO_TENANT)) return true;
    const { rowCount } = await this.directory.query('SELECT FROM client WHERE id::text = ANY ($1)', [
      values.flat().filter((value) => typeof value === 'string' && value.length === 36),
    ]);
    return rowCount! > 0;
  }
}
