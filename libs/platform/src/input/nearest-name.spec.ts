import { nearestName } from './nearest-name';

const NAMES = ['idExterne', 'prenom', 'nom', 'noMembre', 'courriel', 'telephonePrincipal'];

describe('nearestName', () => {
  it.each([
    ['IDEXTERNE', 'idExterne'],
    ['id_externe', 'idExterne'],
    ['Prénom', 'prenom'],
    ['prenon', 'prenom'],
    ['coureil', 'courriel'],
    ['telephone_principale', 'telephonePrincipal'],
    ['numMembre', 'noMembre'],
    ['nm', 'nom'],
  ])('%s means %s', (sent, name) => {
    expect(nearestName(sent, NAMES)).toBe(name);
  });

  it.each(['surnom'.repeat(3), 'age', 'lastName', '', '名', 'x'.repeat(100)])(
    '%s means none of them',
    (sent) => {
      expect(nearestName(sent, NAMES)).toBeUndefined();
    },
  );
});
