import fc from 'fast-check';
import { repeatedName } from './repeated-names';

const pointerOf = (json: string): string | undefined => repeatedName(Buffer.from(json), JSON.parse(json));

describe('repeatedName', () => {
  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"a":[{"b":1},{"b":1,"c":{"b":2,"b":{}}}]}', '/a/1/c/b'],
    ['{"a":[],"a":[{"b":1}]}', '/a'],
    ['[{"a":1},{"a":1,"a":1}]', '/1/a'],
    ['{"a/b~":1,"a/b~":1}', '/a~1b~0'],
    ['{"__proto__":1,"__proto__":1}', '/__proto__'],
    ['{"a":"\\"a\\":","b":{"a":":","a":0}}', '/b/a'],
    ['{"":1,"":2}', '/'],
  ])('%s → %s', (json, pointer) => expect(pointerOf(json)).toBe(pointer));

  it.each([
    '{"a":{"a":{"a":1}},"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\\\","b":":"}',
    '1',
    '"a:a"',
    '{"A":1,"a":2}',
  ])('%s has none', (json) => expect(pointerOf(json)).toBeUndefined());

  it('any JSON has none, and has one after a property was repeated', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, name) => {
        expect(pointerOf(json)).toBeUndefined();
        const key = JSON.stringify(name);
        expect(pointerOf(`{${key}:${json},"other":[${json}],${key}:0}`)).toBeDefined();
      }),
    );
  });

  it('reads a text that nests 30,000 levels', () => {
    expect(pointerOf(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBeUndefined();
  });
});
