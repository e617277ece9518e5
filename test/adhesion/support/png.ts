import { crc32, deflateSync } from 'node:zlib';

export const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Samples of a pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** First column and row, and the steps to the next, of each pass of an interlaced image. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

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

/** Returns the packed rows, each with its filter: all bits of the samples are 0. */
export function rows({ width, height, colour = 6, depth = 8, interlaced = false }: PngShape): Buffer {
  const passes = interlaced ? ADAM7 : [[0, 0, 1, 1] as const];
  const bytes = passes.map(([x, y, dx, dy]) => {
    const [columns, lines] = [
      Array.from({ length: width }, (_, at) => at).filter((at) => at >= x && (at - x) % dx === 0).length,
      Array.from({ length: height }, (_, at) => at).filter((at) => at >= y && (at - y) % dy === 0).length,
    ];
    return columns === 0 ? 0 : lines * (1 + Math.ceil((columns * SAMPLES[colour]! * depth) / 8));
  });
  return Buffer.alloc(bytes.reduce((sum, count) => sum + count, 0));
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

/** Returns a valid image of exactly this size: an ancillary chunk fills it up. */
export function pngOf(bytes: number): Buffer {
  const { ihdr, idat, iend } = parts({ width: 1, height: 1 });
  const filler = chunk('tEXt', Buffer.alloc(bytes - png(ihdr, idat, iend).length - 12, 'a'));
  return png(ihdr, filler, idat, iend);
}

export function dataUrl(bytes: Buffer): string {
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
