import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RowStep } from './copied-rows';

const TAB = 0x09;
const TAG_BYTES = 16;
/** A bytea in hexadecimal, in COPY's text format. */
const HEX = Buffer.from('\\\\x');

/**
 * Encrypts the last column of rows with AES-256-GCM, as a bytea.
 *
 * @param key of these rows alone: the first column, which numbers them, is the nonce
 */
export function sealing(key: Buffer): RowStep {
  return (row) => {
    const { head, last } = split(row);
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(row));
    const sealed = Buffer.concat([cipher.update(last), cipher.final(), cipher.getAuthTag()]);
    return Buffer.concat([head, HEX, Buffer.from(sealed.toString('hex'))]);
  };
}

/** Decrypts what `sealing` has encrypted. Throws if a row was altered. */
export function opening(key: Buffer): RowStep {
  return (row) => {
    const { head, last } = split(row);
    const sealed = Buffer.from(last.toString('latin1', HEX.length), 'hex');
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(row));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([head, decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  };
}

/** Returns the row up to its last column, and that. COPY writes a tab in a value as `\t`. */
function split(row: Buffer): { head: Buffer; last: Buffer } {
  const start = row.lastIndexOf(TAB) + 1;
  return { head: row.subarray(0, start), last: row.subarray(start) };
}

function nonceOf(row: Buffer): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(Number(row.toString('latin1', 0, row.indexOf(TAB))));
  return nonce;
}
