import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { Threads } from '#platform/limits/threads';
import type { CountedRow } from '../persistence/statistics.query';
import { type Batch, BatchCount } from './batch-count';
import type { CountMessage } from './counting.thread';

/** Questions to count, and where their answers are read. */
export interface Counting {
  readonly batch: Batch;
  /** Whether the count is so short that starting a thread would take longer. */
  readonly isShort: boolean;
  readonly parts: number;
  /** Reads one of the parts, from 0. */
  readonly read: (part: number) => Promise<CountedRow[]>;
}

/** Counts closed boxes, all but the smallest in threads: other requests go on meanwhile (docs/adr/0027). */
@Injectable()
export class CountingService implements OnApplicationShutdown {
  private readonly threads = new Threads(join(__dirname, 'counting.thread.js'), {
    atOnce: 2,
    memoryMb: 256,
    timeMs: 60_000,
    idleMs: 10_000,
  });

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /**
   * Counts when a thread is free for the client. Rows are read only then, so a process holds the rows of two boxes at most.
   *
   * @returns the results of the questions as JSON
   * @throws ThreadLimitPassed
   */
  async items(client: string, counting: Counting): Promise<readonly Uint8Array[]> {
    return counting.isShort ? this.countHere(counting) : this.countBeside(client, counting);
  }

  private async countHere({ batch, parts, read }: Counting): Promise<readonly Uint8Array[]> {
    const yielder = new EventLoopYielder();
    const count = new BatchCount();
    for (let part = 0; part < parts; part++) for (const row of await read(part)) count.add(row);
    const items: Uint8Array[] = [];
    for (const item of count.items(batch)) {
      items.push(item);
      if (yielder.isDue) await yielder.yield();
    }
    return items;
  }

  private async countBeside(
    client: string,
    { batch, parts, read }: Counting,
  ): Promise<readonly Uint8Array[]> {
    return this.threads.run(client, async (post: (message: CountMessage) => void) => {
      const yielder = new EventLoopYielder();
      for (let part = 0; part < parts; part++) {
        for (const row of await read(part)) {
          post({ row });
          if (yielder.isDue) await yielder.yield();
        }
      }
      post({ batch });
    });
  }
}
