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
  data.set([shape.depth ?? 8, shape.colour ?? 6, 0, 0, 0], 8);
  return data;
}

/** Returns rows that are not interlaced, each with its filter: all bits of the samples are 0. */
function rows({ width, height, colour = 6, depth = 8 }: PngShape): Buffer {
  return Buffer.alloc(height * (1 + Math.ceil((width * SAMPLES[colour]! * depth) / 8)));
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
