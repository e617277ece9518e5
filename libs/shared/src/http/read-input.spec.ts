import 'reflect-metadata';
import { DomainError } from '../errors/domain-error';
import { text } from '../records/field';
import { Input } from './field.decorator';
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
