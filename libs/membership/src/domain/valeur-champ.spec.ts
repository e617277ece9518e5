import type { TypeChamp } from './champ-utilisateur.fields';
import { type ChampDefinition, readValeur, type WrongValeur } from './valeur-champ';

const champ = (type: TypeChamp, obligatoire = false): ChampDefinition => ({
  nom: 'Champ',
  type,
  obligatoire,
  choix: new Map(
    type === 'choix'
      ? [
          ['NUIT', 'Nuit'],
          ['true', 'Vrai'],
        ]
      : [],
  ),
});
const DATE =
  'must be an ISO 8601 date-time with Z or an offset, such as 2026-01-31T13:00:00Z, or a date AAAA-MM-JJ';
const EMPTY = { removed: false, texte: null, date: null, booleen: null, choix: null };

describe('readValeur', () => {
  it.each<[TypeChamp, string, object]>([
    ['texte', 'Casque bleu', { texte: 'Casque bleu' }],
    ['texte', 'true', { texte: 'true' }],
    ['date', '2026-01-31', { date: new Date('2026-01-31T00:00:00Z') }],
    ['date', '2026-01-31T12:00:00+02:00', { date: new Date('2026-01-31T10:00:00Z') }],
    ['booleen', 'true', { booleen: true }],
    ['booleen', 'false', { booleen: false }],
    ['choix', 'NUIT', { choix: 'NUIT' }],
    ['choix', 'true', { choix: 'true' }],
  ])('a field of type %s takes %j', (type, sent, value) => {
    expect(readValeur(champ(type), sent)).toEqual({ ...EMPTY, ...value });
  });

  it.each<[TypeChamp, string, string]>([
    ['date', '31/01/2026', DATE],
    ['date', '2026-02-30', `${DATE}; this day does not exist`],
    ['booleen', 'True', 'must be true or false'],
    ['booleen', '1', 'must be true or false'],
    ['choix', 'Nuit', 'must be the external identifier of a choice of the field: NUIT, true'],
    ['choix', 'nuit', 'must be the external identifier of a choice of the field: NUIT, true'],
  ])('a field of type %s refuses %j', (type, sent, sentence) => {
    expect(readValeur(champ(type), sent)).toMatchObject({ fault: { en: sentence } });
  });

  it('lists the first choices only', () => {
    const choix = (count: number, length: number) =>
      new Map(Array.from({ length: count }, (_, n) => [`${n}`.padStart(length, 'C'), 'x']));
    const refused = (count: number, length: number) =>
      (readValeur({ ...champ('choix'), choix: choix(count, length) }, 'none') as WrongValeur).fault.en.split(
        ', ',
      );
    expect(refused(20, 5)).toHaveLength(20);
    expect(refused(21, 5).slice(-2)).toEqual(['CCC19', '…']);
    expect(refused(20, 255)).toHaveLength(2);
  });

  it.each(['texte', 'date', 'booleen', 'choix'] as const)(
    'no value removes that of a %s field, unless it is mandatory',
    (type) => {
      expect(readValeur(champ(type), null)).toEqual({ removed: true });
      expect(readValeur(champ(type, true), null)).toMatchObject({
        fault: { en: 'must not be removed, since the field is mandatory' },
      });
    },
  );
});
