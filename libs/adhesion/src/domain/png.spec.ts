import { promisify } from 'node:util';
import { deflateSync, inflate } from 'node:zlib';
import {
  chunk,
  dataUrl,
  encodePng,
  header,
  parts,
  png,
  PNG_MAGIC,
  pngOf,
  type PngShape,
  rows,
} from '../../../../test/adhesion/support/png';
import { pngFault, readPngDataUrl, SIGNATURE_BYTES } from './png';

const inflated = promisify(inflate);
const SMALL: PngShape = { width: 2, height: 3 };
const { ihdr, idat, iend } = parts(SMALL);

/** Every colour type with every depth it may have. */
const KINDS: [colour: number, depth: number][] = [
  ...[1, 2, 4, 8, 16].map((depth): [number, number] => [0, depth]),
  ...[8, 16].map((depth): [number, number] => [2, depth]),
  ...[1, 2, 4, 8].map((depth): [number, number] => [3, depth]),
  ...[8, 16].map((depth): [number, number] => [4, depth]),
  ...[8, 16].map((depth): [number, number] => [6, depth]),
];
const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 17];

/** The header with one of its numbers changed. */
function ihdrWith(at: number, value: number): Buffer {
  const data = header(SMALL);
  data[at] = value;
  return chunk('IHDR', data);
}

describe('an image is sound', () => {
  it.each(KINDS)(
    'with colour type %i of depth %i, in every size, interlaced or not',
    async (colour, depth) => {
      for (const width of SIZES) {
        for (const height of SIZES) {
          for (const interlaced of [false, true]) {
            const shape = { width, height, colour, depth, interlaced };
            expect([shape, await pngFault(encodePng(shape))]).toEqual([shape, undefined]);
          }
        }
      }
    },
  );

  it('as an encoder of others made it', async () => {
    const made =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    expect(await pngFault(Buffer.from(made, 'base64'))).toBeUndefined();
  });

  it('with its pixels in several chunks, some of them empty', async () => {
    const packed = deflateSync(rows(SMALL));
    const split = [...packed].map((byte) => chunk('IDAT', Buffer.from([byte])));
    expect(await pngFault(png(ihdr, chunk('IDAT'), ...split, chunk('IDAT'), iend))).toBeUndefined();
  });

  it('with chunks that a decoder may leave alone, known ones and others', async () => {
    const text = chunk('tEXt', Buffer.from('Software\0Signature'));
    const own = chunk('stRy', Buffer.alloc(9, 7));
    expect(await pngFault(png(ihdr, text, own, idat, own, text, iend))).toBeUndefined();
  });

  it('with a palette that only suggests colours', async () => {
    const palette = chunk('PLTE', Buffer.alloc(768));
    expect(await pngFault(png(ihdr, palette, idat, iend))).toBeUndefined();
  });

  it('with the largest sides', async () => {
    const wide = { width: 4_096, height: 1, colour: 0, depth: 1 };
    const high = { width: 1, height: 4_096, colour: 0, depth: 1 };
    expect([await pngFault(encodePng(wide)), await pngFault(encodePng(high))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('what is no PNG image is refused', () => {
  it.each<[string, Buffer]>([
    ['an SVG image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a JPEG image', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')],
    ['a GIF image', Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0080\u0000\u0000', 'latin1')],
    ['text', Buffer.from('PNG')],
    ['nothing', Buffer.alloc(0)],
    [
      'text after the first bytes of a PNG image',
      Buffer.concat([PNG_MAGIC, Buffer.from('<svg/>'.repeat(9))]),
    ],
    ['an image after other bytes', Buffer.concat([Buffer.from(' '), encodePng(SMALL)])],
  ])('%s', async (_what, bytes) => {
    expect(await pngFault(bytes)).toMatch(/^is (not a PNG image|damaged|cut off)/);
  });

  it('an image that is cut off, wherever', async () => {
    const whole = encodePng(SMALL);
    for (let length = 0; length < whole.length; length++) {
      expect([length, await pngFault(whole.subarray(0, length))]).toEqual([length, expect.any(String)]);
    }
  });

  it('an image in which one byte is another, whichever', async () => {
    const whole = encodePng({ ...SMALL, colour: 3, depth: 2 });
    const accepted: [at: number, value: number][] = [];
    for (let at = 0; at < whole.length; at++) {
      for (let change = 1; change <= 255; change++) {
        const changed = Buffer.from(whole);
        changed[at]! ^= change;
        if ((await pngFault(changed)) === undefined) accepted.push([at, changed[at]!]);
      }
    }
    expect(accepted).toEqual([]);
  });
});

const misplaced = 'is damaged: parts of the image are missing or out of place';
const noHeader = 'is not a PNG image: it has no valid header';
const wrongPixels = 'is damaged: it has not the pixels that its header says';
const palette = chunk('PLTE', Buffer.alloc(6));
const paletted = { ...SMALL, colour: 3 };

it.each<[string, Buffer, string]>([
  [
    'a wrong checksum',
    png(ihdr, chunk('IDAT', deflateSync(rows(SMALL)), 1), iend),
    'checksum of a part is wrong',
  ],
  [
    'a wrong checksum of its end',
    png(ihdr, idat, chunk('IEND', undefined, 1)),
    'checksum of a part is wrong',
  ],
  ['no end', png(ihdr, idat), 'is cut off'],
  ['a byte after its end', png(ihdr, idat, iend, Buffer.alloc(1)), 'something follows its end'],
  ['another image after its end', png(ihdr, idat, iend, encodePng(SMALL)), 'something follows its end'],
  ['two ends', png(ihdr, idat, iend, iend), 'something follows its end'],
  ['an unknown critical chunk', png(ihdr, chunk('STRY'), idat, iend), 'parts of no PNG image'],
  ['a part without a name', png(ihdr, chunk('ab 1'), idat, iend), 'a part has no name'],
  ['no header', png(idat, iend), noHeader],
  ['something before its header', png(chunk('tEXt'), ihdr, idat, iend), noHeader],
  ['two headers', png(ihdr, ihdr, idat, iend), misplaced],
  ['a header that is too short', png(chunk('IHDR', header(SMALL).subarray(0, 12)), idat, iend), noHeader],
  ['a header that is too long', png(chunk('IHDR', Buffer.alloc(14, 1)), idat, iend), noHeader],
  ['no width', png(ihdrWith(3, 0), idat, iend), noHeader],
  ['no height', png(ihdrWith(7, 0), idat, iend), noHeader],
  ['a depth that there is not', png(ihdrWith(8, 3), idat, iend), noHeader],
  ['a depth of another colour type', png(ihdrWith(8, 4), idat, iend), noHeader],
  ['a colour type that there is not', png(ihdrWith(9, 5), idat, iend), noHeader],
  ['another compression', png(ihdrWith(10, 1), idat, iend), noHeader],
  ['another filter method', png(ihdrWith(11, 1), idat, iend), noHeader],
  ['another interlacing', png(ihdrWith(12, 2), idat, iend), noHeader],
  [
    '4,097 columns',
    encodePng({ width: 4_097, height: 1, colour: 0, depth: 1 }),
    'at most 4,096 pixels a side',
  ],
  ['4,097 rows', encodePng({ width: 1, height: 4_097, colour: 0, depth: 1 }), 'it has 1 × 4097'],
  ['2³¹ columns', png(ihdrWith(0, 0x80), idat, iend), 'at most 4,096 pixels a side'],
  ['no pixels', png(ihdr, iend), misplaced],
  ['pixels in two places', png(ihdr, idat, chunk('tEXt'), idat, iend), 'something lies between its pixels'],
  ['no palette', png(chunk('IHDR', header(paletted)), parts(paletted).idat, iend), misplaced],
  ['a palette after its pixels', png(ihdr, idat, palette, iend), misplaced],
  ['two palettes', png(ihdr, palette, palette, idat, iend), misplaced],
  [
    'a palette of shades of grey',
    png(chunk('IHDR', header({ ...SMALL, colour: 0 })), palette, idat, iend),
    misplaced,
  ],
  ['an empty palette', png(ihdr, chunk('PLTE'), idat, iend), 'its palette has no valid length'],
  [
    'a palette cut off',
    png(ihdr, chunk('PLTE', Buffer.alloc(7)), idat, iend),
    'its palette has no valid length',
  ],
  ['257 colours', png(ihdr, chunk('PLTE', Buffer.alloc(771)), idat, iend), 'its palette has no valid length'],
  ['pixels of no compression', png(ihdr, chunk('IDAT', rows(SMALL)), iend), 'cannot be unpacked'],
  ['no compressed pixels', png(ihdr, chunk('IDAT'), iend), 'cannot be unpacked'],
  [
    'pixels that are cut off',
    png(ihdr, chunk('IDAT', deflateSync(rows(SMALL)).subarray(0, -1)), iend),
    'cannot be unpacked',
  ],
  [
    'pixels with a wrong checksum of their own',
    png(
      ihdr,
      chunk('IDAT', Buffer.concat([deflateSync(rows(SMALL)).subarray(0, -1), Buffer.alloc(1)])),
      iend,
    ),
    'cannot be unpacked',
  ],
  ['a byte too few', png(ihdr, chunk('IDAT', deflateSync(rows(SMALL).subarray(1))), iend), wrongPixels],
  [
    'a byte too many',
    png(ihdr, chunk('IDAT', deflateSync(Buffer.concat([rows(SMALL), Buffer.alloc(1)]))), iend),
    wrongPixels,
  ],
  [
    'a row whose filter there is not',
    png(ihdr, chunk('IDAT', deflateSync(rows(SMALL).fill(5, 9, 10))), iend),
    'a row is packed in no known way',
  ],
  [
    'a row whose filter there is not in the last pass of the interlaced ones',
    png(
      ihdrWith(12, 1),
      chunk('IDAT', deflateSync(rows({ ...SMALL, interlaced: true }).fill(5, 20, 21))),
      iend,
    ),
    'a row is packed in no known way',
  ],
  ['a row too few', png(ihdr, parts({ ...SMALL, height: 2 }).idat, iend), wrongPixels],
  ['the rows of an image that is not interlaced', png(ihdrWith(12, 1), idat, iend), wrongPixels],
])('an image with %s is refused', async (_what, bytes, fault) => {
  expect(await pngFault(bytes)).toContain(fault);
});

it('an image whose few bytes unpack to hundreds of megabytes is refused before they are', async () => {
  const bomb = png(ihdr, chunk('IDAT', deflateSync(Buffer.alloc(400_000_000), { level: 9 })), iend);
  expect(bomb.length).toBeLessThan(SIGNATURE_BYTES);
  const cost = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    return process.cpuUsage(before).user;
  };
  const refusal = await cost(async () => expect(await pngFault(bomb)).toBe(wrongPixels));
  const unpacking = await cost(() => inflated(bomb.subarray(bomb.indexOf('IDAT') + 4)));
  expect(refusal).toBeLessThan(unpacking / 10);
});

it('an image of 32 MiB as unpacked is the most; one row more is refused unread', async () => {
  // A row is 8 bytes a pixel and the byte that names its filter.
  const most = { width: 4_095, height: 1_024, depth: 16 };
  expect(await pngFault(encodePng(most))).toBeUndefined();
  const more = png(chunk('IHDR', header({ ...most, height: 1_025 })), idat, iend);
  expect(await pngFault(more)).toBe('must unpack to at most 32 MB: send fewer pixels or colours');
});

describe('readPngDataUrl', () => {
  it('answers the bytes of the image', async () => {
    const bytes = encodePng(SMALL);
    expect(await readPngDataUrl(dataUrl(bytes))).toEqual({ png: bytes });
    expect(await readPngDataUrl(`DATA:image/PNG;Base64,${bytes.toString('base64')}`)).toEqual({ png: bytes });
  });

  it('takes 512 KiB and not a byte more', async () => {
    const most = pngOf(SIGNATURE_BYTES);
    expect(most).toHaveLength(524_288);
    const read = await readPngDataUrl(dataUrl(most));
    expect([read.fault, 'png' in read && read.png.equals(most)]).toEqual([undefined, true]);
    expect(await pngFault(pngOf(SIGNATURE_BYTES + 1))).toBeUndefined();
    expect(await readPngDataUrl(dataUrl(pngOf(SIGNATURE_BYTES + 1)))).toEqual({
      fault: 'must have at most 512 KiB; it has 513 KiB',
    });
  });

  it('says what is wrong with the image', async () => {
    expect(await readPngDataUrl(dataUrl(Buffer.from('<svg/>')))).toEqual({
      fault: 'is not a PNG image: its bytes do not begin as one',
    });
  });

  const base64 = encodePng(SMALL).toString('base64');
  const unpadded = pngOf(100).toString('base64').replace(/=+$/, '');
  it.each([
    ['another media type', `data:image/jpeg;base64,${base64}`],
    ['no media type', `data:;base64,${base64}`],
    ['a parameter', `data:image/png;name=x;base64,${base64}`],
    ['the image alone', base64],
    ['no encoding', `data:image/png,${base64}`],
    ['nothing encoded', 'data:image/png;base64,'],
    ['only padding', 'data:image/png;base64,===='],
    ['a character too few', `data:image/png;base64,${base64.slice(0, -1)}`],
    ['a character too many', `data:image/png;base64,${base64}A`],
    ['no padding', `data:image/png;base64,${unpadded}`],
    ['the alphabet of addresses', `data:image/png;base64,${base64.slice(0, 8)}-_${base64.slice(10)}`],
    ['a space before', ` data:image/png;base64,${base64}`],
    ['a line feed after', `data:image/png;base64,${base64}\n`],
    ['a space in the middle', `data:image/png;base64, ${base64}`],
    ['a line feed in the middle', `data:image/png;base64,${base64.slice(0, 8)}\n${base64.slice(8)}`],
    ['an address', 'https://example.org/signature.png'],
    ['nothing', ''],
  ])('refuses %s as no data URL of a PNG image', async (_what, url) => {
    expect(await readPngDataUrl(url)).toEqual({
      fault: expect.stringMatching(/^must be a data URL of a PNG/),
    });
  });
});

describe('What is no part of the image', () => {
  const { ihdr, idat, iend } = parts(SMALL);
  const packed = idat.subarray(8, -4);

  it('is refused after the pixels, inside of their own part', async () => {
    const hidden = chunk('IDAT', Buffer.concat([packed, Buffer.alloc(1_000, 'x')]));
    expect(await pngFault(png(ihdr, hidden, iend))).toBe('is not a PNG image: something follows its pixels');
    const apart = chunk('IDAT', Buffer.from('x'));
    expect(await pngFault(png(ihdr, idat, apart, iend))).toBe(
      'is not a PNG image: something follows its pixels',
    );
    // An empty part holds nothing.
    expect(await pngFault(png(ihdr, idat, chunk('IDAT'), iend))).toBeUndefined();
  });

  it('is refused inside of its end', async () => {
    const end = chunk('IEND', Buffer.from('x'));
    expect(await pngFault(png(ihdr, idat, end))).toBe('is damaged: its end is not empty');
  });
});
