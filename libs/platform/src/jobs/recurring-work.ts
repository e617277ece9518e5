import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { endsConnection, isUnavailable, sqlState } from '../errors/sql-errors';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { isOfPiece } from './shared-work';

/** Failures in a row from which on the process is not ready and the log has an error. */
const TOO_MANY_FAILURES = 3;

/**
 * Runs the work that this process repeats, and counts how often each kind has failed in a row. A database that is out of
 * reach does not count, because readiness checks it itself; nor does one piece of shared work, because the others go on.
 */
@Injectable()
export class RecurringWork {
  private readonly failures = new Map<string, number>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.gauge('mandat_recurring_work_failures', 'Failures in a row of repeated work', () =>
      [...this.failures].map(([work, count]) => [{ work }, count]),
    );
  }

  /**
   * Runs a kind of work once. A failure is logged, and the caller tries again later.
   *
   * @param what name in the log, in metrics and in the answer of the probe
   */
  async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failures.set(what, 0);
    } catch (error) {
      const isAway = endsConnection(error) && isUnavailable(error);
      const failures = (this.failures.get(what) ?? 0) + (isAway || isOfPiece(error) ? 0 : 1);
      this.failures.set(what, failures);
      const level = failures < TOO_MANY_FAILURES ? 'warn' : 'error';
      this.logger[level]({ sqlState: sqlState(error), failures }, `${what} failed and will be tried again`);
    }
  }

  /** The kinds of work that have failed three times in a row or more. */
  get failing(): string[] {
    return [...this.failures].filter(([, count]) => count >= TOO_MANY_FAILURES).map(([what]) => what);
  }
}
