import { createHash } from 'node:crypto';
import { TouchedIds } from '../database/touched-ids';
import { MOST_IDS, textOfDetail } from './audit-detail';

const ids = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_one, index) => String(from + index).padStart(6, '0'));

const lines = (of: readonly string[]): string => of.join('\n');

const told = (ajoutes: TouchedIds): unknown => JSON.parse(textOfDetail({ ajoutes })!);

describe('The detail of an audit entry', () => {
  it('names up to 1,000 ids, in ascending order over several statements', () => {
    const touched = new TouchedIds().add(500, lines(ids(500, 500))).add(500, lines(ids(500)));
    const detail = { type: 'ajout', nombre: MOST_IDS, ids: ids(MOST_IDS), empreinte: null, champs: [] };
    expect(told(touched)).toEqual([detail]);
  });

  it('more records give their number and a digest, which does not depend on the statements', () => {
    const all = ids(MOST_IDS + 1);
    const empreinte = createHash('sha256').update(lines(all)).digest('hex');
    const detail = { type: 'ajout', nombre: MOST_IDS + 1, ids: null, empreinte, champs: [] };
    expect(told(new TouchedIds().add(all.length, lines(all)))).toEqual([detail]);
    const inTwo = new TouchedIds().add(1, all.at(-1)!).add(all.length - 1, lines(all.slice(0, -1)));
    expect(told(inTwo)).toEqual([detail]);
  });

  it('names fields of modifications only', () => {
    const one = new TouchedIds().add(1, 'a');
    const change = { ajoutes: one, modifies: one, retires: one, champs: ['Nom'] };
    expect(JSON.parse(textOfDetail(change)!)).toMatchObject([
      { type: 'ajout', champs: [] },
      { type: 'modification', champs: ['Nom'] },
      { type: 'retrait', champs: [] },
    ]);
  });

  it('an unchanged record gives undefined', () => {
    expect(textOfDetail({ ajoutes: new TouchedIds().add(0, null), champs: ['Nom'] })).toBe(null);
    expect(textOfDetail({})).toBe(null);
  });
});
