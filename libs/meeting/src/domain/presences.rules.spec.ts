import { DomainError } from '#platform/errors/domain-error';
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
