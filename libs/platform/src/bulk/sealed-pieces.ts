import { createCipheriv, createDecipheriv } from 'node:crypto';

const TAG_BYTES = 16;

/**
 * Encrypts pieces of bytes with AES-256-GCM. The place of a piece is its nonce, so it opens in its place only.
 *
 * @param key of these pieces alone
 */
export function sealPieces(key: Buffer, pieces: readonly Buffer[]): Buffer[] {
  return pieces.map((piece, place) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place));
    return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  });
}

/** Decrypts what `sealPieces` has encrypted. @throws Error if a piece was altered, or is missing before another */
export function openPieces(key: Buffer, sealed: readonly Buffer[]): Buffer[] {
  return sealed.map((piece, place) => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(place));
    decipher.setAuthTag(piece.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(piece.subarray(0, -TAG_BYTES)), decipher.final()]);
  });
}

function nonceOf(place: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(place);
  return nonce;
}
