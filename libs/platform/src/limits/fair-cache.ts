import { LRUCache } from 'lru-cache';

type Make<V> = () => Promise<V | undefined>;

/**
 * Keeps values of all clients, in a bounded number of bytes. When it is full, the client with the most bytes loses the value
 * that it has not used for longest, so no client displaces the values of one that has fewer.
 */
export class FairCache<V extends object> {
  private readonly clients = new Map<string, LRUCache<string, V, Make<V>>>();

  /** @param mostBytes of all values; a larger one is not kept */
  constructor(
    readonly mostBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /** @param make makes the value, once for all callers that wait for it; undefined is not kept */
  async fetch(client: string, key: string, make: Make<V>): Promise<V | undefined> {
    const own = this.clients.get(client) ?? this.add(client);
    const kept = own.get(key);
    if (kept) return kept;
    try {
      return await own.fetch(key, { context: make });
    } finally {
      this.trim();
    }
  }

  /** Removes a value, unless another one has taken its place. */
  delete(client: string, key: string, value: V): void {
    const own = this.clients.get(client);
    if (own?.peek(key) === value) own.delete(key);
  }

  /** Bytes of the values that are kept. */
  get bytes(): number {
    return [...this.clients.values()].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0);
  }

  private add(client: string): LRUCache<string, V, Make<V>> {
    const own = new LRUCache<string, V, Make<V>>({
      maxSize: this.mostBytes,
      sizeCalculation: this.bytesOf,
      fetchMethod: (_key, _stale, { context }) => context(),
      // Callers get a value that was removed, or is too large to be kept, while they waited for it.
      ignoreFetchAbort: true,
    });
    this.clients.set(client, own);
    return own;
  }

  private trim(): void {
    for (const [client, own] of this.clients) if (own.size === 0) this.clients.delete(client);
    while (this.bytes > this.mostBytes) {
      const sizes = [...this.clients.values()];
      sizes.reduce((one, other) => (other.calculatedSize > one.calculatedSize ? other : one)).pop();
    }
  }
}
