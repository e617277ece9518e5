import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';
import { LOGGER } from '#platform/ops/logger';
import { type Conclusion, ExpeditionRepository } from '../persistence/expedition.repository';

/** A conclusion that is to be written. */
interface Pending {
  readonly conclusion: Conclusion;
  /** Called once it is written. */
  readonly recorded: () => void;
}

/** Attempts that end within this time, in ms, are written together. */
const GATHER_MS = 20;
const RETRY_MS = 1_000;

/** Writes what became of recipients, and keeps it while the database is out of reach. */
@Injectable()
export class ConclusionRecorder {
  private readonly waiting = new Map<string, Pending[]>();
  private readonly draining = new Map<string, Promise<void>>();

  constructor(
    private readonly expeditions: ExpeditionRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  push(tenantId: string, conclusion: Conclusion, recorded: () => void): void {
    const waiting = this.waiting.get(tenantId);
    if (waiting) waiting.push({ conclusion, recorded });
    else this.waiting.set(tenantId, [{ conclusion, recorded }]);
    if (this.draining.has(tenantId)) return;
    this.draining.set(
      tenantId,
      this.drain(tenantId).finally(() => this.draining.delete(tenantId)),
    );
  }

  /** Waits until all is written. */
  async settled(): Promise<void> {
    while (this.draining.size > 0) await Promise.all(this.draining.values());
  }

  private async drain(tenantId: string): Promise<void> {
    while (this.waiting.has(tenantId)) {
      await wait(GATHER_MS);
      const pending = this.waiting.get(tenantId)!;
      this.waiting.delete(tenantId);
      try {
        await this.expeditions.conclude(
          tenantId,
          pending.map(({ conclusion }) => conclusion),
        );
        for (const { recorded } of pending) recorded();
      } catch (error) {
        this.logger.warn(
          { sqlState: sqlState(error) },
          'what became of e-mail could not be recorded and will be tried again',
        );
        this.waiting.set(tenantId, [...pending, ...(this.waiting.get(tenantId) ?? [])]);
        await wait(RETRY_MS);
      }
    }
  }
}
