import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';

describe('A cache of at most three entries', () => {
  it('keeps the three newest, also of those that it fetches at once', async () => {
    const fetchMethod = (key: string): Promise<string> => Promise.resolve(key);
    const cache = new LRUCache<string, string>({ ...atMost(3), fetchMethod });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => cache.fetch(key)));
    await cache.fetch('f');
    expect([...cache.keys()]).toEqual(['f', 'e', 'd']);
  });
});
