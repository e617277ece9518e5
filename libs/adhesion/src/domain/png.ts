import { crc32, createInflate } from 'node:zlib';

/** The most that the image of a signature may hold, in bytes. */
export const SIGNATURE_BYTES = 512 * 1024;

/** Maximum pixels of a side. A larger image is not a signature. */
const MOST_PIXELS = 4_096;

/** Maximum size of the unpacked pixels, in bytes. It bounds the work of one check. */
const UNPACKED_BYTES = 32 * 1_048_576;

const DATA_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/i;
const MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Chunks that a decoder must know; any other with a capital first letter makes an image unreadable. */
const CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND'];
/** Samples of a pixel and the depths they may have, by colour type (PNG 3, table 12). */
const COLOURS: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
/** Filters are numbered from 0 to this (PNG 3, table 22). */
const LAST_FILTER = 4;
/** First column and row, and the steps to the next, of each of Adam7's seven passes. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A PNG image, or a sentence that says why what was sent is none. */
export type ReadPng = { readonly png: Buffer; readonly fault?: undefined } | { readonly fault: string };

/**
 * Reads the data URL of a PNG image and checks its bytes to the last: chunks with their checksums, and pixels that
 * unpack to just what the header says. Nothing more is unpacked than that, and none of it is kept.
 */
export async function readPngDataUrl(url: string): Promise<ReadPng> {
  const base64 = DATA_URL.exec(url)?.[1];
  if (!base64 || base64.length % 4 !== 0) {
    return {
      fault: 'must be a data URL of a PNG image: data:image/png;base64, and then its bytes in base64',
    };
  }
  const png = Buffer.from(base64, 'base64');
  if (png.length > SIGNATURE_BYTES) {
    return { fault: `must have at most 512 KiB; it has ${Math.ceil(png.length / 1024)} KiB` };
  }
  const fault = await pngFault(png);
  return fault === undefined ? { png } : { fault };
}

/** Returns why the bytes are not a valid PNG image, or undefined. */
export async function pngFault(bytes: Buffer): Promise<string | undefined> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return 'is not a PNG image: its bytes do not begin as one';
  const chunks = chunksOf(bytes);
  if (typeof chunks === 'string') return chunks;
  const header = chunks[0]?.type === 'IHDR' ? readHeader(chunks[0].data) : undefined;
  if (!header) return 'is not a PNG image: it has no valid header';
  if (header.width > MOST_PIXELS || header.height > MOST_PIXELS) {
    return `must have at most ${MOST_PIXELS.toLocaleString('en')} pixels a side; it has ${header.width} × ${header.height}`;
  }
  return orderFault(chunks, header) ?? (await pixelsFault(chunks, header));
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The chunks up to the end of the bytes, or what is wrong with one. */
function chunksOf(bytes: Buffer): Chunk[] | string {
  const chunks: Chunk[] = [];
  for (let at = MAGIC.length; at < bytes.length;) {
    if (chunks.at(-1)?.type === 'IEND') return 'is not a PNG image: something follows its end';
    const length = at + 12 <= bytes.length ? bytes.readUInt32BE(at) : Infinity;
    const end = at + 12 + length;
    if (end > bytes.length) return 'is cut off: the image does not end';
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) return 'is damaged: a part has no name';
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) {
      return 'is damaged: the checksum of a part is wrong';
    }
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4) });
    at = end;
  }
  return chunks.at(-1)?.type === 'IEND' ? chunks : 'is cut off: the image does not end';
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly colour: number;
  readonly bitsPerPixel: number;
  readonly interlaced: boolean;
}

function readHeader(data: Buffer): Header | undefined {
  if (data.length !== 13) return undefined;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, colour, compression, filter, interlace] = data.subarray(8);
  const { samples, depths } = COLOURS[colour!] ?? { samples: 0, depths: [] };
  const isValid =
    width > 0 &&
    height > 0 &&
    depths.includes(depth!) &&
    compression === 0 &&
    filter === 0 &&
    interlace! <= 1;
  if (!isValid) return undefined;
  return { width, height, colour: colour!, bitsPerPixel: samples * depth!, interlaced: interlace === 1 };
}

/** Which chunks there are, and in which order (PNG 3, section 5.6). */
function orderFault(chunks: readonly Chunk[], { colour }: Header): string | undefined {
  const order = chunks.map(({ type }) => type).filter((type) => /^[A-Z]/.test(type));
  if (order.some((type) => !CRITICAL.includes(type)))
    return 'is not a PNG image: it has parts of no PNG image';
  const palette = colour === 3 ? 'PLTE ' : colour === 0 || colour === 4 ? '' : '(?:PLTE )?';
  if (!new RegExp(`^IHDR ${palette}(?:IDAT )+IEND$`).test(order.join(' '))) {
    return 'is damaged: parts of the image are missing or out of place';
  }
  const [first, last] = [chunks.findIndex(isPixels), chunks.findLastIndex(isPixels)];
  if (!chunks.slice(first, last + 1).every(isPixels)) return 'is damaged: something lies between its pixels';
  if (chunks.at(-1)?.data.length !== 0) return 'is damaged: its end is not empty';
  const paletteBytes = chunks.find(({ type }) => type === 'PLTE')?.data.length ?? 3;
  return paletteBytes % 3 !== 0 || paletteBytes === 0 || paletteBytes > 768
    ? 'is damaged: its palette has no valid length'
    : undefined;
}

function isPixels({ type }: Chunk): boolean {
  return type === 'IDAT';
}

async function pixelsFault(chunks: readonly Chunk[], header: Header): Promise<string | undefined> {
  const rows = packedRows(header);
  const expected = rows.reduce((sum, { bytes, count }) => sum + bytes * count, 0);
  if (expected > UNPACKED_BYTES) return 'must unpack to at most 32 MB: send fewer pixels or colours';
  const filters = filterPlaces(rows);
  let filter = filters.next();
  const packed = Buffer.concat(chunks.filter(isPixels).map(({ data }) => data));
  const inflate = createInflate();
  inflate.end(packed);
  let unpacked = 0;
  try {
    for await (const part of inflate as AsyncIterable<Buffer>) {
      for (; !filter.done && filter.value < unpacked + part.length; filter = filters.next()) {
        if (part[filter.value - unpacked]! > LAST_FILTER)
          return 'is damaged: a row is packed in no known way';
      }
      unpacked += part.length;
      if (unpacked > expected) break;
    }
  } catch {
    return 'is damaged: its pixels cannot be unpacked';
  }
  if (unpacked !== expected) return 'is damaged: it has not the pixels that its header says';
  // What the stream read; bytes after its end would be no part of the image.
  return inflate.bytesWritten === packed.length
    ? undefined
    : 'is not a PNG image: something follows its pixels';
}

/** Rows of one length as they unpack, each with the byte that names its filter. */
interface PackedRows {
  readonly bytes: number;
  readonly count: number;
}

function packedRows({ width, height, bitsPerPixel, interlaced }: Header): PackedRows[] {
  const rows = (columns: number, count: number): PackedRows => ({
    bytes: 1 + Math.ceil((columns * bitsPerPixel) / 8),
    count: columns === 0 ? 0 : count,
  });
  if (!interlaced) return [rows(width, height)];
  return ADAM7.map(([x, y, dx, dy]) => {
    const columns = Math.ceil(Math.max(0, width - x) / dx);
    return rows(columns, Math.ceil(Math.max(0, height - y) / dy));
  });
}

/** Where the filter of each row is named. */
function* filterPlaces(rows: readonly PackedRows[]): Generator<number, undefined> {
  let at = 0;
  for (const { bytes, count } of rows) {
    for (let row = 0; row < count; row++, at += bytes) yield at;
  }
}
