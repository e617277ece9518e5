import { jsonParts } from './json-parts';

async function textsOf(value: unknown): Promise<string[]> {
  const texts: string[] = [];
  for await (const part of jsonParts(value)) texts.push(Buffer.from(part).toString());
  return texts;
}

describe('jsonParts', () => {
  it.each([
    [{ a: 1, b: [], c: {}, d: null, e: undefined, f: 'é"\\\n\u0001😀' }],
    [{ a: { b: { c: [{ d: [1, [2, { e: true }]] }, undefined, null, 'x'] } } }],
    [{ at: new Date('2026-01-31T13:00:00Z'), list: [new Date(0)] }],
    [[]],
    ['text'],
    [null],
  ])('yields what JSON.stringify returns: %j', async (value) => {
    expect((await textsOf(value)).join('')).toBe(JSON.stringify(value));
  });

  it('cuts a long list into parts of about 256 KiB', async () => {
    const errors = Array.from({ length: 20_000 }, (_, n) => ({ id: `É-${n}`, message: 'x'.repeat(50) }));
    const parts = await textsOf({ before: 1, errors, after: 2 });
    expect(parts.join('')).toBe(JSON.stringify({ before: 1, errors, after: 2 }));
    expect(parts.length).toBeGreaterThan(4);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(263_000);
  });
});
