import { DomainError } from '#platform/errors/domain-error';
import { resultatOf } from './resultat';

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
});
