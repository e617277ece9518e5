import { readFileSync } from 'node:fs';
import { isUUID } from 'class-validator';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { NO_TENANT } from '#platform/database/scope';
import { DomainError } from '#platform/errors/domain-error';
import { ConfigError } from '#platform/ops/config-error';
import { type Config, PRINCIPAL } from '#platform/ops/config';
import { workerCellsOf } from '#platform/ops/load-config';
import { connectionsOfProcesses } from '#topology';
import { ServiceContext } from './service-context';

const ENVIRONMENTS = ['production', 'staging'] as const satisfies readonly Environment[];

/** A line of JSON that an operator has noted outside the database since the restored moment. */
export type Noted =
  | { readonly revoquer: { readonly client: string; readonly cle: string } }
  | {
      readonly effacer: {
        readonly client: string;
        readonly environnement: Environment;
        readonly idExterne: string;
        readonly supprime?: boolean;
      };
    };

/** An audit trail of a client in a restored database; its environment is null for the client as a whole. */
interface Space {
  readonly client: string;
  readonly environnement: Environment | null;
  readonly space: string;
}

/**
 * Does what restored databases need before a process starts on it (docs/operations.md, "Backup and restore"): ends the
 * recipients of emails, revokes keys and erases persons again, and notes the restore in every audit trail. Prints a line of
 * JSON for each of these, and for each thing that is left to people. Safe to repeat.
 *
 * @param moment the restored moment, in ISO 8601 with its zone
 * @param file lines of `Noted`
 * @param cell the restored cell; all databases if absent
 * @throws ConfigError for wrong arguments, running processes, or another SECRETS_KEY than the trails have; nothing is
 * changed then
 */
export async function afterRestore(
  config: Config,
  moment: string | undefined,
  file: string | undefined,
  cell: string | undefined,
): Promise<void> {
  const at = momentOf(moment);
  const noted = file === undefined ? [] : notedIn(file);
  const urlOf = (name: string): string => config.cells.get(name) ?? config.databaseUrl;
  const names = workerCellsOf(config.cells, config.databaseUrl);
  if (cell !== undefined && !names.includes(cell))
    throw new ConfigError(`--cellule must be one of ${names.join(', ')}.`);
  const restored = new Set(cell === undefined ? [config.databaseUrl, ...names.map(urlOf)] : [urlOf(cell)]);
  // A worker would send the emails meanwhile, and an API accept the keys.
  for (const url of restored)
    if ((await connectionsOfProcesses(url)) > 0)
      throw new ConfigError('Stop API, workers and deplacements first: some use this database.');
  await ServiceContext.use(config, async (services) => {
    if (cell !== undefined) await assertKnowsMoves(services, cell, at);
    const restore = new Restore(services, at, names, (name) => restored.has(urlOf(name)));
    await restore.handle(noted);
    if (restore.failures > 0) {
      console.error(`${restore.failures} lines could not be repeated: see "failed" above.`);
      process.exitCode = 1;
    }
  });
}

/** The directory knows moves that the restored cell does not. */
async function assertKnowsMoves({ restored }: ServiceContext, cell: string, at: Date): Promise<void> {
  const unknown = await restored.unknownMoves(cell, at);
  if (unknown.length === 0) return;
  const lines = unknown.map(
    ({ tenantId, celluleOrigine, cellule, dateBascule }) =>
      `${tenantId} moved from ${celluleOrigine} to ${cellule} at ${dateBascule!.toISOString()}`,
  );
  throw new ConfigError(
    `The cell does not know these moves: ${lines.join(', ')}. Restore it to a later moment, or see docs/operations.md, "Moving a data space".`,
  );
}

/** A run of the command, on its services. */
class Restore {
  failures = 0;
  private readonly actor: Actor;
  private readonly spaces: Space[] = [];
  /** Data spaces that were not restored. */
  private readonly others: Space[] = [];
  /** The cell of each space, as the directory says. */
  private readonly places = new Map<string, string>();

  /** @param isRestored returns whether a cell was restored; `principal` is the directory */
  constructor(
    private readonly services: ServiceContext,
    private readonly at: Date,
    private readonly cells: readonly string[],
    private readonly isRestored: (cell: string) => boolean,
  ) {
    this.actor = { cleId: NO_TENANT, requestId: `apres-restauration ${at.toISOString()}` };
  }

  async handle(noted: readonly Noted[]): Promise<void> {
    const { clients, journal } = this.services;
    const all = await clients.list();
    for (const { id: client, cellules } of all)
      for (const [space, environnement] of await journal.spacesOf(client)) {
        const cell = (environnement && cellules[environnement]) ?? PRINCIPAL;
        this.places.set(space, cell);
        (this.isRestored(cell) ? this.spaces : this.others).push({ client, environnement, space });
      }
    await this.assertKey();
    for (const { id: client, nom } of all) {
      const spaces = this.spaces.filter((one) => one.client === client);
      if (spaces.length > 0) print({ todo: 'inform', client, nom, moment: this.at.toISOString() });
      for (const one of spaces) await this.listWork(one);
      for (const { space } of spaces) {
        await journal.noteRestore(this.actor, space);
        print({ done: 'trail', client, space });
      }
    }
    if (this.isRestored(PRINCIPAL)) await this.listStrays();
    for (const one of noted) await this.repeat(one);
  }

  /** Lists the data spaces of cells that the restored directory does not have, or has in another cell. */
  private async listStrays(): Promise<void> {
    for (const cellule of this.cells)
      for (const space of await this.services.deplacements.spacesIn(cellule)) {
        const annuaire = this.places.get(space) ?? null;
        if (annuaire !== cellule) print({ todo: 'space', space, cellule, annuaire });
      }
  }

  /** Ends the emails of a data space, and lists them and its votes. */
  private async listWork({ client, environnement, space }: Space): Promise<void> {
    if (!environnement) return;
    const { courriels, campagnes } = this.services;
    for (const email of await courriels.endWaiting(space))
      print({ done: 'email', client, environnement, ...email });
    for (const vote of await campagnes.openSince(space, this.at))
      print({ todo: 'vote', client, environnement, ...vote });
  }

  /** Entries that are written with another key would break the trails for ever. */
  private async assertKey(): Promise<void> {
    for (const { space } of this.spaces)
      if ((await this.services.verification.verify(space)).faults.length === 0) return;
    if (this.spaces.length > 0)
      throw new ConfigError('No audit trail is intact: give the SECRETS_KEY of the restored moment.');
  }

  /** Whether a line is about data that was not restored: it is as it should be. */
  private isElsewhere(one: Noted): boolean {
    if ('revoquer' in one) return !this.isRestored(PRINCIPAL);
    const { client, environnement } = one.effacer;
    return this.others.some((other) => other.client === client && other.environnement === environnement);
  }

  private async repeat(one: Noted): Promise<void> {
    const { clients, personnes } = this.services;
    if (this.isElsewhere(one)) return print({ elsewhere: one });
    try {
      if ('revoquer' in one) await clients.revokeCle(this.actor, one.revoquer.client, one.revoquer.cle);
      else {
        const { client, environnement, idExterne, supprime = false } = one.effacer;
        await personnes.erase(this.actor, client, environnement, idExterne, supprime);
      }
      print({ done: one });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Keys and persons that did not exist at the restored moment need no work.
      if (error.code.endsWith('.NotFound')) return print({ absent: one, code: error.code });
      this.failures += 1;
      print({ failed: one, code: error.code });
    }
  }
}

function print(line: object): void {
  console.log(JSON.stringify(line));
}

function momentOf(text = ''): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(at.getTime()) || at > new Date())
    throw new ConfigError('Give the restored moment with its zone, for example 2026-11-25T03:00:00Z.');
  return at;
}

function notedIn(file: string): Noted[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line, index) => {
    const one = parsed(line);
    if (!isNoted(one))
      throw new ConfigError(
        `Line ${index + 1} of ${file} must be {"revoquer":{"client":…,"cle":…}} or ` +
          '{"effacer":{"client":…,"environnement":…,"idExterne":…,"supprime":…}}.',
      );
    return one;
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isNoted(one: unknown): one is Noted {
  const { revoquer, effacer } = Object(one) as Record<string, Record<string, unknown> | undefined>;
  if (revoquer && !effacer) return isUUID(revoquer.client) && isUUID(revoquer.cle);
  if (!effacer || revoquer) return false;
  const { client, environnement, idExterne, supprime } = effacer;
  return (
    isUUID(client) &&
    ENVIRONMENTS.includes(environnement as Environment & 'staging') &&
    typeof idExterne === 'string' &&
    ['boolean', 'undefined'].includes(typeof supprime)
  );
}
