import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { sqlState } from '#shared/database/sql-errors';
import { LOGGER } from '#shared/logging/logger';
import { LifecycleService } from '#voting';

const INTERVAL_MS = 1_000;

/**
 * Tells of the openings and closings of campaigns within a second. Campaigns open and close by their dates, whether this
 * runs or not: only the events wait for it.
 */
@Injectable()
export class ClockService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly lifecycle: LifecycleService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.tick();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async tick(): Promise<void> {
    try {
      await this.lifecycle.tellAllDue(() => this.isStopping);
    } catch (error) {
      this.logger.warn({ sqlState: sqlState(error) }, 'the campaign clock failed and will be tried again');
    }
    if (this.isStopping) return;
    this.timer = setTimeout(() => {
      this.running = this.tick();
    }, INTERVAL_MS);
  }
}
