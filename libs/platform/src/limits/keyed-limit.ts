import { Semaphore } from './semaphore';

/** Limits of one key's queue: most waiting calls, longest wait in ms, and the error if either is exceeded. */
export interface Line {
  readonly longest?: number;
  readonly waitMs: number;
  readonly refusal: () => Error;
}

/**
 * Runs at most `atOnce` calls per key at a time, in the order of arrival. Keys never wait for each other, unless there is a
 * limit for all: then they alternate.
 */
export class KeyedLimit {
  private readonly limits = new Map<string, { readonly limit: Semaphore; users: number }>();
  private readonly all: Semaphore | undefined;

  /**
   * @param line limits of each key's queue; if absent, calls may wait for any time
   * @param inAll most calls of all keys at a time; any number if absent
   */
  constructor(
    private readonly atOnce: number,
    private readonly line?: Line,
    inAll?: number,
  ) {
    this.all = inAll === undefined ? undefined : new Semaphore(inAll);
  }

  /** Whether a call of the key runs or waits. */
  isBusy(key: string): boolean {
    return this.limits.has(key);
  }

  /**
   * @param isPatient the call may wait for any time
   * @throws the line's `refusal` if the key's queue is full or the call waited longer than `waitMs`
   */
  async run<T>(key: string, call: () => Promise<T>, isPatient = false): Promise<T> {
    const { all } = this;
    const work = all ? () => all.run(call) : call;
    const own = this.limits.get(key) ?? { limit: new Semaphore(this.atOnce), users: 0 };
    const line = isPatient ? undefined : this.line;
    if (own.users >= this.atOnce + (line?.longest ?? Infinity)) throw line!.refusal();
    this.limits.set(key, own);
    own.users++;
    try {
      const mustWait = own.users > this.atOnce;
      return await (line && mustWait ? inTime(own.limit, line, work) : own.limit.run(work));
    } finally {
      if (--own.users === 0) this.limits.delete(key);
    }
  }
}

/** Runs `work` when the limit admits it. Rejects with `refusal` if that takes longer than `waitMs`. */
function inTime<T>(limit: Semaphore, { waitMs, refusal }: Line, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(refusal());
    }, waitMs);
    limit
      .run(async () => {
        clearTimeout(timer);
        if (!isLate) resolve(await work());
      })
      .catch(reject);
  });
}
