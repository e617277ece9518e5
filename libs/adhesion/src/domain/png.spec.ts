import { deflateSync } from 'node:zlib';
import {
  chunk,
  dataUrl,
  encodePng,
  header,
  parts,
  png,
  pngOf,
  soundImages,
} from '../../../../test/adhesion/support/png';
import { pixelsOf, readPngDataUrl, SIGNATURE_BYTES } from './png';
import type { Text } from '#platform/errors/text';

const SMALL = { width: 2, height: 3 };
const { ihdr, idat, iend } = parts(SMALL);

describe('pixelsOf', () => {
  it('returns a whole image, in which chunks that decoders skip are empty', () => {
    const secret = chunk('zTXt', Buffer.concat([Buffer.from('k\0\0'), deflateSync(Buffer.alloc(1_000_000))]));
    const palette = chunk('PLTE', Buffer.alloc(6));
    const empty = chunk('spAc');
    expect(pixelsOf(png(ihdr, secret, palette, idat, secret, iend))).toEqual(
      png(ihdr, empty, palette, idat, empty, iend),
    );
    for (const [what, bytes] of Object.entries(soundImages())) {
      expect([what, pixelsOf(bytes)]).toEqual([what, expect.any(Buffer)]);
    }
  });

  it.each<[string, Buffer, string]>([
    ['no bytes', Buffer.alloc(0), 'do not begin as one'],
    ['the beginning only', encodePng(SMALL).subarray(0, 28), 'do not begin as one'],
    [
      'an image after another byte',
      Buffer.concat([Buffer.from(' '), encodePng(SMALL)]),
      'do not begin as one',
    ],
    ['no header', png(idat, iend), 'do not begin as one'],
    [
      'a header of another length',
      png(chunk('IHDR', Buffer.alloc(14, 1)), idat, iend),
      'do not begin as one',
    ],
    ['no end', png(ihdr, idat), 'is cut off'],
    ['a damaged end', png(ihdr, idat, chunk('IEND', undefined, 1)), 'is cut off'],
    ['a part longer than the rest', png(ihdr, Buffer.from('ffffffff49444154', 'hex'), iend), 'is cut off'],
    ['a byte after the end', png(ihdr, idat, iend, Buffer.alloc(1)), 'something follows its end'],
    ['an image after the end', png(ihdr, idat, iend, encodePng(SMALL)), 'something follows its end'],
  ])('refuses %s', (_what, bytes, fault) => {
    expect((pixelsOf(bytes) as Text).en).toContain(fault);
  });

  it('refuses an image cut off at any byte', () => {
    const whole = encodePng(SMALL);
    for (let at = 0; at < whole.length; at++) {
      expect([at, pixelsOf(whole.subarray(0, at))]).toEqual([
        at,
        { en: expect.any(String), fr: expect.any(String) },
      ]);
    }
  });
});

describe('readPngDataUrl', () => {
  it('returns the bytes of an image of at most 512 KiB', () => {
    const most = pngOf(SIGNATURE_BYTES);
    const read = readPngDataUrl(dataUrl(most));
    expect([read.fault, read.png?.equals(most)]).toEqual([undefined, true]);
    expect(readPngDataUrl(dataUrl(pngOf(524_289)))).toEqual({
      fault: expect.objectContaining({ en: 'must have at most 512 KiB; it has 513 KiB' }),
    });
  });

  const large = (height: number, width = 4_095): Buffer =>
    png(chunk('IHDR', header({ width, height, depth: 16 })), idat, iend);
  it.each<[string, Buffer, string | undefined]>([
    ['4,097 columns', encodePng({ width: 4_097, height: 1 }), 'pixels a side; it has 4097 × 1'],
    ['4,097 rows', encodePng({ width: 1, height: 4_097 }), 'pixels a side; it has 1 × 4097'],
    ['32 MiB of pixels', large(1_024), undefined],
    ['more than 32 MiB of pixels', large(1_025), 'must unpack to at most 32 MB'],
    ['32 MiB of pixels, more with the filters of rows', large(1_024, 4_096), 'must unpack to at most 32 MB'],
  ])('bounds an image by its header: %s', (_what, bytes, fault) => {
    const read = readPngDataUrl(dataUrl(bytes));
    if (fault) expect(read.fault?.en).toContain(fault);
    else expect(read.fault).toBeUndefined();
  });

  const base64 = encodePng(SMALL).toString('base64');
  it.each([
    ['another media type', `data:image/jpeg;base64,${base64}`],
    ['a parameter', `data:image/png;name=x;base64,${base64}`],
    ['the base64 alone', base64],
    ['no bytes', 'data:image/png;base64,'],
    ['a missing character', `data:image/png;base64,${base64.slice(0, -1)}`],
    ['an extra character', `data:image/png;base64,${base64}A`],
    ['the alphabet of URLs', `data:image/png;base64,${base64.slice(0, 8)}-_${base64.slice(10)}`],
    ['a line feed after the bytes', `data:image/png;base64,${base64}\n`],
  ])('refuses %s', (_what, url) => {
    expect(readPngDataUrl(url).fault?.en).toMatch(/^must be a data URL of a PNG/);
  });
});
