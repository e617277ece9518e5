import { LRUCache } from 'lru-cache';

/** Maximum number of clients whose last turns are known. */
const MOST_KNOWN = 10_000;

/** Items of several clients, taken in rotation: each client's in their order, that of the longest-unserved client first. */
export class Turns<T> {
  private turn = 0;
  private readonly lastTurns = new LRUCache<string, number>({ max: MOST_KNOWN });
  private waiting = new Map<string, T[]>();

  /** Replaces the waiting items. */
  offer(items: readonly { readonly client: string; readonly item: T }[]): void {
    this.waiting = new Map();
    for (const { client, item } of items) this.push(client, item);
  }

  push(client: string, item: T): void {
    const own = this.waiting.get(client);
    if (own) own.push(item);
    else this.waiting.set(client, [item]);
  }

  /** Removes and returns the next item that may begin, if there is one. */
  next(mayBegin: (client: string, item: T) => boolean): { client: string; item: T } | undefined {
    const clients = [...this.waiting.keys()].sort((one, other) => this.last(one) - this.last(other));
    for (const client of clients) {
      const own = this.waiting.get(client)!;
      const place = own.findIndex((item) => mayBegin(client, item));
      if (place < 0) continue;
      const [item] = own.splice(place, 1);
      if (own.length === 0) this.waiting.delete(client);
      this.lastTurns.set(client, ++this.turn);
      return { client, item: item! };
    }
    return undefined;
  }

  private last(client: string): number {
    return this.lastTurns.get(client) ?? 0;
  }
}
