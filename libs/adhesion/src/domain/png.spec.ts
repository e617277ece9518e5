import {
  chunk,
  dataUrl,
  encodePng,
  header,
  parts,
  png,
  PNG_MAGIC,
  pngOf,
} from '../../../../test/adhesion/support/png';
import { pngFault, readPngDataUrl, SIGNATURE_BYTES } from './png';

const SMALL = { width: 2, height: 3 };
const { ihdr, idat, iend } = parts(SMALL);
const text = chunk('tEXt', Buffer.from('Software\0Signature'));
const palette = chunk('PLTE', Buffer.alloc(6));

/** Returns the header with one byte changed. */
function ihdrWith(at: number, value: number): Buffer {
  const data = header(SMALL);
  data[at] = value;
  return chunk('IHDR', data);
}

describe('pngFault', () => {
  it.each<[string, Buffer]>([
    ...[0, 2, 3, 4, 6].map((colour): [string, Buffer] => [
      `colour type ${colour}`,
      encodePng({ ...SMALL, colour }),
    ]),
    ['interlaced pixels', png(ihdrWith(12, 1), idat, iend)],
    ['pixels in several chunks', png(ihdr, idat, chunk('IDAT'), iend)],
    ['chunks that a decoder may skip', png(ihdr, text, palette, text, idat, text, iend)],
    ['the largest width', encodePng({ width: 4_096, height: 1, colour: 0, depth: 1 })],
    ['the largest height', encodePng({ width: 1, height: 4_096, colour: 0, depth: 1 })],
    ['32 MiB of pixels', png(chunk('IHDR', header({ width: 4_095, height: 1_024, depth: 16 })), idat, iend)],
    ['43,000 chunks', png(ihdr, ...Array<Buffer>(43_000).fill(chunk('tEXt')), idat, iend)],
  ])('accepts an image with %s', (_what, bytes) => {
    expect(pngFault(bytes)).toBeUndefined();
  });

  const noImage = 'its bytes do not begin as one';
  const noHeader = 'it has no valid header';
  const misplaced = 'parts of the image are missing or out of place';
  const afterEnd = 'something follows its end';
  it.each<[string, Buffer, string]>([
    ['an SVG image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), noImage],
    ['a JPEG image', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'), noImage],
    ['an empty body', Buffer.alloc(0), noImage],
    ['an image after another byte', Buffer.concat([Buffer.from(' '), encodePng(SMALL)]), noImage],
    ['text after the signature', Buffer.concat([PNG_MAGIC, Buffer.from('<svg/>'.repeat(9))]), 'is cut off'],
    ['an image without an end', png(ihdr, idat), 'is cut off'],
    ['a wrong checksum', png(ihdr, chunk('IDAT', Buffer.alloc(9), 1), iend), 'checksum of a part is wrong'],
    ['a wrong checksum of the end', png(ihdr, idat, chunk('IEND', undefined, 1)), 'checksum of a part'],
    ['a byte after the end', png(ihdr, idat, iend, Buffer.alloc(1)), afterEnd],
    ['an image after the end', png(ihdr, idat, iend, encodePng(SMALL)), afterEnd],
    ['an unknown critical chunk', png(ihdr, chunk('STRY'), idat, iend), misplaced],
    ['a chunk without a name', png(ihdr, chunk('ab 1'), idat, iend), misplaced],
    ['an image without a header', png(idat, iend), misplaced],
    ['a chunk before the header', png(text, ihdr, idat, iend), misplaced],
    ['two headers', png(ihdr, ihdr, idat, iend), misplaced],
    ['an image without pixels', png(ihdr, iend), misplaced],
    ['a chunk between the pixels', png(ihdr, idat, text, idat, iend), misplaced],
    ['a palette after the pixels', png(ihdr, idat, palette, iend), misplaced],
    ['a short header', png(chunk('IHDR', header(SMALL).subarray(0, 12)), idat, iend), noHeader],
    ['a long header', png(chunk('IHDR', Buffer.alloc(14, 1)), idat, iend), noHeader],
    ['width 0', png(ihdrWith(3, 0), idat, iend), noHeader],
    ['height 0', png(ihdrWith(7, 0), idat, iend), noHeader],
    ['a depth of another colour type', png(ihdrWith(8, 4), idat, iend), noHeader],
    ['an unknown colour type', png(ihdrWith(9, 5), idat, iend), noHeader],
    ['an unknown compression', png(ihdrWith(10, 1), idat, iend), noHeader],
    ['an unknown filter method', png(ihdrWith(11, 1), idat, iend), noHeader],
    ['an unknown interlacing', png(ihdrWith(12, 2), idat, iend), noHeader],
    ['4,097 columns', encodePng({ width: 4_097, height: 1 }), 'pixels a side; it has 4097 × 1'],
    ['4,097 rows', encodePng({ width: 1, height: 4_097 }), 'pixels a side; it has 1 × 4097'],
    [
      'more than 32 MiB of pixels',
      png(chunk('IHDR', header({ width: 4_095, height: 1_025, depth: 16 })), idat, iend),
      'must unpack to at most 32 MB',
    ],
  ])('refuses %s', (_what, bytes, fault) => {
    expect(pngFault(bytes)).toContain(fault);
  });

  it('refuses an image cut off at any byte, and any changed byte', () => {
    const whole = encodePng(SMALL);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      expect([at, pngFault(whole.subarray(0, at)), pngFault(changed)]).not.toContain(undefined);
    }
  });
});

describe('readPngDataUrl', () => {
  it('returns the bytes of an image of at most 512 KiB', () => {
    const most = pngOf(SIGNATURE_BYTES);
    const read = readPngDataUrl(dataUrl(most));
    expect([read.fault, 'png' in read && read.png.equals(most)]).toEqual([undefined, true]);
    expect(readPngDataUrl(dataUrl(pngOf(524_289)))).toEqual({
      fault: 'must have at most 512 KiB; it has 513 KiB',
    });
    expect(readPngDataUrl(dataUrl(Buffer.from('<svg/>'))).fault).toContain('do not begin as one');
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
    expect(readPngDataUrl(url).fault).toMatch(/^must be a data URL of a PNG/);
  });
});
