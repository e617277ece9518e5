import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deplacement, DeplacementsService } from '#clients';
import { LOCK_NOT_AVAILABLE, sqlState } from '#platform/errors/sql-errors';
import { DomainError } from '#platform/errors/domain-error';
import { SERVICE } from '#platform/errors/platform.errors';
import { Config, PRINCIPAL } from '#platform/ops/config';
import { MoveConnections } from './move-connections';
import { CopyRefused } from './space-copy';
import { fr } from '#platform/errors/text';

/** Steps of a move, in their order. */
export const STEPS = [
  'counted',
  'shut',
  'copied',
  'kept',
  'closed',
  'switched',
  'settled',
  'removed',
] as const;
export type Step = (typeof STEPS)[number];

/** Called after each step. */
export type StepListener = (step: Step, move: Deplacement) => Promise<void> | void;

/** How long a mover waits for running writes of the data space, each time, in ms. New ones are refused meanwhile. */
const SHUT_MS = 10_000;
/** Pause before it waits again, in which writes go on, in ms. */
const PAUSE_MS = 5_000;
const SHUT_ATTEMPTS = 6;

/** Attempts of a move whose connections break. */
const ATTEMPTS = 5;

/**
 * Moves data spaces between cells (docs/adr/0039), with the login of migrations. A mover that is killed before the switch
 * has changed nothing: writes go on at once, or after 8 s if it was killed just before. After the switch the data space is in
 * the new cell. The next mover begins the move again in the first case, and completes it in the second.
 */
@Injectable()
export class Mover {
  constructor(
    private readonly moves: DeplacementsService,
    private readonly config: Config,
  ) {}

  /** The time for which the old rows are kept after the switch, in ms: longer than any read that began before it. */
  keepOldRowsMs = 180_000;

  /** Performs all moves that have not ended, one after the other. One that fails does not stop the others. */
  async performAll(onStep: StepListener, onError: (error: unknown) => void): Promise<void> {
    for (const move of await this.moves.open()) await this.perform(move, onStep).catch(onError);
  }

  /**
   * Performs a move, unless another process does.
   *
   * @returns time in ms until the old rows may be removed, and this must be called again; 0 if nothing is left to do
   * @throws what broke its connections; the next call begins again
   */
  async perform(move: Deplacement, onStep: StepListener = () => undefined): Promise<number> {
    const { databaseUrl: directory } = this.config;
    const connections = await MoveConnections.open(move, {
      directory,
      origin: cellUrl(this.config, move.celluleOrigine),
      target: cellUrl(this.config, move.cellule),
    });
    try {
      const claimed = await connections.claim();
      if (!claimed) return 0;
      const done = (step: Step): void | Promise<void> => onStep(step, move);
      if (!claimed.isSwitched) {
        const refusal = await this.bring(move, connections, claimed.attempts, done);
        if (refusal) {
          await connections.undo();
          await connections.end(refusal);
          return 0;
        }
        await connections.closeOriginForGood();
        await done('settled');
      } else await connections.closeOriginForGood();
      const left = await connections.keptFor(this.keepOldRowsMs);
      if (left > 0) return left;
      await connections.removeOrigin();
      await done('removed');
      await connections.end();
      await connections.settleTarget();
      return 0;
    } finally {
      await connections.close();
    }
  }

  /** Copies a data space and switches to the copy. @returns why not, if it cannot be; then it was not switched */
  private async bring(
    move: Deplacement,
    connections: MoveConnections,
    attempts: number,
    done: (step: Step) => void | Promise<void>,
  ): Promise<Deplacement['erreur'] | undefined> {
    try {
      await this.moves.assertNoVote(move.tenantId);
      await connections.assertPossible();
      await connections.count();
      await done('counted');
      await shut(connections);
      await done('shut');
      // A campaign may have been published meanwhile.
      await this.moves.assertNoVote(move.tenantId);
      await connections.copy();
      await done('copied');
      await connections.keep();
      await done('kept');
      await connections.closeOrigin();
      await done('closed');
    } catch (error) {
      return refusalOf(error, attempts);
    }
    // Whether it was switched is unknown if this throws: the next attempt reads it.
    if (!(await connections.switch())) return refusalOf(new SwitchTooLate(), attempts);
    await done('switched');
    return undefined;
  }
}

/** URL of a cell's database for the login of migrations. @throws CopyRefused if `CELLS` does not name the cell */
export function cellUrl(config: Config, cell: string): string {
  const url = cell === PRINCIPAL ? config.databaseUrl : config.cells.get(cell);
  if (!url) throw new CopyRefused(`CELLS does not name the cell ${cell}.`);
  return url;
}

async function shut(connections: MoveConnections): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connections.shut(SHUT_MS);
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (attempt === SHUT_ATTEMPTS)
        throw new DomainError(SERVICE.Indisponible, {
          en: 'Writes of the data space ran for too long. Request the move again.',
          fr: fr(
            "Des écritures dans l'espace de données ont duré trop longtemps. Demandez de nouveau le déplacement.",
          ),
        });
      await sleep(PAUSE_MS);
    }
  }
}

class SwitchTooLate extends Error {
  override message = 'The switch came too late.';
}

/** Returns what a failed move shows. @throws the error if another attempt may succeed */
function refusalOf(error: unknown, attempts: number): NonNullable<Deplacement['erreur']> {
  if (error instanceof DomainError) return { code: error.code, detail: error.message };
  if (error instanceof CopyRefused) return { code: SERVICE.ErreurInterne.code, detail: error.message };
  if (attempts < ATTEMPTS) throw error;
  // The message of a database error may have values of rows.
  const reason = error instanceof SwitchTooLate ? error.message : `SQLSTATE ${sqlState(error) ?? 'unknown'}`;
  return { code: SERVICE.Indisponible.code, detail: `The move failed ${attempts} times: ${reason}` };
}
