/** Bytes one after the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A number as 4 bytes, big-endian. */
export function u32(n: number): Uint8Array {
  return Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Base64url without padding (RFC 4648). */
export function base64url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of base64url without padding; undefined for any other text, also for another one of the same bytes. */
export function bytesOf(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  );
  return base64url(bytes) === text ? bytes : undefined;
}

/** The 16 bytes of a UUID. @throws TypeError for another text */
export function uuidBytes(uuid: string): Uint8Array {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid))
    throw new TypeError(`${uuid} is not a UUID.`);
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g)!, (byte) => parseInt(byte, 16));
}
