import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';

describe('A cache of at most three entries', () => {
  it('has three after more were fetched, at once and one by one', async () => {
    const fetchMethod = (key: string): Promise<string> => Promise.resolve(key);
    const cache = new LRUCache<string, string>({ ...atMost(3), fetchMethod, ignoreFetchAbort: true });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => cache.fetch(key)));
    expect(cache.size).toBe(3);
    for (const key of ['f', 'g']) expect(await cache.fetch(key)).toBe(key);
    expect([cache.size, cache.has('g')]).toEqual([3, true]);
  });
});
