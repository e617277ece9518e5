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
    ['Modiﬁcation du 1ᵉʳ mai, nº ２', 'modification-du-1er-mai-no-2'],
    ['10 m² ½', '10-m2-1-2'],
    ['Объявление о выборах', 'obyavlenie-o-vyborakh'],
    ['Ψηφοφορία 2027', 'psifoforia-2027'],
    ['انتخاب اللجنة ٢٠٢٧', 'antkhab-alljnt-2027'],
    ['საქართველო', 'saqartvelo'],
    ['Հայաստան', 'hayastan'],
    ['Bỏ phiếu bầu ban chấp hành', 'bo-phieu-bau-ban-chap-hanh'],
    ['Kahnawàːke, Tłı̨chǫ, Hawaiʻi', 'kahnawake-tlicho-hawaii'],
  ])('writes %j as %s', (titre, slug) => {
    expect(slugOf(titre)).toBe(slug);
  });

  it('is the same for one title composed and decomposed', () => {
    for (const titre of ['Élection', 'Ñandú', 'Å', 'がぎ', '가각', 'Vote 가각', 'Ὁδός', 'SENĆOŦEN', 'ᐊé']) {
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

  it.each([
    ['Vote ᐊᖓᔪᖅᑳᖅ', 'vote'],
    ['ᐊᖓᔪᖅᑳᖅ', 'campagne'],
    ['中文 2027', '2027'],
    ['2027年の選挙', '2027'],
    ['שלום — Vote', 'vote'],
    ['मतदान 🎉 Vote', 'vote'],
    ['SENĆOŦEN', 'senco-en'],
    ['Ὁδός', 'dos'],
  ])('appends a digest to %j, whose letters are lost in part or all', (titre, readable) => {
    expect(slugOf(titre)).toMatch(new RegExp(`^${readable}-[0-9a-f]{12}$`));
  });

  it('is another one for titles that differ in lost letters only', () => {
    const titles = ['Vote ᐊ', 'Vote ᐃ', 'Vote ᐊᐃ', 'Vote 中', 'Vote', 'ᐊ Vote', 'Vo中te', 'Vo文te', 'Vo te'];
    expect(new Set(titles.map(slugOf)).size).toBe(titles.length);
  });

  it('keeps all of a long title', () => {
    expect(slugOf('a'.repeat(255))).toBe('a'.repeat(255));
    expect(slugOf('mot '.repeat(63))).toBe('mot-'.repeat(63).slice(0, -1));
    const [one, other] = ['ᐊ', 'ᐃ'].map((last) => slugOf(`${'a'.repeat(254)}${last}`));
    expect(one).toMatch(new RegExp(`^${'a'.repeat(254)}-[0-9a-f]{12}$`));
    expect(other).not.toBe(one);
  });

  it('fits into an index of PostgreSQL, whatever 255 characters the title has', () => {
    // The longest transliteration of one character has 7 letters.
    expect(slugOf(`${'🦄'.repeat(254)}中`)).toHaveLength(254 * 8 + 12);
    const lengths = [];
    for (const [first, end] of [
      [0x20, 0x3400],
      [0xf900, 0x10000],
      [0x1f000, 0x20000],
    ] as const)
      for (let code = first; code < end; code++)
        lengths.push(slugOf(`${String.fromCodePoint(code)} `).length);
    expect(Math.max(...lengths)).toBe('campagne-'.length + 12);
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
