import { shapeFault } from './json-shape';

const NAMES = 'must have at most 1,000 different property names';
const CONTAINERS = 'must have at most 120,000 objects and lists';
const LEVELS = 'must be nested at most 64 levels deep';

/** A list of `count` of something, longer than a short text. */
function list(count: number, element: (index: number) => string): string {
  const elements = Array.from({ length: count }, (_, index) => element(index));
  return `[${elements.join(',')}]`.padEnd(70_000);
}

const faultOf = (json: string): string | undefined => shapeFault(Buffer.from(json))?.en;

describe('A text of JSON that is too dear to parse', () => {
  it.each<[string, string, string]>([
    ['a thousand and one names in one object', list(1_100, (n) => `{"nom${n}":1}`), NAMES],
    ['names with escapes', list(1_200, (n) => `{"\\"n\\\\${n}" : 1}`), NAMES],
    ['more empty lists than a request can use', list(120_000, () => '[]'), CONTAINERS],
    ['more empty objects than a request can use', list(120_000, () => '{}'), CONTAINERS],
    ['lists within lists', `${'['.repeat(65)}${']'.repeat(65)}`.padEnd(70_000), LEVELS],
    ['objects within objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`.padEnd(70_000), LEVELS],
  ])('%s', (_, json, fault) => {
    expect(faultOf(json)).toBe(fault);
  });

  it.each<[string, string]>([
    ['a thousand names, each in 20 records', list(20_000, (n) => `{"nom${n % 1_000}":1}`)],
    ['a hundred thousand objects', list(100_000, () => '{}')],
    ['signs of JSON within texts', list(10_000, (n) => `"${n},:{[\\",:{["`)],
    ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`.padEnd(70_000)],
    ['levels beside each other', list(5_000, () => '[[[[]]]]')],
    ['an open text', `"${'x'.repeat(70_000)}`],
    ['an open text with an escape at its end', `"${'x'.repeat(70_000)}\\`],
  ])('negative control: %s may be parsed', (_, json) => {
    expect(faultOf(json)).toBeUndefined();
  });

  it('is not looked for in short texts', () => {
    expect(shapeFault(Buffer.from('['.repeat(65_536)))).toBeUndefined();
  });

  it('looks at its part of the bytes only', () => {
    const json = Buffer.from(`${'['.repeat(70)}${list(10, () => '1')}${'['.repeat(70)}`);
    expect(shapeFault(json, 70, json.length - 70)).toBeUndefined();
    expect(shapeFault(json)?.en).toBe(LEVELS);
  });
});
