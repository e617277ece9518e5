import 'reflect-metadata';
import { DomainError, type InputFault } from '../errors/domain-error';
import { readOnly, text } from './field';
import { JsonRows } from './json-rows';
import { RecordValidator } from './record-validator';
import { definitionOf, Input, type RecordClass } from './field.decorator';
import { InputPipe } from './input.pipe';
import { PathPartPipe } from './path-part.pipe';

const PART = { nom: text(10, { required: true, description: 'Name.' }) };

class Part {
  @Input(PART.nom)
  nom: string;
}

class Whole {
  @Input({ kind: 'record', of: PART, description: 'One.' }, Part)
  partie?: Part | null;

  @Input({ kind: 'records', of: PART, max: 3, description: 'Some.' }, Part)
  parties?: Part[] | null;
}

const pipe = new InputPipe();

async function faultsOf(sent: object, metatype: RecordClass = Whole): Promise<unknown> {
  try {
    return await pipe.transform(sent, { type: 'body', metatype });
  } catch (error) {
    const { errors } = (error as DomainError).members ?? {};
    return errors?.map((fault) => ({ ...fault, detail: fault.detail.en })) ?? error;
  }
}

/** Lists in lists, deeper than any stack. */
function deep(): unknown {
  return JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
}

describe('A nested record', () => {
  it('a list is rejected', async () => {
    const fault = { pointer: '/partie', code: 'type', detail: 'must be an object' };
    for (const partie of [[], [[]], [{ nom: 'N' }], [[{ nom: 'N' }]], deep()]) {
      expect(await faultsOf({ partie })).toEqual([fault]);
    }
    expect(await faultsOf({ partie: { nom: 'N' } })).toEqual({ partie: { nom: 'N' } });
  });

  it('a list element that is no object is rejected', async () => {
    const fault = { pointer: '/parties/1', code: 'type', detail: 'must be an object' };
    for (const element of [null, 'N', [], [{ nom: 'N' }], deep()]) {
      expect(await faultsOf({ parties: [{ nom: 'N' }, element] })).toEqual([fault]);
    }
  });

  it('elements of a list that is too long are not validated', async () => {
    const fault = { pointer: '/parties', code: 'length', detail: 'must have at most 3 elements' };
    for (const element of [{ nom: 'N' }, {}, null, deep()]) {
      expect(await faultsOf({ parties: [element, element, element, element] })).toEqual([fault]);
    }
  });
});

class Payment {
  @Input({ kind: 'decimal', max: 1_000_000, decimals: 4, required: true, description: 'Amount.' })
  montant: string;

  @Input(text(3, { format: 'currency', description: 'Currency.' }))
  devise?: string | null;
}

class Total {
  @Input({ kind: 'decimal', max: 10, decimals: 2, orZero: true, description: 'Total.' })
  total?: string | null;
}

class Names {
  @Input({ kind: 'texts', max: 3, length: 5, description: 'Names.' })
  noms?: string[] | null;
}

async function codesOf(type: RecordClass, sent: object): Promise<unknown> {
  const faults = await faultsOf(sent, type);
  return Array.isArray(faults) ? faults.map(({ pointer, code }: InputFault) => `${pointer} ${code}`) : faults;
}

describe('A decimal number', () => {
  it.each([
    [45.5, '45.5'],
    ['45.50', '45.50'],
    [' 0.0001 ', '0.0001'],
    [1_000_000, '1000000'],
    ['1000000.0000', '1000000.0000'],
  ])('%j is read exactly, as %j', async (sent, montant) => {
    expect(await codesOf(Payment, { montant: sent })).toEqual({ montant });
  });

  it.each([
    0,
    -1,
    '0.0',
    '-3',
    1e21,
    1e-7,
    '1e3',
    '0x10',
    '1000000.0001',
    '0.00001',
    '1,5',
    '.5',
    '5.',
    'Infinity',
  ])('%j is out of range', async (montant) =>
    expect(await codesOf(Payment, { montant })).toEqual(['/montant range']),
  );

  it.each([true, {}, [], [1]])('%j has a wrong type', async (montant) => {
    expect(await codesOf(Payment, { montant })).toEqual(['/montant type']);
  });

  it.each([null, undefined, '', ' '])('%j is missing', async (montant) => {
    expect(await codesOf(Payment, { montant })).toEqual(['/montant required']);
  });

  it('0 is accepted if the field permits it, also in bulk', async () => {
    const bulk = new RecordValidator(definitionOf(Total));
    for (const [sent, total] of [
      [0, '0'],
      [-0, '0'],
      ['0.00', '0.00'],
      [10, '10'],
    ] as const) {
      expect(await codesOf(Total, { total: sent })).toEqual({ total });
      expect(bulk.check({ total: sent })).toEqual({ values: { total } });
    }
    const en = 'total must be a decimal number of at least 0, at most 10, with at most 2 decimals';
    for (const total of [-1, '-0', '0.000', 10.01]) {
      expect(await codesOf(Total, { total })).toEqual(['/total range']);
      expect(bulk.check({ total })).toMatchObject({ fault: { en } });
    }
  });
});

describe('A currency', () => {
  it.each(['CAD', 'EUR', 'JPY'])('%s is accepted', async (devise) => {
    expect(await codesOf(Payment, { montant: 1, devise })).toEqual({ montant: '1', devise });
  });

  it.each(['cad', 'CA', '$', 'ABC'])('%s is rejected', async (devise) => {
    expect(await codesOf(Payment, { montant: 1, devise })).toEqual(['/devise currency']);
  });
});

describe('A list of texts', () => {
  it('is trimmed', async () =>
    expect(await codesOf(Names, { noms: [' a', 'b '] })).toEqual({ noms: ['a', 'b'] }));

  it('may be empty or absent', async () => {
    expect(await codesOf(Names, { noms: [] })).toEqual({ noms: [] });
    expect(await codesOf(Names, {})).toEqual({});
  });

  it.each<[unknown, string[]]>([
    [
      ['', 1, null],
      ['/noms/0 required', '/noms/1 type', '/noms/2 type'],
    ],
    [['a', '👍👍👍👍👍', '👍👍👍👍👍👍'], ['/noms/2 length']],
    [
      ['a\u0000', '\ud800', 'b'],
      ['/noms/0 characters', '/noms/1 characters'],
    ],
    [['a', 'b', 'a '], ['/noms duplicate']],
    [['a', 'b', 'c', 'd'], ['/noms length']],
    ['a', ['/noms type']],
    [{}, ['/noms type']],
  ])('%j: each wrong element is reported', async (noms, faults) => {
    expect(await codesOf(Names, { noms })).toEqual(faults);
  });

  it('a nested list instead of a text is not read', async () => {
    expect(await codesOf(Names, { noms: ['a', deep(), 'b'] })).toEqual(['/noms/1 type']);
  });
});

class Mixed {
  @Input(text(10, { required: true, description: 'Name.' }))
  nom: string;

  @Input({ kind: 'integer', min: 1, max: 9, description: 'Rank.' })
  rang?: number | null;

  @Input({ kind: 'date', description: 'Since when.' })
  depuis?: Date | null;

  @Input({ kind: 'boolean', description: 'Whether it is active.' })
  actif?: boolean | null;

  @Input({ kind: 'choices', values: ['a', 'b'], description: 'Letters.' })
  lettres?: string[] | null;

  @Input({ kind: 'rows', description: 'Lines.' })
  lignes?: Iterable<unknown> | null;

  @Input(readOnly('Identifier.', 'x'))
  id?: unknown;
}

class Many {
  @Input({ kind: 'texts', max: 25_000, length: 10, description: 'Names.' })
  noms?: string[] | null;
}

describe('A request class', () => {
  it('unknown names are rejected, and their values are not read', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', '0', '', 'NOM'];
    const sent = Object.fromEntries([['nom', 'N'], ...names.map((name) => [name, deep()] as const)]);
    expect(await codesOf(Mixed, sent)).toHaveLength(names.length);
    for (const name of names) {
      const one = Object.fromEntries([['nom', 'N'] as const, [name, deep()] as const]);
      expect(await codesOf(Mixed, one)).toEqual([`/${name} unknown`]);
    }
  });

  it('an object or a list instead of another value is rejected and not read', async () => {
    for (const value of [deep(), { a: deep() }]) {
      expect(await codesOf(Mixed, { nom: value, rang: value, depuis: value, actif: value })).toEqual([
        '/nom type',
        '/rang type',
        '/depuis date',
        '/actif type',
      ]);
      expect(await codesOf(Mixed, { nom: 'N', lettres: ['a', value] })).toEqual(['/lettres choice']);
    }
  });

  it('values of other types are rejected, not converted', async () => {
    expect(await codesOf(Mixed, { nom: 5, rang: '3', actif: 'true' })).toEqual([
      '/nom type',
      '/rang type',
      '/actif type',
    ]);
  });

  it('unreadable values come first, in the order sent, then broken rules in the order of the class', async () => {
    const sent = { depuis: 'hier', inconnu: 1, rang: 10, Nom: 'a\u0000', nom: 'b' };
    expect(await codesOf(Mixed, sent)).toEqual([
      '/inconnu unknown',
      '/Nom characters',
      '/nom duplicate',
      '/rang range',
      '/depuis date',
    ]);
  });

  it('read-only properties are dropped; a duplicate is rejected', async () => {
    expect(await faultsOf({ nom: 'N', id: deep() }, Mixed)).toEqual({ nom: 'N' });
    expect(await codesOf(Mixed, { nom: 'N', id: 1, Id: 2 })).toEqual(['/Id duplicate']);
  });

  it('a list of rows stays the same object', async () => {
    const lignes = new JsonRows(Buffer.from('[1,2]'), [1, 2, 3, 4]);
    const { lignes: kept } = (await faultsOf({ nom: 'N', Lignes: lignes }, Mixed)) as Mixed;
    expect(kept).toBe(lignes);
    expect([...kept!]).toEqual([1, 2]);
  });

  it('a list of texts that is not read yet is read up to one too many', async () => {
    const quoted = (count: number): number[] =>
      Array.from({ length: count }, (_, n) => [4 * n + 1, 4 * n + 4]).flat();
    const noms = new JsonRows(Buffer.from('["a","b"]'), quoted(2));
    expect(await faultsOf({ noms }, Names)).toEqual({ noms: ['a', 'b'] });
    // Reading the last element would throw, because it is no JSON.
    const many = new JsonRows(Buffer.from('["a","b","c","d",!!!]'), quoted(5));
    expect(await codesOf(Names, { noms: many })).toEqual(['/noms length']);
  });

  it('25,000 texts are read within a second of CPU time', async () => {
    const noms = Array.from({ length: 25_000 }, (_, index) => ` ${index} `);
    const begin = process.cpuUsage();
    const input = (await faultsOf({ noms }, Many)) as Many;
    expect(process.cpuUsage(begin).user).toBeLessThan(1_000_000);
    expect(input.noms!.at(-1)).toBe('24999');
  });
});

class Crowd {
  @Input({ kind: 'records', of: PART, max: 1_000, description: 'Some.' }, Part)
  parties?: Part[] | null;

  @Input({ kind: 'choices', values: ['a', 'b', 'c'], description: 'Letters.' })
  lettres?: string[] | null;
}

describe('A request with many faults', () => {
  const SENTENCE =
    'The first 100 faults are listed in errors; there may be more. Correct them and send the request again.';

  /** The refusal of a body, which must be one. */
  async function refusalOf(sent: object, metatype: RecordClass): Promise<DomainError> {
    const refusal: unknown = await pipe
      .transform(sent, { type: 'body', metatype })
      .catch((error: unknown) => error);
    if (!(refusal instanceof DomainError)) throw new Error('The body was accepted.');
    return refusal;
  }

  const unknown = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));

  it('lists 99 faults and their number', async () => {
    const { message, members } = await refusalOf({ nom: 'N', ...unknown(99) }, Part);
    expect(message).toBe('The request has 99 faults, see errors.');
    expect(members.errors).toHaveLength(99);
  });

  it.each([100, 101, 90_000])(
    'lists the first hundred of %i, and says that there may be more',
    async (count) => {
      const { message, members } = await refusalOf({ nom: 'N', ...unknown(count) }, Part);
      expect(message).toBe(SENTENCE);
      expect(members.errors!.map(({ pointer }) => pointer)).toEqual(
        Array.from({ length: 100 }, (_, index) => `/x${index}`),
      );
    },
  );

  /** Records each of which counts how often its name is read. */
  function counted(count: number, more: object): { records: object[]; reads: () => number } {
    let reads = 0;
    const records = Array.from({ length: count }, () =>
      Object.defineProperty({ ...more }, 'nom', { enumerable: true, get: () => (reads++, 'N') }),
    );
    return { records, reads: () => reads };
  }

  it('reading stops at the hundredth fault', async () => {
    const { records, reads } = counted(1_000, { inconnu: 1 });
    const { message, members } = await refusalOf({ parties: records }, Crowd);
    expect(message).toBe(SENTENCE);
    expect(members.errors).toHaveLength(100);
    expect(reads()).toBeLessThanOrEqual(100);
  });

  it('negative control: all valid records are read', async () => {
    const { records, reads } = counted(1_000, {});
    await pipe.transform({ parties: records }, { type: 'body', metatype: Crowd });
    expect(reads()).toBe(1_000);
  });

  it('validation stops at the hundredth nested record without a required name', async () => {
    const parties = Array.from({ length: 1_000 }, () => ({}));
    const { message, members } = await refusalOf({ parties }, Crowd);
    expect(message).toBe(SENTENCE);
    expect(members.errors).toHaveLength(100);
    expect(members.errors!.at(-1)).toEqual({
      pointer: '/parties/99/nom',
      code: 'required',
      detail: { en: 'is required', fr: 'est obligatoire' },
    });
  });

  /** A list that counts how many of its elements are read. */
  function watched(list: unknown[]): { list: unknown[]; reads: () => number } {
    const read = new Set<string>();
    const proxy = new Proxy(list, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read.add(key);
        return Reflect.get(target, key) as unknown;
      },
    });
    return { list: proxy, reads: () => read.size };
  }

  it('reading stops at the hundredth wrong text of a list', async () => {
    const { list, reads } = watched(Array.from({ length: 25_000 }, () => 1));
    const { message, members } = await refusalOf({ noms: list }, Many);
    expect(message).toBe(SENTENCE);
    expect(members.errors).toHaveLength(100);
    expect(reads()).toBeLessThanOrEqual(101);
  });

  it.each(['a', 'z', 1, {}, []])(
    'a list of choices is read up to the number of words and one: %j',
    async (word) => {
      const { list, reads } = watched(Array.from({ length: 25_000 }, () => word));
      const { members } = await refusalOf({ lettres: list }, Crowd);
      expect(members.errors).toHaveLength(1);
      expect(reads()).toBeLessThanOrEqual(4);
    },
  );

  it('the pointer to a long name is short and well-formed', async () => {
    for (const name of [
      'n'.repeat(1_000_000),
      `${'n'.repeat(99)}😀`,
      '~/'.repeat(1_000),
      '\ud800'.repeat(500),
    ]) {
      const { members } = await refusalOf({ nom: 'N', [name]: 1 }, Part);
      const { pointer } = members.errors![0]!;
      expect(pointer.length).toBeLessThanOrEqual(201);
      expect(pointer.isWellFormed()).toBe(true);
    }
  });
});

describe('A query string', () => {
  const read = async (query: object): Promise<unknown> => {
    try {
      return await pipe.transform(Object.assign(Object.create(null), query), {
        type: 'query',
        metatype: Mixed,
      });
    } catch (error) {
      return (error as DomainError).members.errors!.map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };

  it('values are turned into the types of their fields', async () => {
    const sent = { nom: ' N ', rang: '3', actif: 'true', depuis: '2026-01-01T00:00:00 05:00' };
    const depuis = new Date('2025-12-31T19:00:00Z');
    expect(await read(sent)).toEqual({ nom: 'N', rang: 3, actif: true, depuis });
  });

  it('900 unknown parameters: the first hundred are listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x${index}`, '1']));
    expect(await read({ nom: 'N', ...many })).toHaveLength(100);
  });

  it('unknown, repeated and empty parameters are refused', async () => {
    expect(await read({ Nom: 'N', nom: ['a', 'b'], rang: ' ', actif: 'oui' })).toEqual([
      '?Nom unknown',
      '?nom duplicate',
      '?rang required',
      '?actif type',
    ]);
  });
});

describe('Several arguments of one request', () => {
  it('faults of the body come before those of the query string, and those before the path', async () => {
    const refused: string[] = [];
    const parts = [
      new PathPartPipe().transform(' ', { type: 'param', data: 'id' }).catch(() => refused.push('param')),
      pipe.transform({ inconnu: '1' }, { type: 'query', metatype: Mixed }).catch(() => refused.push('query')),
      pipe.transform({ nom: 5 }, { type: 'body', metatype: Mixed }).catch(() => refused.push('body')),
    ];
    await Promise.all(parts);
    expect(refused).toEqual(['body', 'query', 'param']);
  });
});
