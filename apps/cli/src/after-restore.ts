import { readFileSync } from 'node:fs';
import { isUUID } from 'class-validator';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { connectionsOfProcesses } from '#platform/database/processes';
import { NO_TENANT } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { type Config, ConfigError } from '#platform/ops/config';
import { ServiceContext } from './service-context';

const ENVIRONMENTS = ['production', 'staging'] as const satisfies readonly Environment[];

/** What an operator has noted outside the database since the restored moment, one line of JSON each. */
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

/**
 * Does what a restored database needs before a process starts on it (docs/operations.md, "Backup and restore"): ends the
 * recipients of emails, revokes keys and erases persons again, and notes the restore in every audit trail. Prints a line of
 * JSON for each of these, and for each thing that is left to people. Safe to repeat.
 *
 * @param moment the restored moment, in ISO 8601 with its zone
 * @param file lines of `Noted`
 * @throws ConfigError for wrong arguments, running processes, or another SECRETS_KEY than the trails have; nothing is
 * changed then
 */
export async function afterRestore(
  config: Config,
  moment: string | undefined,
  file: string | undefined,
): Promise<void> {
  const at = momentOf(moment);
  const noted = file === undefined ? [] : notedIn(file);
  // A worker would send the emails meanwhile, and an API accept the keys.
  if ((await connectionsOfProcesses(config.databaseUrl)) > 0)
    throw new ConfigError('Stop API and workers first: some use this database.');
  await ServiceContext.use(config, async (services) => {
    await assertKey(services);
    const restore = new Restore(services, at);
    await restore.handle(noted);
    if (restore.failures > 0) {
      console.error(`${restore.failures} lines could not be repeated: see "failed" above.`);
      process.exitCode = 1;
    }
  });
}

/** One run of the command, on its services. */
class Restore {
  failures = 0;
  private readonly actor: Actor;

  constructor(
    private readonly services: ServiceContext,
    private readonly at: Date,
  ) {
    this.actor = { cleId: NO_TENANT, requestId: `apres-restauration ${at.toISOString()}` };
  }

  async handle(noted: readonly Noted[]): Promise<void> {
    const { clients, courriels, campagnes, journal } = this.services;
    for (const { id: client, nom } of await clients.list()) {
      print({ todo: 'inform', client, nom, moment: this.at.toISOString() });
      for (const environnement of ENVIRONMENTS) {
        const tenantId = await clients.tenantIn(client, environnement);
        if (!tenantId) continue;
        for (const email of await courriels.endWaiting(tenantId))
          print({ done: 'email', client, environnement, ...email });
        for (const vote of await campagnes.openSince(tenantId, this.at))
          print({ todo: 'vote', client, environnement, ...vote });
      }
      for (const space of await journal.noteRestore(this.actor, client))
        print({ done: 'trail', client, space });
    }
    for (const one of noted) await this.repeat(one);
  }

  private async repeat(one: Noted): Promise<void> {
    const { clients, personnes } = this.services;
    try {
      if ('revoquer' in one) await clients.revokeCle(this.actor, one.revoquer.client, one.revoquer.cle);
      else {
        const { client, environnement, idExterne, supprime = false } = one.effacer;
        await personnes.erase(this.actor, client, environnement, idExterne, supprime);
      }
      print({ done: one });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Keys and persons that did not exist at the restored moment need nothing.
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

/** Entries that are written with another key would break the trails for ever. */
async function assertKey({ journal }: ServiceContext): Promise<void> {
  let count = 0;
  for await (const { faults } of journal.verify(undefined, new Map())) {
    if (faults.length === 0) return;
    count += 1;
  }
  if (count > 0)
    throw new ConfigError('No audit trail is intact: give the SECRETS_KEY of the restored moment.');
}
