import { crc32, deflateSync } from 'node:zlib';

export const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Samples of a pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Parameters of a PNG image. */
export interface PngShape {
  readonly width: number;
  readonly height: number;
  /** Default: 6 (red, green, blue, alpha). */
  readonly colour?: number;
  readonly depth?: number;
  readonly interlaced?: boolean;
}

/** Returns a chunk, with the right checksum by default. */
export function chunk(type: string, data: Uint8Array = Buffer.alloc(0), checksum?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(checksum ?? crc32(body));
  return Buffer.concat([length, body, crc]);
}

export function header(shape: PngShape): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(shape.width, 0);
  data.writeUInt32BE(shape.height, 4);
  data.set([shape.depth ?? 8, shape.colour ?? 6, 0, 0, shape.interlaced ? 1 : 0], 8);
  return data;
}

/** First column, first row and distances of each pass of an interlaced image (PNG 3, section 8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Returns rows, each with its filter: all bits of the samples are 0. */
export function rows({ width, height, colour = 6, depth = 8, interlaced = false }: PngShape): Buffer {
  const bytesOf = (columns: number, lines: number): number =>
    columns > 0 && lines > 0 ? lines * (1 + Math.ceil((columns * SAMPLES[colour]! * depth) / 8)) : 0;
  const passes = PASSES.map(([x, y, dx, dy]) =>
    bytesOf(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
  );
  return Buffer.alloc(interlaced ? passes.reduce((sum, one) => sum + one) : bytesOf(width, height));
}

/** Returns the parts of an image in order, for tests that omit or add one. */
export function parts(shape: PngShape): { ihdr: Buffer; plte: Buffer[]; idat: Buffer; iend: Buffer } {
  return {
    ihdr: chunk('IHDR', header(shape)),
    plte: shape.colour === 3 ? [chunk('PLTE', Buffer.from([0, 0, 0, 255, 255, 255]))] : [],
    idat: chunk('IDAT', deflateSync(rows(shape))),
    iend: chunk('IEND'),
  };
}

export function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([PNG_MAGIC, ...chunks]);
}

/** Returns a valid image. */
export function encodePng(shape: PngShape): Buffer {
  const { ihdr, plte, idat, iend } = parts(shape);
  return png(ihdr, ...plte, idat, iend);
}

const SMALL = { width: 20, height: 30 };

/** Images that every viewer shows. */
export function soundImages(): Record<string, Buffer> {
  const { ihdr, idat, iend } = parts(SMALL);
  const noise = Buffer.from(
    rows(SMALL).map((_byte, at) => (at % 81 === 0 ? (at / 81) % 5 : (at * 97) % 256)),
  );
  const text = chunk('tEXt', Buffer.from('Software\0Signature'));
  const packed = deflateSync(rows(SMALL));
  const depths: Record<number, number[]> = {
    0: [1, 2, 4, 8, 16],
    2: [8, 16],
    3: [1, 2, 4, 8],
    4: [8, 16],
    6: [8, 16],
  };
  return {
    ...Object.fromEntries(
      Object.entries(depths).flatMap(([colour, of]) =>
        of.map((depth) => [
          `colour type ${colour}, ${depth} bits`,
          encodePng({ ...SMALL, colour: Number(colour), depth }),
        ]),
      ),
    ),
    'one pixel': encodePng({ width: 1, height: 1 }),
    'all filters': png(ihdr, chunk('IDAT', deflateSync(noise)), iend),
    'interlaced pixels': encodePng({ ...SMALL, interlaced: true }),
    'pixels in several chunks': png(
      ihdr,
      chunk('IDAT', packed.subarray(0, 5)),
      chunk('IDAT', packed.subarray(5)),
      iend,
    ),
    'texts before and after the pixels': png(ihdr, text, idat, text, iend),
    '512 KiB': pngOf(512 * 1024),
    '4,096 columns': encodePng({ width: 4_096, height: 1, colour: 0, depth: 1 }),
    '4,096 rows': encodePng({ width: 1, height: 4_096, colour: 0, depth: 1 }),
  };
}

/** Images that no viewer shows whole. */
export function brokenImages(): Record<string, Buffer> {
  const { ihdr, idat, iend } = parts(SMALL);
  const packed = deflateSync(rows(SMALL));
  const pixels = (bytes: Uint8Array): Buffer => png(ihdr, chunk('IDAT', bytes), iend);
  const withHeader = (at: number, value: number): Buffer => {
    const data = header(SMALL);
    data[at] = value;
    return png(chunk('IHDR', data), idat, iend);
  };
  const colour3 = chunk('IHDR', header({ ...SMALL, colour: 3 }));
  const indexed = chunk('IDAT', deflateSync(rows({ ...SMALL, colour: 3 })));
  return {
    'pixels that cannot be unpacked': pixels(Buffer.concat([packed.subarray(0, 2), Buffer.alloc(200, 0x55)])),
    'pixels without their first bytes': pixels(packed.subarray(2)),
    'pixels that are cut off': pixels(packed.subarray(0, -6)),
    'a row too few': pixels(deflateSync(rows({ ...SMALL, height: 29 }))),
    'a byte too few': pixels(deflateSync(rows(SMALL).subarray(1))),
    'an unknown filter': pixels(deflateSync(rows(SMALL).fill(5))),
    'no bytes of pixels': pixels(Buffer.alloc(0)),
    'no pixels': png(ihdr, iend),
    'pixels in two places': png(
      ihdr,
      chunk('IDAT', packed.subarray(0, 5)),
      chunk('tEXt', Buffer.from('a\0b')),
      chunk('IDAT', packed.subarray(5)),
      iend,
    ),
    'a wrong checksum of the pixels': png(ihdr, chunk('IDAT', packed, 1), iend),
    'a wrong checksum of the header': png(chunk('IHDR', header(SMALL), 1), idat, iend),
    'an unknown critical part': png(ihdr, chunk('STRY'), idat, iend),
    'two headers': png(ihdr, ihdr, idat, iend),
    'no palette': png(colour3, indexed, iend),
    'the palette after the pixels': png(colour3, indexed, chunk('PLTE', Buffer.alloc(6)), iend),
    'width 0': withHeader(3, 0),
    'height 0': withHeader(7, 0),
    'a depth of another colour type': withHeader(8, 4),
    'an unknown colour type': withHeader(9, 5),
    'an unknown compression': withHeader(10, 1),
    'an unknown filter method': withHeader(11, 1),
    'an unknown interlacing': withHeader(12, 2),
    'rows for another interlacing': withHeader(12, 1),
    'another format': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'its mark only': PNG_MAGIC,
  };
}

/** Returns a valid image of exactly this size: an ancillary chunk fills it up. */
export function pngOf(bytes: number): Buffer {
  const { ihdr, idat, iend } = parts({ width: 1, height: 1 });
  const filler = chunk('tEXt', Buffer.alloc(bytes - png(ihdr, idat, iend).length - 12, 'a'));
  return png(ihdr, filler, idat, iend);
}

export function dataUrl(bytes: Buffer): string {
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
