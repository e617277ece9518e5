import { DomainError } from '#platform/errors/domain-error';
import { DemandeAdhesion } from './demande-adhesion.entity';

const DECIDED = new Date('2026-03-02T14:05:09.120Z');

const demande = (): DemandeAdhesion => Object.assign(new DemandeAdhesion(), { statut: 'ATransferer' });

function confirmed(): DemandeAdhesion {
  const one = demande();
  one.confirm('E-1', 'card', DECIDED);
  return one;
}

function rejected(): DemandeAdhesion {
  const one = demande();
  one.reject('Unknown person', DECIDED);
  return one;
}

/** Whether a decision is awaited, or the code of the error. */
function answer(one: DemandeAdhesion, decision: 'Confirmee' | 'Rejetee'): boolean | string {
  try {
    return one.awaits(decision);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return (error as DomainError).code;
  }
}

describe('DemandeAdhesion.awaits', () => {
  it.each<[string, DemandeAdhesion, confirmation: boolean | string, rejection: boolean | string]>([
    ['undecided', demande(), true, true],
    ['confirmed', confirmed(), false, 'Conciliation.DejaTraitee'],
    ['rejected', rejected(), 'Conciliation.DejaTraitee', false],
  ])('a request that is %s', (_name, one, confirmation, rejection) => {
    expect([answer(one, 'Confirmee'), answer(one, 'Rejetee')]).toEqual([confirmation, rejection]);
  });
});

describe('DemandeAdhesion.confirm and reject', () => {
  it('keep the decision, its date, and the employee and card or the reason', () => {
    const dateDecision = DECIDED;
    expect(confirmed()).toEqual({
      ...{ statut: 'Confirmee', idExterneEmploye: 'E-1', adhesionId: 'card', dateDecision },
    });
    expect(rejected()).toEqual({ statut: 'Rejetee', raison: 'Unknown person', dateDecision });
  });
});
