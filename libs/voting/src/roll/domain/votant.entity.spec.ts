import { DomainError } from '#platform/errors/domain-error';
import { Votant } from './votant.entity';
import type { VotantRecord } from './votant.fields';

const STORED = {
  ...{ identifiant: 'I', employeIdExterne: 'E-1', syndicatIdExterne: 'S', employeurIdentifiantExterne: null },
  aDroitDeVote: true,
  aVote: false,
  poids: '1.5',
};
const votant = (facts: Partial<Votant> = {}): Votant => Object.assign(new Votant(), STORED, facts);
const voted = (facts: Partial<Votant> = {}): Votant => votant({ aVote: true, ...facts });

/** Code of the error that a rule throws. */
function codeOf(rule: () => void): string | undefined {
  try {
    rule();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return (error as DomainError).code;
  }
  return undefined;
}

describe('Votant.assertMayBecome', () => {
  const FIXED: VotantRecord[] = [
    { ADroitDeVote: false },
    { Poids: '2' },
    { Poids: '1.5001' },
    { Nom: 'X', Poids: '1' },
    { EmployeIdExterne: 'E-2' },
    { EmployeIdExterne: 'e-1' },
    { EmployeIdExterne: null },
    { Identifiant: 'i' },
    { Identifiant: null },
    { SyndicatIdExterne: 'S-2' },
    { EmployeurIdentifiantExterne: 'E' },
  ];
  const FREE: VotantRecord[] = [
    {},
    { Nom: 'X', Prenom: 'Y', Courriel: null, Identifiant: 'I', SyndicatIdExterne: 'S' },
    { Poids: '1.50' },
    { Poids: null },
    { ADroitDeVote: true },
    { ADroitDeVote: null },
    { EmployeIdExterne: 'E-1', EmployeurIdentifiantExterne: null },
  ];

  it.each(FIXED)('%j is refused once the voter has voted, and allowed before', (change) => {
    expect(codeOf(() => voted().assertMayBecome(change))).toBe('Votant.AVote');
    expect(codeOf(() => votant().assertMayBecome(change))).toBeUndefined();
  });

  it.each(FREE)('%j is allowed, whether the voter has voted or not', (change) => {
    for (const one of [voted(), votant()]) expect(codeOf(() => one.assertMayBecome(change))).toBeUndefined();
  });

  it('a voter without an employee may not become one after voting; null changes nothing', () => {
    const nobody = voted({ employeIdExterne: null });
    expect(codeOf(() => nobody.assertMayBecome({ EmployeIdExterne: 'E-1' }))).toBe('Votant.AVote');
    expect(codeOf(() => nobody.assertMayBecome({ EmployeIdExterne: null }))).toBeUndefined();
  });
});

describe('Votant', () => {
  it.each([
    [votant(), { mayLoseDroitDeVote: true, removal: undefined, vote: undefined }],
    [
      votant({ aDroitDeVote: false }),
      { mayLoseDroitDeVote: true, removal: undefined, vote: 'Vote.SansDroitDeVote' },
    ],
    [voted(), { mayLoseDroitDeVote: false, removal: 'Votant.AVote', vote: 'Vote.DejaVote' }],
    [
      voted({ aDroitDeVote: false }),
      { mayLoseDroitDeVote: false, removal: 'Votant.AVote', vote: 'Vote.DejaVote' },
    ],
  ])('%j: loss of the right, removal and vote are %j', (one, expected) => {
    expect({
      mayLoseDroitDeVote: one.mayLoseDroitDeVote,
      removal: codeOf(() => one.assertRemovable()),
      vote: codeOf(() => one.assertMayVote()),
    }).toEqual(expected);
  });
});
