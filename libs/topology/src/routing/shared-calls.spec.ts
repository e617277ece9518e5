import { SharedCalls } from './shared-calls';

it('runs one call at a time, and the next one for all keys that came meanwhile', async () => {
  const calls: { readonly keys: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const shared = new SharedCalls(
    (keys) =>
      new Promise<string>((resolve, reject) => {
        calls.push({ keys, end: (error) => (error ? reject(error) : resolve(keys.join(' '))) });
      }),
  );
  const settled = () => new Promise(setImmediate);
  const first = shared.with('a');
  await settled();
  // The call of a has begun, so it may miss what the second a asks for.
  const second = [shared.with('c'), shared.with('a'), shared.with('c')];
  await settled();
  expect(calls.map(({ keys }) => keys)).toEqual([['a']]);
  calls[0]!.end(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await settled();
  expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['a', 'c']]);
  calls[1]!.end();
  expect(await Promise.all(second)).toEqual(['a c', 'a c', 'a c']);
});
