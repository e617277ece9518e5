import { setTimeout as wait } from 'node:timers/promises';
import { IDEMPOTENCY_SEALED } from '#platform/database/idempotency-records';
import type { SealedColumn } from '#platform/database/sealed-columns';
import { isBeingMoved } from '#platform/errors/sql-errors';
import { NO_TENANT } from '#platform/database/scope';
import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';
import { SYNC_SEALED } from '#sync';
import { WEBHOOK_SEALED } from '#webhooks';
import { ServiceContext } from './service-context';

/** Administration owns recorded answers only. */
const columnsOf = (space: string): readonly SealedColumn[] =>
  space === NO_TENANT ? [IDEMPOTENCY_SEALED] : [IDEMPOTENCY_SEALED, ...WEBHOOK_SEALED, SYNC_SEALED];

/** Attempts at a space whose rows are locked, and the pause between them in ms. */
const ATTEMPTS = 20;
const PAUSE_MS = 250;

/** Pause before work on a data space that is being moved is tried again, in ms. */
const MOVE_PAUSE_MS = 1_000;

/** Pause between two lines of progress, in ms. */
const PROGRESS_MS = 2_000;

/** Data still encrypted or proven by other keys than the newest, by the ids of these keys. */
type Needed = Map<string | null, { secrets: number }>;

/**
 * Encrypts all secrets again with the newest key of SECRETS_KEY, and attests the audit trails with it. It keeps no state: a
 * run after an interruption skips what is done.
 *
 * @throws ConfigError if the newest key has no id
 */
export async function reencrypt(config: Config): Promise<void> {
  const { id } = config.secretsKey.newest;
  if (id === null)
    throw new ConfigError('Give the newest key of SECRETS_KEY an id, as id:key: see docs/operations.md.');
  await ServiceContext.use(config, async (services) => {
    const spaces = [NO_TENANT, ...(await services.journal.spaces())];
    const progress = new Progress(spaces.length);
    const needed: Needed = new Map();
    const faulty: string[] = [];
    for (const space of spaces) {
      for (const [cle, count] of await afterMove(() => resealed(services, space, progress))) {
        needed.set(cle, { secrets: (needed.get(cle)?.secrets ?? 0) + count });
      }
      if (space !== NO_TENANT) {
        const outcome = await afterMove(() => services.attestation.attest(space));
        if (outcome === 'attested') progress.trails += 1;
        if (outcome === 'faulty') faulty.push(space);
      }
      progress.step();
    }
    progress.end();
    conclude(config, needed, faulty);
  });
}

/** Runs work on a data space again until it is not being moved. */
async function afterMove<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBeingMoved(error)) throw error;
      await wait(MOVE_PAUSE_MS);
    }
  }
}

/** Encrypts the secrets of one space again. @returns what is left, by the ids of the keys */
async function resealed(
  { sealed }: ServiceContext,
  space: string,
  progress: Progress,
): Promise<Map<string | null, number>> {
  for (let attempt = 1; ; attempt++) {
    let count = 0;
    const left = new Map<string | null, number>();
    for (const column of columnsOf(space)) {
      count += await sealed.reseal(space, column);
      for (const [cle, rows] of await sealed.remaining(space, column))
        left.set(cle, (left.get(cle) ?? 0) + rows);
    }
    progress.secrets += count;
    // Rows may have been locked. Rows that no key opens stay, and nothing else changes then.
    if (left.size === 0 || attempt === ATTEMPTS || (count === 0 && attempt > 3)) return left;
    await wait(PAUSE_MS);
  }
}

function conclude({ secretsKey }: Config, needed: Needed, faulty: readonly string[]): void {
  const { id } = secretsKey.newest;
  for (const [cle, { secrets }] of needed) {
    const name = cle === null ? 'a key without an id' : `the key ${cle}`;
    const why = secretsKey.lacks(cle) ? ', which SECRETS_KEY lacks' : '';
    console.error(`${secrets} secrets are still encrypted with ${name}${why}.`);
  }
  for (const space of faulty)
    console.error(
      `The audit trail ${space} is not what was written, or needs a missing key: see verifier-journal.`,
    );
  if (needed.size + faulty.length > 0) {
    console.error('Keep the older keys in SECRETS_KEY, and run the command again: see docs/operations.md.');
    process.exitCode = 1;
    return;
  }
  const older = secretsKey.ids.filter((other) => other !== id);
  console.error(
    older.length > 0
      ? `Nothing needs these keys any more, remove them from SECRETS_KEY: ${older.join(', ')}.`
      : `The key ${id} encrypts all secrets and proves all audit trails.`,
  );
}

class Progress {
  secrets = 0;
  trails = 0;
  private done = 0;
  private told = performance.now();

  constructor(private readonly spaces: number) {}

  step(): void {
    this.done += 1;
    if (performance.now() - this.told > PROGRESS_MS) this.end();
  }

  end(): void {
    this.told = performance.now();
    console.error(
      `${this.done} of ${this.spaces} spaces: ${this.secrets} secrets encrypted again, ${this.trails} audit trails attested.`,
    );
  }
}
