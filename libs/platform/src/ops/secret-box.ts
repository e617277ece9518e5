import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KeyRing } from './key-ring';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Begins a value whose key has an id: these bytes, the length of the id, and the id. */
const MARK = Buffer.from('mdt\u0001', 'latin1');

/** Bytes that contain the id of a value's key, if it has one. */
export const HEADER_BYTES = MARK.length + 1 + 20;

/** Encrypts what must not lie readable in the database (AES-256-GCM; docs/contract.md, "Endpoints"). */
@Injectable()
export class SecretBox {
  constructor(private readonly ring: KeyRing) {}

  /** Id of the key that seals; null if it has none. */
  get keyId(): string | null {
    return this.ring.newest.id;
  }

  /** First bytes of every value that the newest key seals; empty if that key has no id. */
  get header(): Buffer {
    return headerOf(this.keyId);
  }

  /** @param context what the secret belongs to; a sealed value moved to another place does not open there */
  seal(plain: Buffer, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.ring.newest.bytes, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([this.header, nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error when no key of the ring sealed the value, or the context or a bit of the value differs */
  open(sealed: Buffer, context: string): Buffer {
    const id = keyIdOf(sealed);
    const attempts = this.ring
      .candidates(id)
      .map(({ bytes }) => [bytes, sealed.subarray(headerOf(id).length)] as const);
    // A value without an id may begin with the same bytes by chance.
    if (id !== null)
      attempts.push(...this.ring.candidates(null).map(({ bytes }) => [bytes, sealed] as const));
    for (const [key, body] of attempts) {
      try {
        return decrypt(body, key, context);
      } catch {
        // Another key, or an altered value.
      }
    }
    if (this.ring.lacks(id)) throw new Error(`SECRETS_KEY lacks the key ${id}, which encrypted this value.`);
    throw new Error('No key of SECRETS_KEY opens this value.');
  }
}

/** Id of the key that sealed a value, by the value's first `HEADER_BYTES`; null if it names none. */
export function keyIdOf(sealed: Buffer): string | null {
  const length = sealed[MARK.length];
  if (!length || !sealed.subarray(0, MARK.length).equals(MARK)) return null;
  const id = sealed.subarray(MARK.length + 1, MARK.length + 1 + length).toString('latin1');
  return /^[a-z0-9-]{1,20}$/.test(id) ? id : null;
}

function headerOf(id: string | null): Buffer {
  return id === null
    ? Buffer.alloc(0)
    : Buffer.concat([MARK, Buffer.of(id.length), Buffer.from(id, 'latin1')]);
}

function decrypt(body: Buffer, key: Buffer, context: string): Buffer {
  // Without the length, a tag cut short would be accepted.
  const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
