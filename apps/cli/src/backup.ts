import { rm } from 'node:fs/promises';
import { TRAILS } from '#platform/audit/journal.repository';
import { DatabaseProbe } from '#platform/database/probe';
import { Config, PRINCIPAL } from '#platform/ops/config';
import { ConfigError } from '#platform/ops/config-error';
import { CELLS_OF_SPACES } from '#topology';
import { CHECK_BOX, CLOSED_BOXES, RECOUNT_BOX } from '#voting';
import { Fault, Findings } from './findings';
import { assertMigrated, migrateUp } from './migrate';
import { ServiceContext } from './service-context';

/** Longest time of a statement, in ms. */
const ANSWER_MS = 3_600_000;

interface Box {
  readonly tenantId: string;
  readonly id: string;
  readonly isSealed: boolean;
}

/**
 * Checks a backup: restores it into an embedded server, brings the copy to this release, and checks audit trails, ballot boxes and
 * counts. Prints a line for each check. A fault sets exit code 1.
 *
 * @param path of the backup, see `restoredCopy`; if absent, DATABASE_URL names a restored database, with a superuser
 * @throws ConfigError if it is no backup that can be started, or is not of this service
 */
export async function verifyBackup(config: Config, path: string | undefined, json: boolean): Promise<void> {
  const findings = new Findings();
  if (path === undefined) await checkDatabase(config, config.databaseUrl, findings);
  else await onCopy(path, findings, (url) => checkDatabase(config, url, findings));
  findings.print(json);
}

/** Runs `work` on each database of the service in a restored copy, which is removed afterwards. */
async function onCopy(path: string, findings: Findings, work: (url: string) => Promise<void>): Promise<void> {
  // Loaded here because production images do not have it.
  const { restoredCopy, startEmbeddedPostgres } = await import('#embedded-postgres');
  const { dataDir, taken } = await restoredCopy(path);
  try {
    const server = await startEmbeddedPostgres({ dataDir, database: 'postgres' });
    try {
      const urls = await databasesOfService(server.url);
      if (urls.length === 0) throw new ConfigError(`${taken} has no database of this service.`);
      for (const url of urls) {
        const name = new URL(url).pathname.slice(1);
        await findings.check(`restore of ${name}`, async () => {
          const done = await migrateUp(url);
          return `${taken} starts${done.length > 0 ? `, and takes ${done.join(', ')}` : ''}`;
        });
        await work(url);
      }
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function databasesOfService(serverUrl: string): Promise<string[]> {
  const urlOf = (name: string): string => Object.assign(new URL(serverUrl), { pathname: name }).href;
  const names = await probing(serverUrl, (probe) => probe.databases());
  const found = await Promise.all(
    names.map((name) => probing(urlOf(name), (probe) => probe.hasTable('journal_tete'))),
  );
  return names.filter((_name, index) => found[index]).map(urlOf);
}

async function probing<T>(url: string, work: (probe: DatabaseProbe) => Promise<T>): Promise<T> {
  const probe = await DatabaseProbe.open(url, ANSWER_MS);
  try {
    return await work(probe);
  } finally {
    await probe.close();
  }
}

/** @param url with a superuser, because it reads the rows of all data spaces */
function checkDatabase(config: Config, url: string, findings: Findings): Promise<void> {
  return probing(url, async (probe) => {
    if (!(await findings.check('migrations', () => assertMigrated(probe)))) return;
    await findings.check('rows', async () => {
      const { tables, rows } = await probe.readAll();
      return `${rows} in ${tables} tables can be read`;
    });
    await findings.check('audit trails', () => trails(config, url, probe));
    const boxes = await probe.rows<Box>(CLOSED_BOXES);
    await findings.check('ballot boxes', () => compared(probe, boxes, CHECK_BOX));
    const sealed = boxes.filter(({ isSealed }) => isSealed);
    await findings.check('counts', () => compared(probe, sealed, RECOUNT_BOX));
  });
}

async function trails(config: Config, url: string, probe: DatabaseProbe): Promise<string> {
  const cells = await probe.rows<{ cellule: string }>(CELLS_OF_SPACES);
  // A directory names data spaces of other cells. Their trails are in the backups of these cells.
  const names = [PRINCIPAL, ...cells.map(({ cellule }) => cellule)];
  const restored = new Config({
    ...config,
    ...{ databaseUrl: url, production: false, logLevel: 'silent', standbys: new Map() },
    cells: new Map(names.map((name) => [name, url])),
  });
  const spaces = await probe.rows<{ space: string }>(TRAILS);
  return ServiceContext.use(restored, async ({ verification }) => {
    let entries = 0;
    for (const { space } of spaces) {
      const { faults, numero } = await verification.verify(space);
      if (faults.length > 0)
        throw new Fault(
          `the trail ${space} is not what was written: ${faults[0]}`,
          'Give the SECRETS_KEY of the time of the backup; if it is right, keep the backup, and compare with an earlier one.',
        );
      entries += numero;
    }
    return `${spaces.length} with ${entries} entries are whole`;
  });
}

async function compared(probe: DatabaseProbe, boxes: readonly Box[], statement: string): Promise<string> {
  for (const { tenantId, id } of boxes) {
    const [row] = await probe.rows<{ faults: string[] }>(statement, [tenantId, id]);
    if (row!.faults.length > 0)
      throw new Fault(
        `of the campaign ${id} do not agree: ${row!.faults.join(', ')}`,
        'Compare with an earlier backup: docs/operations.md, "A ballot box that cannot be sealed".',
      );
  }
  return `${boxes.length} agree`;
}
