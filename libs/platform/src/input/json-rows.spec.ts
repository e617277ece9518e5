import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { JsonFault, JsonRows, parseWithRows, TooManyRows, UnfitRow } from './json-rows';
import { words } from '../../../../test/setup/words';

const TEXTS = 2_000;

const LIMITS = { rows: 1_000, rowBytes: 1_000_000 };

const DUPLICATE = Symbol('a property is there twice');

/** Returns the value of the bytes after all rows were read; undefined if they are not JSON. */
async function walked(text: string): Promise<unknown> {
  let duplicate = false;
  try {
    const body = await parseWithRows(Buffer.from(text), LIMITS, () => void (duplicate = true));
    if (duplicate) return DUPLICATE;
    if (body instanceof JsonRows) return { whole: [...body] };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { whole: body };
    return { whole: mapValues(body, (value) => (value instanceof JsonRows ? [...value] : value)) };
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}

function mapValues(object: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function parsed(text: string): unknown {
  try {
    return { whole: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/**
 * Characters of names, without the backslash: after an object with such a name, Node's JSON.parse reads other names with
 * an escape wrongly (nodejs/node#63785), and each difference would be due to that.
 */
const unit = fc.string({ minLength: 1, maxLength: 1 }).filter((char) => char !== '\\');
/** Values have backslashes, and other characters that look like the end of a string. */
const tricky = fc.string({ unit: fc.constantFrom(...'\\\\\\"a[]{},:\n') });
const value = (maxDepth: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth, stringUnit: unit }) },
    { weight: 1, arbitrary: tricky },
  );

/** Texts like those of a sync: lists directly in an object, deeper ones within. */
const json = fc
  .tuple(
    fc.oneof(
      { weight: 1, arbitrary: fc.array(value(2), { maxLength: 5 }) },
      {
        weight: 4,
        arbitrary: fc.dictionary(
          fc.oneof(
            fc.constantFrom('employes', '__proto__', 'a"b', '\n', 'é😀', '[', '}'),
            fc.string({ unit }),
          ),
          fc.oneof(value(3), fc.array(value(2), { maxLength: 5 })),
          { maxKeys: 4 },
        ),
      },
    ),
    fc.constantFrom(undefined, 1, '\t'),
  )
  .map(([object, indent]) => JSON.stringify(object, null, indent));

/** A place in a text and what is done there. */
const damage = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat({ max: 2 }),
  fc.oneof(
    fc.constantFrom(...'[]{},:"\\ \n\u0000\u000b\ufeff019-.eEtn', '\\u', '[]', '{}', ',"a":1', 'null', '1 2'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
);

const damaged = fc.tuple(json, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([text, damages]) =>
  damages
    .reduce((whole, [where, removed, added]) => {
      const at = Math.floor(where * (whole.length + 1));
      return whole.slice(0, at) + added + whole.slice(at + removed);
    }, text)
    .toWellFormed(),
);

/** Jest's comparison costs more than both readings, and is only needed to show a difference. */
function expectSame(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toStrictEqual(expected);
}

/** Whether what was damaged has a backslash in what may be a name. */
function hasMisleadingName(text: string): boolean {
  return [...text.matchAll(/"(?:[^"\\]|\\[^])*"?/g)].some(
    ({ 0: string, index }) => /\\\\|\\u005c/i.test(string) && /[{,]\s*$/.test(text.slice(0, index)),
  );
}

const check = (texts: fc.Arbitrary<string>, verdict: (text: string) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      texts.filter((text) => !hasMisleadingName(text)),
      verdict,
    ),
    { numRuns: TEXTS },
  );

describe('parseWithRows', () => {
  it('agrees with JSON.parse on JSON', async () => {
    await check(json, async (text) => expectSame(await walked(text), parsed(text)));
  });

  it('agrees with JSON.parse on damaged JSON after all rows are read, except for duplicate properties', async () => {
    const verdicts = { accepted: 0, refused: 0 };
    await check(damaged, async (text) => {
      const found = await walked(text);
      if (found === DUPLICATE) return;
      expectSame(found, parsed(text));
      verdicts[found ? 'accepted' : 'refused']++;
    });
    // The texts are damaged indeed, and not beyond recognition.
    expect(verdicts.refused).toBeGreaterThan(TEXTS / 3);
    expect(verdicts.accepted).toBeGreaterThan(TEXTS / 100);
  });

  it.each([
    ...words(`
    {"a":[1,]} {"a":[,1]} {"a":["x":1]} {"a","b"} {"a":[1},"b":2} {"a":[{"x":1]}} {"a":[[1},2],"b":3}
    {"a":[01]} {"a":["x]} {"a":[nul]} {"a":[1]]} {"a":[1]}} {"a":[1] {"a":[1],} {a:[1]} { [1} [1]] [1,]
    [nul]
  `),
    '{"a":[1 2]}',
    '{"a":["\\x"]}',
    '{"a":["\n"]}',
    '{"a" [1]}',
    '{"a":[1]} x',
    '\ufeff{"a":[1]}',
    '',
    '[1 2]',
  ])('refuses %j, as JSON.parse does', async (text) => {
    expect([await walked(text), parsed(text)]).toEqual([undefined, undefined]);
  });

  it('a duplicate property is reported, also if it is written with an escape', async () => {
    const names: string[] = [];
    const text = '{"a":[],"b":{"a":1,"a":2},"\\u0061":[1]}';
    await parseWithRows(Buffer.from(text), LIMITS, (pointer) => names.push(pointer));
    expect(names).toEqual(['/b/a', '/a']);
  });

  it('parses each row when it is read: rows before the damage are returned, also a second time', async () => {
    const { a } = await read('{"a":[{"n":1},{"n":2},{"n":tru}]}');
    expect(a).toHaveLength(3);
    for (let walk = 0; walk < 2; walk++) {
      const seen: unknown[] = [];
      expect(() => {
        for (const row of a) seen.push(row);
      }).toThrow(new JsonFault(22));
      expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    }
  });

  it('a long row nested deeper than the stack is rejected, a short one is parsed', async () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const { a } = await read(`{"a":[${deep(30_000)},1]}`);
    expect([...a]).toHaveLength(2);
    const { a: long } = await read(`{"a":[${deep(200_000)},1]}`);
    expect([...long]).toEqual([
      new UnfitRow(expect.objectContaining({ en: 'must be nested at most 64 levels deep' })),
      1,
    ]);
  });

  it('refuses more than a thousand properties beside the lists', async () => {
    const object = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])));
    expect(await walked(object(1_000))).toEqual(parsed(object(1_000)));
    const refused = parseWithRows(Buffer.from(object(1_001)), LIMITS, () => undefined);
    await expect(refused).rejects.toThrow(
      expect.objectContaining({
        detail: expect.objectContaining({
          en: 'the body must have at most 1,000 different property names',
        }),
      }),
    );
  });

  it.each([
    ['a text that is no list', `"${'x'.repeat(LIMITS.rowBytes)}"`],
    ['a property that is no list', `{"a":"${'x'.repeat(LIMITS.rowBytes)}"}`],
  ])('refuses %s and is larger than a row may be', async (_what, text) => {
    await expect(walked(text)).rejects.toThrow(TooManyRows);
  });

  it.each([
    ['as many rows as allowed', `{"a":[${Array(1_000).fill('1').join()}]}`, false],
    ['one more', `{"a":[${Array(1_001).fill('1').join()}]}`, true],
    ['one more in a list alone', `[${Array(1_001).fill('1').join()}]`, true],
    ['a row as large as allowed', `{"a":["${'x'.repeat(LIMITS.rowBytes - 2)}"]}`, false],
    ['a larger one', `{"a":["${'x'.repeat(LIMITS.rowBytes - 1)}"]}`, true],
  ])('%s', async (_what, text, isTooMany) => {
    await (isTooMany ? expect(walked(text)).rejects.toThrow(TooManyRows) : walked(text));
  });

  it('lets other work run while it delimits many rows', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await read(
      `{"a":[${Array(900)
        .fill(`"${'x'.repeat(30_000)}"`)
        .join()}]}`,
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it('negative control: unread rows are not checked', async () => {
    await expect(read('{"a":[nul]}')).resolves.toBeDefined();
  });
});

async function read(text: string): Promise<{ a: JsonRows }> {
  return (await parseWithRows(Buffer.from(text), LIMITS, fail)) as { a: JsonRows };
}

function fail(): never {
  throw new Error('no property is there twice');
}
