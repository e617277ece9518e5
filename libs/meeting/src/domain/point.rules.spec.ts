import { DomainError } from '#shared/errors/domain-error';
import { pointOf, resultatOf, verdictOf } from './point.rules';
import { assertPresences } from './presences.rules';

/** Pointers of the faults for which a rule refuses. */
function refused(rule: () => unknown): string[] {
  try {
    rule();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).code).toBe('Requete.Invalide');
    return (error as DomainError).members.errors!.map(({ pointer }) => pointer);
  }
  return [];
}

const POINT = { titre: 'T', ordre: 1 };

describe('pointOf', () => {
  it('fills in what a votable point does not say', () => {
    const votable = { ...POINT, votable: true };
    expect(pointOf(votable)).toEqual({ ...votable, typeVote: 'secret', majorite: 'simple' });
    const said = { ...votable, typeVote: 'nominal', majorite: 'deuxTiers' };
    expect(pointOf(said)).toEqual(said);
  });

  it('has no vote of a point that is not votable', () => {
    const silent = { ...POINT, votable: false };
    expect(pointOf({ ...silent, typeVote: null })).toEqual({ ...silent, typeVote: null, majorite: null });
    expect(refused(() => pointOf({ ...silent, majorite: 'simple' }))).toEqual(['/majorite']);
    expect(refused(() => pointOf({ ...silent, typeVote: 'secret', majorite: 'simple' }))).toEqual([
      '/typeVote',
      '/majorite',
    ]);
  });
});

const VOTES = { pour: 3, contre: 2, abstentions: 0 };

describe('resultatOf', () => {
  it('takes a count for a weight that is absent or null', () => {
    const byCount = { ...VOTES, poidsPour: '3', poidsContre: '2', poidsAbstentions: '0' };
    expect(resultatOf(VOTES)).toEqual(byCount);
    expect(resultatOf({ ...VOTES, poidsPour: null, poidsContre: '0.0001' })).toEqual({
      ...byCount,
      poidsContre: '0.0001',
    });
    expect(resultatOf({ ...VOTES, poidsAbstentions: '0.0000' }).poidsAbstentions).toBe('0.0000');
  });

  it.each<[object, string[]]>([
    [{ poidsPour: '0' }, ['/poidsPour']],
    [{ poidsPour: '0.0000' }, ['/poidsPour']],
    [{ poidsAbstentions: '0.0001' }, ['/poidsAbstentions']],
    [
      { poidsPour: '0', poidsContre: '0', poidsAbstentions: '1' },
      ['/poidsPour', '/poidsContre', '/poidsAbstentions'],
    ],
  ])('refuses %j, which contradicts the counts', (weights, pointers) => {
    expect(refused(() => resultatOf({ ...VOTES, ...weights }))).toEqual(pointers);
  });

  it('is exact where sums of floating-point numbers are not', () => {
    const votes = { pour: 9, contre: 1, abstentions: 9 };
    const half = resultatOf({ ...votes, poidsPour: '4.2', poidsContre: '0.1', poidsAbstentions: '4.1' });
    expect(verdictOf('absolue', half)).toBe(false);
    const twoThirds = resultatOf({ ...votes, poidsPour: '0.2', poidsContre: '0.1' });
    expect(verdictOf('deuxTiers', twoThirds)).toBe(true);
  });

  it('goes by weight, where more persons are against', () => {
    const heavy = resultatOf({ pour: 1, contre: 100, abstentions: 0, poidsPour: '100.0001' });
    expect(verdictOf('simple', heavy)).toBe(true);
    expect(verdictOf('simple', { ...heavy, poidsPour: '100.0000' })).toBe(false);
  });
});

describe('assertPresences', () => {
  it.each<[number, number, number | null | undefined, string[]]>([
    [0, 0, 0, []],
    [10, 10, 10, []],
    [10, 9, null, []],
    [10, 0, undefined, []],
    [9, 10, null, ['/presents']],
    [10, 9, 10, ['/votants']],
    [1, 2, 3, ['/presents', '/votants']],
  ])('%d registered, %d present, %s voters: %j', (inscrits, presents, votants, pointers) => {
    expect(refused(() => assertPresences({ inscrits, presents, votants }))).toEqual(pointers);
  });
});
