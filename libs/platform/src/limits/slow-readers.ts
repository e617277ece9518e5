import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { BUDGETS } from './budgets';

const LOOK_MS = 2_000;

interface Progress {
  /** Bytes that the system below has taken. */
  taken: number;
  since: number;
}

/**
 * Closes the connection of a reader who reads nothing for `BUDGETS.readerGraceMs`, because unread bytes fill our memory.
 * Bytes under way extend the time, by `BUDGETS.bytesPerSecond`.
 */
@Injectable()
export class SlowReaders implements OnModuleDestroy {
  private readonly answers = new Map<Response, Progress | undefined>();
  private readonly look = setInterval(() => this.closeSlow(), LOOK_MS).unref();

  /** Watches an answer to its end. */
  watch(response: Response): void {
    this.answers.set(response, undefined);
    response.once('close', () => this.answers.delete(response));
  }

  onModuleDestroy(): void {
    clearInterval(this.look);
  }

  private closeSlow(): void {
    const now = performance.now();
    for (const [response, progress] of this.answers) {
      const { socket } = response.req;
      const waiting = socket.writableLength;
      const taken = socket.bytesWritten - waiting;
      if (waiting === 0) this.answers.set(response, undefined);
      else if (progress?.taken !== taken) this.answers.set(response, { taken, since: now });
      else if (now - progress.since > BUDGETS.readerGraceMs + (waiting / BUDGETS.bytesPerSecond) * 1_000)
        socket.destroy();
    }
  }
}
