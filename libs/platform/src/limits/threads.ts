import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { KeyedLimit } from './keyed-limit';
import { Semaphore } from './semaphore';

/** Bounds of the threads of one file. */
export interface ThreadLimits {
  /** Threads at once. */
  readonly atOnce: number;
  /** Pieces of work of one key at once; 1 if absent. More are for short pieces, because another key waits for them. */
  readonly ofOneKey?: number;
  /** Memory of one thread, in MB. */
  readonly memoryMb: number;
  /** Time of one piece of work, in ms. */
  readonly timeMs: number;
  /** How long a thread waits for other work before it ends, in ms. */
  readonly idleMs: number;
}

/** Memory for new objects of a thread, in MB. With Node's default of 48, a thread keeps 100 MB more garbage and is no faster. */
const YOUNG_MB = 16;

/** A piece of work passed a bound of its thread, which was ended. */
export class ThreadLimitPassed extends Error {
  constructor(readonly limit: 'time' | 'memory') {
    super(`The thread passed its limit of ${limit}.`);
  }
}

/**
 * Runs long computations beside the main thread, a few at once. The file receives messages and answers the last one of each
 * piece of work with one message; an exception ends the thread. Each key has `ofOneKey` pieces of work at a time, in the
 * order of the calls, and the threads alternate between keys.
 */
export class Threads {
  private readonly keys: KeyedLimit;
  private readonly slots: Semaphore;
  private readonly idle = new Map<Worker, NodeJS.Timeout>();

  constructor(
    private readonly file: string,
    private readonly limits: ThreadLimits,
  ) {
    this.keys = new KeyedLimit(limits.ofOneKey ?? 1);
    this.slots = new Semaphore(limits.atOnce);
  }

  /**
   * @param feed posts the messages of this piece of work, once a thread is free
   * @returns the answer of the thread
   * @throws ThreadLimitPassed, and what `feed` or the thread throws
   */
  run<T>(key: string, feed: (post: (message: unknown) => void) => Promise<void>): Promise<T> {
    return this.keys.run(key, () => this.slots.run(() => this.work<T>(feed)));
  }

  /** Ends the threads without work; others end when they have none. */
  async close(): Promise<void> {
    await Promise.all([...this.idle.keys()].map((thread) => this.end(thread)));
  }

  private async work<T>(feed: (post: (message: unknown) => void) => Promise<void>): Promise<T> {
    const thread = this.take();
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    // A thread may end before all messages are posted.
    const answer = once(thread, 'message', { signal: late.signal });
    answer.catch(() => undefined);
    try {
      await feed((message) => thread.postMessage(message));
      timer = setTimeout(() => late.abort(new ThreadLimitPassed('time')), this.limits.timeMs);
      const [message] = (await answer) as [T];
      this.idle.set(
        thread,
        setTimeout(() => void this.end(thread), this.limits.idleMs),
      );
      return message;
    } catch (error) {
      late.abort();
      void this.end(thread);
      throw limitOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private take(): Worker {
    const [free] = this.idle;
    if (free) {
      const [thread, timer] = free;
      clearTimeout(timer);
      this.idle.delete(thread);
      return thread;
    }
    const thread = new Worker(this.file, {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    // A running piece of work receives this error itself. An idle thread has no other listener.
    thread.on('error', () => void this.end(thread));
    return thread;
  }

  private async end(thread: Worker): Promise<void> {
    clearTimeout(this.idle.get(thread));
    this.idle.delete(thread);
    await thread.terminate();
  }
}

function limitOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ThreadLimitPassed('memory');
  // The reason of an abort.
  return cause instanceof ThreadLimitPassed ? cause : error;
}
