/** Bytes 0x80 to 0x9F of Windows-1252. Some releases of Node decode them as ISO 8859-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Returns the text of an export: UTF-8, or UTF-16 with its mark, as Excel writes "Unicode text". Bytes that are no UTF-8 are
 * Windows-1252. A byte order mark is left out.
 */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\u0080-\u009f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80]!);
  }
}
