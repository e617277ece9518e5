import { createHash } from 'node:crypto';
import { fingerprint, generateKey, isWellFormedKey, type KeyKind } from './api-key';

const SHAPES: [KeyKind, RegExp][] = [
  ['production', /^mdt_prod_[0-9A-Za-z]{36}$/],
  ['staging', /^mdt_stg_[0-9A-Za-z]{36}$/],
  ['admin', /^mdt_admin_[0-9A-Za-z]{36}$/],
];
const { cle } = generateKey('staging');

describe('generateKey', () => {
  it.each(SHAPES)('%s: its environment, 30 random and 6 checksum characters', (kind, shape) => {
    const key = generateKey(kind);
    expect(key.cle).toMatch(shape);
    expect(isWellFormedKey(key.cle)).toBe(true);
    expect(key.cle.startsWith(key.prefixe)).toBe(true);
    // The part shown in lists leaves 24 random characters unknown.
    expect(key.prefixe).toHaveLength(key.cle.length - 30);
    expect(key.empreinte).toEqual(createHash('sha256').update(key.cle).digest());
  });

  it('draws each character from all 62 alike, and no key twice', () => {
    const keys = Array.from({ length: 6_000 }, () => generateKey('production').cle.slice(9, 39));
    expect(new Set(keys).size).toBe(6_000);
    const counts = new Map<string, number>();
    for (const character of keys.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 2,903 expected of each; eight standard deviations are 427, and a byte modulo 62 would be 600 off.
    for (const count of counts.values()) expect(Math.abs(count - 180_000 / 62)).toBeLessThan(427);
  });
});

describe('isWellFormedKey', () => {
  it('knows the CRC32 of all that precedes, in base62 (a value computed elsewhere)', () => {
    const body = `mdt_stg_${'0'.repeat(30)}`;
    expect(isWellFormedKey(`${body}2Xb0oF`)).toBe(true);
  });

  it('refuses every single wrong character, and neighbours that changed places', () => {
    const wrong = [...cle].flatMap((character, at) =>
      [...'0Az_', character.toUpperCase(), character.toLowerCase()]
        .filter((other) => other !== character)
        .map((other) => cle.slice(0, at) + other + cle.slice(at + 1)),
    );
    const swapped = [...cle]
      .map(
        (_, at) =>
          cle.slice(0, at) +
          cle
            .slice(at, at + 2)
            .split('')
            .reverse()
            .join('') +
          cle.slice(at + 2),
      )
      .filter((text) => text !== cle);
    expect(wrong.length).toBeGreaterThan(150);
    expect([...wrong, ...swapped].filter(isWellFormedKey)).toEqual([]);
    // Negative control: the search would have found the key itself.
    expect([...wrong, cle].filter(isWellFormedKey)).toEqual([cle]);
  });

  it.each([
    ['nothing', ''],
    ['a prefix alone', 'mdt_stg_'],
    ['a character less', cle.slice(0, -1)],
    ['a character more', `${cle}0`],
    ['a blank before', ` ${cle}`],
    ['a newline after', `${cle}\n`],
    ['the prefix of another environment', cle.replace('stg', 'prod')],
    ['a prefix that does not exist', cle.replace('stg', 'dev')],
    // The checksums of these are right.
    ['a prefix that does not exist, with its checksum', `mdt_dev_${'0'.repeat(30)}1WaOJs`],
    ['31 random characters', `mdt_stg_${'0'.repeat(31)}4JRJki`],
    ['a character that is none of the 62', `mdt_stg_${'0'.repeat(29)}_1bdHOE`],
    ['an emoji', cle.replace(/..$/, '😀')],
    ['junk', '%'.repeat(44)],
    ['very much', 'mdt_stg_'.repeat(100_000)],
  ])('refuses %s', (_what, text) => {
    expect(isWellFormedKey(text)).toBe(false);
  });
});

describe('fingerprint', () => {
  it('is SHA-256 of the text, which nothing of the key can be read from', () => {
    expect(fingerprint('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
