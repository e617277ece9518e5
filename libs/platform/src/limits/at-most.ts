/** Options of an `LRUCache` of at most so many entries. Its own `max` reserves their memory at once, which each garbage collection marks. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
