import { NOTHING } from '#platform/bulk/bulk-upsert';
import { dictionaryOf, effetsOf, NO_EFFETS } from './effets';
import { verbatim } from '#platform/errors/text';

const refusal = { index: 0, idExterne: 'E-1', message: verbatim('invalid e-mail') };

describe('effects of a sync', () => {
  it('sums each number over the lists', () => {
    const list = {
      created: 1,
      updated: 16,
      changed: 2,
      unchanged: 10,
      ended: 4,
      cleared: 5,
      refusals: [refusal],
    };
    expect(effetsOf([list, NOTHING, { ...list, created: 100 }])).toEqual({
      crees: 101,
      modifies: 4,
      inchanges: 20,
      termines: 8,
      champsVides: 10,
      refuses: 2,
    });
  });

  it('writes a dictionary of structured fields (RFC 9651) with each number under its name, zeros too', () => {
    const effets = { crees: 3, modifies: 1, inchanges: 10, termines: 2, champsVides: 5, refuses: 0 };
    const text = dictionaryOf(effets);
    expect(text).toBe('crees=3, modifies=1, inchanges=10, termines=2, champs-vides=5, refuses=0');
    // A member is a lowercase key and an integer (RFC 9651, section 3.2).
    for (const member of text.split(', ')) expect(member).toMatch(/^[a-z*][a-z0-9_.*-]*=\d{1,15}$/);
    expect(dictionaryOf(NO_EFFETS)).toBe(
      'crees=0, modifies=0, inchanges=0, termines=0, champs-vides=0, refuses=0',
    );
  });
});
