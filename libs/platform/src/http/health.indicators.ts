import { Injectable } from '@nestjs/common';
import {
  type HealthCheckAttempt,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { Transactions } from '../database/transactions';
import { Lifecycle } from '../ops/lifecycle';

/** Maximum time that a probe waits for the database, in milliseconds. */
export const DATABASE_TIMEOUT_MS = 1_500;

/** The database responds in time. */
@Injectable()
export class DatabaseHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly transactions: Transactions,
  ) {}

  isHealthy(): HealthCheckAttempt<'database'> {
    return this.indicators.check('database').attempt(() => this.transactions.ping(DATABASE_TIMEOUT_MS));
  }
}

/** The process has not begun to stop. */
@Injectable()
export class LifecycleHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly lifecycle: Lifecycle,
  ) {}

  isHealthy(): HealthIndicatorResult<'lifecycle'> {
    const indicator = this.indicators.check('lifecycle');
    return this.lifecycle.isStopping ? indicator.down() : indicator.up();
  }
}
