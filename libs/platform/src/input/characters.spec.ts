import { composed, directionFault, hasVisible, invisibleFault, writtenFault } from './characters';
import { identifier, text } from './field';

describe('composed', () => {
  it.each([
    ['Zoe\u0301', 'Zoé'],
    ['\u1112\u1161\u11ab', '한'],
    ['\u212b', 'Å'],
    ['Zoé', 'Zoé'],
    ['L’Écuyer', 'L’Écuyer'],
  ])('%j → %j', (sent, expected) => expect(composed(sent)).toBe(expected));

  it('keeps every text below U+0300, which NFC does not change', () => {
    for (let point = 0; point < 0x300; point++) {
      const one = String.fromCodePoint(point);
      for (const before of ['a', 'e', '<', '\u00e9']) expect((before + one).normalize()).toBe(before + one);
    }
  });
});

describe('hasVisible', () => {
  it.each(['a', 'é', '-', '한', '🎉', ' a '])('%j: true', (text) => expect(hasVisible(text)).toBe(true));
  it.each([
    '',
    ' ',
    '\u200b',
    '\u3164',
    '\ufeff',
    '\u2060\u00ad',
    '\u2800',
    '\u{e0041}',
    '\u115f',
    '\u00a0\u0007',
  ])('%j: false', (text) => expect(hasVisible(text)).toBe(false));
});

describe('invisibleFault', () => {
  it.each([
    ['a\u200bb', 'U+200B', 2],
    ['\ufeffa', 'U+FEFF', 1],
    ['🎉x\u2060', 'U+2060', 3],
    ['  a\tb', 'U+0009', 4],
    ['a\u00adb', 'U+00AD', 2],
    ['a\u2028b', 'U+2028', 2],
    ['\u3164', 'U+3164', 1],
    ['a\u{e0041}', 'U+E0041', 2],
  ])('%j names %s at character %i', (text, point, place) =>
    expect(invisibleFault(text)?.en).toBe(
      `must not contain ${point}, which is invisible, at character ${place}`,
    ),
  );

  it.each(['E-1', ' E-1\r\n', '\u00a0Zoé ', '한', 'a b'])('accepts %j', (text) =>
    expect(invisibleFault(text)).toBeUndefined(),
  );
});

describe('directionFault', () => {
  it('names each of the nine controls, and no mark of a right-to-left text', () => {
    for (const control of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
      const point = control.codePointAt(0)!.toString(16).toUpperCase();
      expect(directionFault(`a${control}`)?.en).toBe(
        `must not contain U+${point}, which changes its direction, at character 2`,
      );
    }
    expect(directionFault('שלום\u200f')).toBeUndefined();
  });
});

describe('writtenFault', () => {
  const id = identifier({ description: 'Identifier.' });
  const name = text(255, { required: true, description: 'Name.' });
  const note = text(255, { description: 'Note.' });
  const stored = identifier({ isStored: true, description: 'Stored identifier.' });

  it.each([
    ['.', id],
    ['..', id],
    [' .. ', id],
    ['a\u200b', id],
    ['\u200b', name],
    ['a\u202e', note],
    ['a\u0000', stored],
  ])('refuses %j', (sent, field) => expect(writtenFault(sent, field)).toBeDefined());

  it.each([
    ['...', id],
    ['.a', id],
    ['👩\u200d👧', name],
    ['\u200b', note],
    ['..', note],
    ['', name],
    ['a\u200b', stored],
    ['a\u202e', stored],
    ['.', stored],
  ])('accepts %j', (sent, field) => expect(writtenFault(sent, field)).toBeUndefined());
});
