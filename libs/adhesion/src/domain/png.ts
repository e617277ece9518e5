import { crc32 } from 'node:zlib';

/** Maximum size of the image of a signature, in bytes. */
export const SIGNATURE_BYTES = 512 * 1024;

/** Maximum pixels of a side. A larger image is not a signature. */
const MOST_PIXELS = 4_096;

/** Maximum size of the pixels as the header describes them, in bytes. It bounds the work of a viewer. */
const UNPACKED_BYTES = 32 * 1_048_576;

const DATA_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/i;
const MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The order of chunks (PNG 3, section 5.6). Decoders may skip a chunk whose name starts with a small letter. */
const ORDER = /^IHDR (?:[a-z]\w{3} )*(?:PLTE (?:[a-z]\w{3} )*)?(?:IDAT )+(?:[a-z]\w{3} )*IEND$/;
/** Samples of a pixel and the depths they may have, by colour type (PNG 3, table 12). */
const COLOURS: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** A PNG image, or a sentence that says why the data URL is refused. */
export type ReadPng = { readonly png: Buffer; readonly fault?: undefined } | { readonly fault: string };

/** Reads the data URL of a PNG image and checks its bytes, but does not unpack the pixels. */
export function readPngDataUrl(url: string): ReadPng {
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
  const fault = pngFault(png);
  return fault === undefined ? { png } : { fault };
}

/** Returns why the bytes are not a PNG image, or undefined. */
export function pngFault(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return 'is not a PNG image: its bytes do not begin as one';
  const types: string[] = [];
  for (let at = MAGIC.length; at < bytes.length;) {
    if (types.at(-1) === 'IEND') return 'is not a PNG image: something follows its end';
    const end = at + 12 + (at + 12 <= bytes.length ? bytes.readUInt32BE(at) : Infinity);
    if (end > bytes.length) break;
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4)))
      return 'is damaged: the checksum of a part is wrong';
    types.push(bytes.toString('latin1', at + 4, at + 8));
    if (types.length === 1 && types[0] === 'IHDR') {
      const fault = headerFault(bytes.subarray(at + 8, end - 4));
      if (fault) return fault;
    }
    at = end;
  }
  if (types.at(-1) !== 'IEND') return 'is cut off: the image does not end';
  return ORDER.test(types.join(' '))
    ? undefined
    : 'is damaged: parts of the image are missing or out of place';
}

function headerFault(data: Buffer): string | undefined {
  const [width, height] = data.length === 13 ? [data.readUInt32BE(0), data.readUInt32BE(4)] : [0, 0];
  const [depth, colour, compression, filter, interlace] = data.subarray(8);
  const { samples, depths } = COLOURS[colour!] ?? { samples: 0, depths: [] };
  const isKnown = depths.includes(depth!) && compression === 0 && filter === 0 && interlace! <= 1;
  if (!isKnown || width === 0 || height === 0) return 'is not a PNG image: it has no valid header';
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    return `must have at most ${MOST_PIXELS.toLocaleString('en')} pixels a side; it has ${width} × ${height}`;
  // Each row begins with the byte that names its filter.
  const unpacked = height * (1 + Math.ceil((width * samples * depth!) / 8));
  return unpacked > UNPACKED_BYTES ? 'must unpack to at most 32 MB: send fewer pixels or colours' : undefined;
}
