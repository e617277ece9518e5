import { fr, type Text } from '#platform/errors/text';

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

const NO_DATA_URL: Text = {
  en: 'must be a data URL of a PNG image: data:image/png;base64, and then its bytes in base64',
  fr: fr("doit être l'URL de données d'une image PNG : data:image/png;base64, puis ses octets en base64"),
};
const TOO_LARGE: Text = {
  en: 'must unpack to at most 32 MB: send fewer pixels or colours',
  fr: fr('doit occuper au plus 32 Mo une fois décompressée : envoyez moins de pixels ou de couleurs'),
};
const NO_PNG: Text = {
  en: 'is not a PNG image: its bytes do not begin as one',
  fr: fr("n'est pas une image PNG : ses octets ne commencent pas comme ceux d'une image PNG"),
};
const ENDS_EARLY: Text = {
  en: 'is not a PNG image: something follows its end',
  fr: fr("n'est pas une image PNG : quelque chose suit sa fin"),
};
const CUT_OFF: Text = {
  en: 'is cut off: the image does not end',
  fr: fr("est tronquée : l'image n'a pas de fin"),
};

/** A PNG image, or a sentence that says why the data URL is refused. */
export type ReadPng =
  { readonly png: Buffer; readonly fault?: undefined } | { readonly png?: undefined; readonly fault: Text };

/** Reads the data URL of a PNG image of the permitted sizes. The bytes after its header are not looked at. */
export function readPngDataUrl(url: string): ReadPng {
  const base64 = DATA_URL.exec(url)?.[1];
  if (!base64 || base64.length % 4 !== 0) {
    return { fault: NO_DATA_URL };
  }
  const png = Buffer.from(base64, 'base64');
  if (png.length > SIGNATURE_BYTES) {
    const size = Math.ceil(png.length / 1024);
    return {
      fault: {
        en: `must have at most 512 KiB; it has ${size} KiB`,
        fr: fr`doit avoir au plus 512 Kio; elle en a ${size}`,
      },
    };
  }
  const fault = sizeFault(png);
  return fault === undefined ? { png } : { fault };
}

function sizeFault(png: Buffer): Text | undefined {
  if (!startsAsPng(png)) return undefined;
  const [width, height] = [png.readUInt32BE(16), heightOf(png)];
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    return {
      en: `must have at most ${MOST_PIXELS.toLocaleString('en')} pixels a side; it has ${width} × ${height}`,
      fr: fr`doit avoir au plus ${MOST_PIXELS} pixels de côté; elle en a ${width} × ${height}`,
    };
  // Each row begins with the byte that names its filter.
  const unpacked = height * (1 + Math.ceil((width * (SAMPLES[png[25]!] ?? 0) * png[24]!) / 8));
  return unpacked > UNPACKED_BYTES ? TOO_LARGE : undefined;
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
export function pixelsOf(bytes: Buffer): Buffer | Text {
  if (!startsAsPng(bytes)) return NO_PNG;
  const parts = [bytes.subarray(0, MARK_BYTES)];
  for (let at = MARK_BYTES; at + 12 <= bytes.length;) {
    if (bytes.subarray(at, at + 12).equals(IEND)) {
      if (at + 12 < bytes.length) return ENDS_EARLY;
      return Buffer.concat([...parts, IEND]);
    }
    const end = at + 12 + bytes.readUInt32BE(at);
    const isSkipped = (bytes[at + 4]! & 0x20) !== 0;
    parts.push(isSkipped ? EMPTY : bytes.subarray(at, end));
    at = end;
  }
  return CUT_OFF;
}
