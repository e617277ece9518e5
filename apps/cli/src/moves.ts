import { isUUID } from 'class-validator';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENTS } from '#access/caller';
import { NO_TENANT } from '#platform/database/scope';
import { DomainError } from '#platform/errors/domain-error';
import { ConfigError } from '#platform/ops/config-error';
import { Config } from '#platform/ops/config';
import { CopyRefused, type Eraser, type Step } from '#topology';
import { ServiceContext } from './service-context';

/** Pause between two looks for requested moves, in ms. */
const LOOK_MS = 5_000;

const MESSAGES: Readonly<Record<Step, string>> = {
  counted: 'counted the rows',
  shut: 'refuses writes',
  copied: 'copied and compared the rows',
  kept: 'committed the copy',
  closed: 'closed the old cell',
  switched: 'switched to the new cell',
  settled: 'closed the old cell for good',
  removed: 'removed the old rows',
};

/**
 * Moves a data space to another cell (docs/operations.md, "Moving a data space").
 *
 * @throws ConfigError for wrong arguments, and where the move is refused or fails
 */
export async function moveOne(config: Config, [clientId, environnement, cellule]: string[]): Promise<void> {
  const known = ENVIRONMENTS.find((one) => one === environnement);
  if (!isUUID(clientId) || !known || !cellule)
    throw new ConfigError(`Give the id of the client, ${ENVIRONMENTS.join(' or ')}, and the cell.`);
  await ServiceContext.use(asOwner(config), async ({ deplacements, mover }) => {
    const actor = { cleId: NO_TENANT, requestId: 'cli deplacer' };
    const move = await refusable(deplacements.request(actor, clientId!, known, cellule));
    for (let wait = 1; wait > 0; await sleep(wait)) {
      wait = await mover.perform(move, print);
      if (wait > 0)
        console.log(
          `The old rows are removed in ${Math.ceil(wait / 1000)} s. This command may be ended before.`,
        );
    }
    const { etat, erreur, total } = await deplacements.latest(clientId!, known);
    if (etat !== 'Reussie') throw new ConfigError(`${erreur?.code ?? etat}: ${erreur?.detail ?? 'not done'}`);
    console.log(`The data space is in ${cellule}: ${total} rows.`);
  });
}

/** Performs the moves and erasures that administrators request, until it is stopped. It may be stopped at any time. */
export async function moveRequested(config: Config): Promise<void> {
  await ServiceContext.use(asOwner(config), async ({ mover, eraser }) => {
    for (;;) {
      // The cause of a broken connection passes, and the next round begins the move again.
      await mover
        .performAll(print, (error) => console.error(`A move was interrupted: ${reasonOf(error)}`))
        .catch((error: unknown) => console.error(`The moves cannot be read: ${reasonOf(error)}`));
      await erase(eraser).catch((error: unknown) =>
        console.error(`The erasures cannot be read: ${reasonOf(error)}`),
      );
      await sleep(LOOK_MS);
    }
  });
}

/**
 * Erases the clients whose erasure administrators have requested (docs/operations.md, "Suspended and erased clients").
 *
 * @throws ConfigError if one of them is not erased
 */
export async function eraseRequested(config: Config): Promise<void> {
  await ServiceContext.use(asOwner(config), async ({ eraser }) => {
    if ((await erase(eraser)) > 0)
      throw new ConfigError('Not every client is erased. Run the command again.');
  });
}

/** @returns the number of failures */
async function erase(eraser: Eraser): Promise<number> {
  let failures = 0;
  await eraser.performAll(
    (clientId) => console.log(`${new Date().toISOString()} ${clientId} erased`),
    (error) => {
      failures++;
      console.error(`An erasure was interrupted: ${reasonOf(error)}`);
    },
  );
  return failures;
}

/** Moves need the login of migrations, which the processes must not have in production. */
function asOwner(config: Config): Config {
  return new Config({ ...config, production: false });
}

function print(step: Step, { tenantId }: { readonly tenantId: string }): void {
  console.log(`${new Date().toISOString()} ${tenantId} ${MESSAGES[step]}`);
}

async function refusable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof DomainError ? new ConfigError(`${error.code}: ${error.message}`) : error;
  });
}

/** The message of a database error may have values of rows. */
function reasonOf(error: unknown): string {
  if (error instanceof CopyRefused || error instanceof DomainError) return error.message;
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'unknown';
}
