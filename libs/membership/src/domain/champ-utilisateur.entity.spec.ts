import { DomainError } from '#platform/errors/domain-error';
import { ChampUtilisateur } from './champ-utilisateur.entity';
import type { ChampRecord } from './champ-utilisateur.fields';

const STORED = { type: 'texte' as const, obligatoire: true };
const choix = (...ids: string[]) => ids.map((idExterne) => ({ idExterne, libelle: idExterne }));

/** Returns the field that a record makes, or pointers and codes of its validation errors. */
function replaced(record: Partial<ChampRecord>): object {
  const champ = Object.assign(new ChampUtilisateur(), STORED);
  try {
    champ.replaceWith({ nom: 'Taille', type: 'texte', ...record });
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect({ ...champ }).toEqual(STORED);
    return (error as DomainError).members.errors!.map(({ pointer, code }) => [pointer, code]);
  }
  return { ...champ };
}

describe('ChampUtilisateur.replaceWith', () => {
  it('takes over the type, the choices and whether a value is required, which is false if absent', () => {
    expect(replaced({ type: 'date' })).toEqual({ type: 'date', obligatoire: false, choix: [] });
    const chosen = { type: 'choix' as const, obligatoire: true, choix: choix('A', 'B') };
    expect(replaced(chosen)).toEqual(chosen);
  });

  it.each<[Partial<ChampRecord>, [pointer: string, code: string][]]>([
    [{ type: 'choix' }, [['/choix', 'required']]],
    [{ type: 'choix', choix: [] }, [['/choix', 'required']]],
    [{ type: 'texte', choix: choix('A') }, [['/choix', 'choice']]],
    [
      { type: 'choix', choix: choix('A', 'B', 'A', 'B') },
      [
        ['/choix/2/idExterne', 'duplicate'],
        ['/choix/3/idExterne', 'duplicate'],
      ],
    ],
  ])('%j has the faults %j and changes nothing', (record, faults) => {
    expect(replaced(record)).toEqual(faults);
  });
});
