import type { Logger } from 'pino';
import { setTimeout as wait } from 'node:timers/promises';
import { sqlState } from '../errors/sql-errors';

/** Items that arrive within this time, in ms, are written together. */
const GATHER_MS = 20;

/** Pause after a write that failed, in ms. */
const RETRY_MS = 1_000;

/**
 * Gathers items and writes them in batches, one batch of a tenant at a time: a tenant that waits for a lock does not delay
 * the others. A batch that fails is written again later.
 */
export class TenantBatches<T> {
  private readonly waiting = new Map<string, T[]>();
  private readonly draining = new Map<string, Promise<void>>();

  /** @param failure log message for a batch that failed */
  constructor(
    private readonly write: (tenantId: string, batch: readonly T[]) => Promise<void>,
    private readonly logger: Logger,
    private readonly failure: string,
  ) {}

  push(tenantId: string, item: T): void {
    const waiting = this.waiting.get(tenantId);
    if (waiting) waiting.push(item);
    else this.waiting.set(tenantId, [item]);
    if (!this.draining.has(tenantId)) this.draining.set(tenantId, this.drain(tenantId));
  }

  /** Waits until every item is written. */
  async settled(): Promise<void> {
    while (this.draining.size > 0) await Promise.all(this.draining.values());
  }

  private async drain(tenantId: string): Promise<void> {
    while (this.waiting.has(tenantId)) {
      await wait(GATHER_MS);
      const batch = this.waiting.get(tenantId)!;
      this.waiting.delete(tenantId);
      try {
        await this.write(tenantId, batch);
      } catch (error) {
        this.logger.warn({ sqlState: sqlState(error) }, this.failure);
        this.waiting.set(tenantId, [...batch, ...(this.waiting.get(tenantId) ?? [])]);
        await wait(RETRY_MS);
      }
    }
    // In the same step as the check above: an item pushed from now on starts another drain.
    this.draining.delete(tenantId);
  }
}
