import 'reflect-metadata';
import { DomainError } from '../errors/domain-error';
import { text } from '../records/field';
import { RecordValidator } from '../records/record-validator';
import { definitionOf, Input } from './field.decorator';
import { readInput } from './read-input';

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

function faultsOf(sent: object): unknown {
  try {
    return readInput(Whole, sent, 'body');
  } catch (error) {
    return (error as DomainError).members?.errors ?? error;
  }
}

/** Lists in lists, deeper than any stack. */
function deep(): unknown {
  return JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
}

describe('A nested record', () => {
  it('is no list, whatever that holds', () => {
    const fault = { pointer: '/partie', code: 'type', detail: 'must be an object' };
    for (const partie of [[], [[]], [{ nom: 'N' }], [[{ nom: 'N' }]], deep()]) {
      expect(faultsOf({ partie })).toEqual([fault]);
    }
    expect(faultsOf({ partie: { nom: 'N' } })).toEqual({ partie: { nom: 'N' } });
  });

  it('is an object in a list of them', () => {
    const fault = { pointer: '/parties/1', code: 'type', detail: 'must be an object' };
    for (const element of [null, 'N', [], [{ nom: 'N' }], deep()]) {
      expect(faultsOf({ parties: [{ nom: 'N' }, element] })).toEqual([fault]);
    }
  });

  it('is not looked at in a list that is too long', () => {
    const fault = { pointer: '/parties', code: 'length', detail: 'must have at most 3 elements' };
    for (const element of [{ nom: 'N' }, {}, null, deep()]) {
      expect(faultsOf({ parties: [element, element, element, element] })).toEqual([fault]);
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

function codesOf(type: new () => object, sent: object): unknown {
  try {
    return readInput(type, sent, 'body');
  } catch (error) {
    return ((error as DomainError).members.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('A decimal number', () => {
  it.each([
    [45.5, '45.5'],
    ['45.50', '45.50'],
    [' 0.0001 ', '0.0001'],
    [1_000_000, '1000000'],
    ['1000000.0000', '1000000.0000'],
  ])('%j is read as %j, without losing a digit', (sent, montant) => {
    expect(codesOf(Payment, { montant: sent })).toEqual({ montant });
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
  ])('%j is none within the bounds', (montant) =>
    expect(codesOf(Payment, { montant })).toEqual(['/montant range']),
  );

  it.each([true, {}, [], [1]])('%j is no number at all', (montant) => {
    expect(codesOf(Payment, { montant })).toEqual(['/montant type']);
  });

  it.each([null, undefined, '', ' '])('%j is missing', (montant) => {
    expect(codesOf(Payment, { montant })).toEqual(['/montant required']);
  });

  it('may be 0 where its field says so, in bulk, too', () => {
    const bulk = new RecordValidator(definitionOf(Total));
    for (const [sent, total] of [
      [0, '0'],
      [-0, '0'],
      ['0.00', '0.00'],
      [10, '10'],
    ] as const) {
      expect(codesOf(Total, { total: sent })).toEqual({ total });
      expect(bulk.check({ total: sent })).toEqual({ values: { total } });
    }
    const fault = 'total must be a decimal number of at least 0, at most 10, with at most 2 decimals';
    for (const total of [-1, '-0', '0.000', 10.01]) {
      expect(codesOf(Total, { total })).toEqual(['/total range']);
      expect(bulk.check({ total })).toEqual({ fault });
    }
  });
});

describe('A currency', () => {
  it.each(['CAD', 'EUR', 'JPY'])('%s is one', (devise) => {
    expect(codesOf(Payment, { montant: 1, devise })).toEqual({ montant: '1', devise });
  });

  it.each(['cad', 'CA', '$', 'ABC'])('%s is none', (devise) => {
    expect(codesOf(Payment, { montant: 1, devise })).toEqual(['/devise currency']);
  });
});

describe('A list of texts', () => {
  it('is trimmed', () => expect(codesOf(Names, { noms: [' a', 'b '] })).toEqual({ noms: ['a', 'b'] }));

  it('may be empty or absent', () => {
    expect(codesOf(Names, { noms: [] })).toEqual({ noms: [] });
    expect(codesOf(Names, {})).toEqual({});
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
  ])('%j is refused where it is wrong', (noms, faults) => {
    expect(codesOf(Names, { noms })).toEqual(faults);
  });

  it('is not looked into where it should hold texts', () => {
    expect(codesOf(Names, { noms: ['a', deep(), 'b'] })).toEqual(['/noms/1 type']);
  });
});
