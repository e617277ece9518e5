import pLimit, { type LimitFunction } from 'p-limit';

/** Runs the work of each key a few at a time, in the order in which it was asked for; keys never wait for each other. */
export class KeyedLimit {
  private readonly limits = new Map<string, { readonly limit: LimitFunction; users: number }>();

  constructor(private readonly atOnce: number) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = this.limits.get(key) ?? { limit: pLimit(this.atOnce), users: 0 };
    this.limits.set(key, own);
    own.users++;
    try {
      return await own.limit(work);
    } finally {
      if (--own.users === 0) this.limits.delete(key);
    }
  }
}
