import { FairCache } from './fair-cache';

interface Value {
  readonly bytes: number;
}

let cache: FairCache<Value>;
let made: string[];
beforeEach(() => {
  cache = new FairCache<Value>(100, ({ bytes }) => bytes);
  made = [];
});

/** Asks for a value. */
function ask(client: string, key: string, bytes: number): Promise<Value | undefined> {
  return cache.fetch(client, key, async () => {
    made.push(`${client}${key}`);
    await Promise.resolve();
    return { bytes };
  });
}

it('makes a value once for callers that wait for it and for later ones', async () => {
  await Promise.all([ask('a', '1', 10), ask('a', '1', 10)]);
  await ask('a', '1', 10);
  expect(made).toEqual(['a1']);
});

it('a full cache removes the oldest values of the client with the most bytes', async () => {
  await ask('b', '1', 30);
  for (const key of ['1', '2', '3', '4']) await ask('a', key, 30);
  await ask('b', '1', 30);
  expect(made).toEqual(['b1', 'a1', 'a2', 'a3', 'a4']);
  await ask('a', '4', 30);
  await ask('a', '3', 30);
  expect(made).toHaveLength(5);
  await ask('a', '1', 30);
  expect(made).toHaveLength(6);
});

it('a client with more bytes makes room for others', async () => {
  for (const key of ['1', '2', '3']) await ask('a', key, 30);
  await ask('b', '1', 30);
  await ask('b', '1', 30);
  await ask('a', '1', 30);
  expect(made).toEqual(['a1', 'a2', 'a3', 'b1', 'a1']);
});

it('returns a value that is too large and does not keep it', async () => {
  await ask('a', '1', 30);
  expect(await ask('b', '1', 101)).toEqual({ bytes: 101 });
  await ask('b', '1', 101);
  await ask('a', '1', 30);
  expect(made).toEqual(['a1', 'b1', 'b1']);
});

it('a failure and undefined are not kept', async () => {
  await expect(cache.fetch('a', '1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.fetch('a', '1', () => Promise.resolve(undefined))).toBeUndefined();
  await ask('a', '1', 10);
  expect(made).toEqual(['a1']);
});

it('removes the value that is named, and not the one that has taken its place', async () => {
  const old = await ask('a', '1', 10);
  cache.delete('a', '1', old!);
  await ask('a', '1', 10);
  cache.delete('a', '1', old!);
  await ask('a', '1', 10);
  expect(made).toEqual(['a1', 'a1']);
});
