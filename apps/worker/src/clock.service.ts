import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '#shared/logging/logger';
import { LifecycleService, SealingService } from '#voting';
import { Rounds } from './rounds';

const INTERVAL_MS = 1_000;

/**
 * Tells of the openings and closings of campaigns within a second, closes ballot boxes and seals them. Campaigns open and
 * close by their dates, whether this runs or not: only the events wait for it, and whoever reads a result closes its box.
 * Sealing takes long where many have voted: it keeps no opening waiting.
 */
@Injectable()
export class ClockService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds: readonly Rounds[];

  constructor(lifecycle: LifecycleService, sealing: SealingService, @Inject(LOGGER) logger: Logger) {
    const clock = async (isStopping: () => boolean): Promise<void> => {
      await lifecycle.tellAllDue(isStopping);
      await lifecycle.closeAllDue(isStopping);
    };
    const seal = (isStopping: () => boolean): Promise<void> => sealing.sealAllDue(isStopping);
    this.rounds = [
      new Rounds('the campaign clock', INTERVAL_MS, clock, logger),
      new Rounds('the sealing of ballot boxes', INTERVAL_MS, seal, logger),
    ];
  }

  onApplicationBootstrap(): void {
    for (const one of this.rounds) one.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.rounds.map((one) => one.stop()));
  }
}
