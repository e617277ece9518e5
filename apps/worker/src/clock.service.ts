import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '#platform/ops/logger';
import { LifecycleService, SealingService } from '#voting';
import { Rounds } from './rounds';

/**
 * Tells of the openings and closings of campaigns within a second, closes ballot boxes and seals them. Campaigns open and
 * close by their dates, whether this runs or not: only the events wait for it, and whoever reads a result closes its box.
 * Closing waits for who writes the roll, and sealing takes long where many have voted: they keep no opening waiting.
 */
@Injectable()
export class ClockService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Pause between two rounds, in ms. */
  intervalMs = 1_000;
  private rounds: readonly Rounds[] = [];

  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly sealing: SealingService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const rounds: Record<string, (isStopping: () => boolean) => Promise<void>> = {
      'the campaign clock': (isStopping) => this.lifecycle.tellAllDue(isStopping),
      'the closing of ballot boxes': (isStopping) => this.lifecycle.closeAllDue(isStopping),
      'the sealing of ballot boxes': (isStopping) => this.sealing.sealAllDue(isStopping),
    };
    this.rounds = Object.entries(rounds).map(
      ([what, work]) => new Rounds(what, this.intervalMs, work, this.logger),
    );
    for (const one of this.rounds) one.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.rounds.map((one) => one.stop()));
  }
}
