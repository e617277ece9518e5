import { Inject, Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Injection token of the 32 bytes of SECRETS_KEY. */
export const SECRETS_KEY = Symbol('secrets key');

/** Encrypts what must not lie readable in the database (AES-256-GCM; docs/contract.md, "Endpoints"). */
@Injectable()
export class SecretBox {
  /** @param key 32 bytes, from SECRETS_KEY */
  constructor(@Inject(SECRETS_KEY) private readonly key: Buffer) {}

  /** @param context what the secret belongs to; a sealed value moved to another place does not open there */
  seal(plain: Buffer, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error when the key, the context or a bit of the sealed value differs */
  open(sealed: Buffer, context: string): Buffer {
    // Without the length, a tag cut short would be accepted.
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  }
}
