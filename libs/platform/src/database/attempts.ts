import { setTimeout as sleep } from 'node:timers/promises';
import { endsConnection, OutcomeUnknown } from '../errors/sql-errors';

const ATTEMPTS = 5;

/** Runs `work` again, a few times, after each error that `mayPass`. */
export async function retried<T>(work: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || attempt === ATTEMPTS) throw error;
      // Longer after each attempt, and for a random time because equal waits would collide again.
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Throws what is known of a write that failed with this error. */
export function throwOutcome(error: unknown): never {
  throw endsConnection(error) ? new OutcomeUnknown() : error;
}
