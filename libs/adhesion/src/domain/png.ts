/** Maximum size of the image of a signature, in bytes. */
export const SIGNATURE_BYTES = 512 * 1024;

/** Maximum pixels of a side. A larger image is not a signature. */
export const MOST_PIXELS = 4_096;

/** Maximum size of the pixels as the header describes them, in bytes. It bounds the work of decoders. */
const UNPACKED_BYTES = 32 * 1_048_576;

const DATA_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/i;
/** The first bytes of each PNG image: its mark, then the length and name of its header. */
const START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const MARK_BYTES = 8;
/** The last chunk, and one without content that decoders skip. */
const IEND = Buffer.from('0000000049454e44ae426082', 'hex');
const EMPTY = Buffer.from('000000007370416331e6f698', 'hex');
/** Samples of a pixel by colour type (PNG 3, table 12). */
const SAMPLES = [1, 0, 3, 1, 2, 0, 4];

/** A PNG image, or a sentence that says why the data URL is refused. */
export type ReadPng =
  { readonly png: Buffer; readonly fault?: undefined } | { readonly png?: undefined; readonly fault: string };

/** Reads the data URL of a PNG image of the permitted sizes. The bytes after its header are not looked at. */
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
  const fault = sizeFault(png);
  return fault === undefined ? { png } : { fault };
}

function sizeFault(png: Buffer): string | undefined {
  if (!startsAsPng(png)) return undefined;
  const [width, height] = [png.readUInt32BE(16), heightOf(png)];
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    return `must have at most ${MOST_PIXELS.toLocaleString('en')} pixels a side; it has ${width} × ${height}`;
  // Each row begins with the byte that names its filter.
  const unpacked = height * (1 + Math.ceil((width * (SAMPLES[png[25]!] ?? 0) * png[24]!) / 8));
  return unpacked > UNPACKED_BYTES ? 'must unpack to at most 32 MB: send fewer pixels or colours' : undefined;
}

/** @param png begins as one */
export function heightOf(png: Buffer): number {
  return png.readUInt32BE(20);
}

function startsAsPng(bytes: Buffer): boolean {
  return bytes.length >= START.length + 13 && bytes.subarray(0, START.length).equals(START);
}

/**
 * Returns the image without the content of chunks that decoders may skip, or a sentence that says why the bytes are not
 * one whole image. Texts and colour profiles can unpack to a thousand times their size, and viewers show the image
 * without them.
 */
export function pixelsOf(bytes: Buffer): Buffer | string {
  if (!startsAsPng(bytes)) return 'is not a PNG image: its bytes do not begin as one';
  const parts = [bytes.subarray(0, MARK_BYTES)];
  for (let at = MARK_BYTES; at + 12 <= bytes.length;) {
    if (bytes.subarray(at, at + 12).equals(IEND)) {
      if (at + 12 < bytes.length) return 'is not a PNG image: something follows its end';
      return Buffer.concat([...parts, IEND]);
    }
    const end = at + 12 + bytes.readUInt32BE(at);
    const isSkipped = (bytes[at + 4]! & 0x20) !== 0;
    parts.push(isSkipped ? EMPTY : bytes.subarray(at, end));
    at = end;
  }
  return 'is cut off: the image does not end';
}
