import fc from 'fast-check';
import { slugOf } from './slug';

/** Characters that an address may contain unescaped. */
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const DIGEST = /^campagne-[0-9a-f]{12}$/;

describe('slugOf', () => {
  it.each([
    ['Élection du comité exécutif 2027', 'election-du-comite-executif-2027'],
    ['Où ça ? À Noël, cœur naïf', 'ou-ca-a-noel-coeur-naif'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['Vote   sur  —  l’entente', 'vote-sur-l-entente'],
    ['-- Vote --', 'vote'],
    ['100 %', '100'],
    ['100 _', '100'],
    ['a/b\\c?d#e', 'a-b-c-d-e'],
    ['Щука', 'schuka'],
    // Words as they are written: capitals inside of them do not part them.
    ['FTQ SCFP CSNÉcole', 'ftq-scfp-csnecole'],
    ['Vote 🎉 2027', 'vote-2027'],
  ])('writes %j as %s', (titre, slug) => {
    expect(slugOf(titre)).toBe(slug);
  });

  it('is the same for one title composed and decomposed', () => {
    for (const titre of ['Élection', 'Ñandú', 'Å', 'がぎ', '가각']) {
      expect(slugOf(titre.normalize('NFD'))).toBe(slugOf(titre.normalize('NFC')));
    }
  });

  it('is a digest of a title without any letter or digit, another one for another title', () => {
    const titles = ['🎉', '🎉🎉', '👩‍🏭', '%', '%%', '_', '…', '中文', '日本'];
    const slugs = titles.map(slugOf);
    for (const slug of slugs) expect(slug).toMatch(DIGEST);
    expect(new Set(slugs).size).toBe(titles.length);
    expect(titles.map(slugOf)).toEqual(slugs);
  });

  it('keeps all of a long title', () => {
    expect(slugOf('a'.repeat(255))).toBe('a'.repeat(255));
    expect(slugOf('mot '.repeat(63))).toBe('mot-'.repeat(63).slice(0, -1));
  });

  it('can stand in an address as it is, whatever the title', () => {
    const titre = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(..."aZé9 -_%/\\'’&🎉ß\u0301中"), minLength: 1, maxLength: 30 }),
    );
    fc.assert(
      fc.property(titre, (text) => {
        const slug = slugOf(text);
        expect(slug).toMatch(SLUG);
        expect(slugOf(text)).toBe(slug);
      }),
      { numRuns: 2_000 },
    );
  });
});
