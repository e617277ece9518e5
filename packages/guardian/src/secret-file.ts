import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { CeremonyFile } from '@mandat/ballot/guardians';
import { Failure } from './failure.js';
import { readText, write } from './files.js';
import { shown } from './output.js';
import type { Texts } from './texts.js';

/** The secrets of a guardian, as JSON. Bytes and scalars are base64url. */
export interface Secret {
  readonly gardien: number;
  readonly nom: string;
  /** Secret of the key that signs. */
  readonly graine: string;
  readonly transport: string;
  /** The campaign of round 1. */
  campagneId?: string;
  polynome?: readonly string[];
  /** The files that this guardian has made, by round. */
  readonly fichiers: Record<string, CeremonyFile>;
  /** Digest of the ceremony that this guardian has seen complete. */
  ceremonie?: string;
  /** Digest of the sums that this guardian decrypts, and of no others. */
  depouillement?: string;
}

/** The file: the secret by AES-256-GCM under a key that scrypt derives from the passphrase. */
interface Envelope {
  readonly version: 1;
  readonly scrypt: { readonly N: number; readonly r: number; readonly p: number; readonly sel: string };
  readonly iv: string;
  /** The encrypted secret, followed by the tag of 16 bytes. */
  readonly contenu: string;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** 128 MiB for each attempt. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;
const MOST_MEMORY = 2 ** 28;
const MOST_BYTES = 1 << 20;

const text = (bytes: Buffer): string => bytes.toString('base64url');
const bytesOf = (value: string): Buffer => Buffer.from(value, 'base64url');

/** A guardian's secret file, opened by the passphrase. */
export class SecretFile {
  private constructor(
    private readonly texts: Texts,
    readonly path: string,
    private readonly key: Buffer,
    private readonly scrypt: Envelope['scrypt'],
    readonly secret: Secret,
  ) {}

  /** @throws Failure if the file is there */
  static create(texts: Texts, path: string, phrase: string, secret: Secret): SecretFile {
    if (existsSync(path)) throw new Failure(texts.secretExists(shown(path)));
    const scrypt = { ...COST, sel: text(randomBytes(16)) };
    const file = new SecretFile(texts, path, derived(phrase, scrypt), scrypt, secret);
    file.save();
    return file;
  }

  /** @throws Failure for a wrong passphrase or a damaged file */
  static open(texts: Texts, path: string, phrase: string): SecretFile {
    const envelope = envelopeOf(readText(texts, path, MOST_BYTES));
    if (!envelope) throw new Failure(texts.damaged(shown(path)));
    const key = derived(phrase, envelope.scrypt);
    const secret = opened(envelope, key);
    if (!secret) throw new Failure(texts.wrongPhrase(shown(path)));
    return new SecretFile(texts, path, key, envelope.scrypt, secret);
  }

  /** Writes the secret as it is now. */
  save(): void {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv);
    const parts = [cipher.update(JSON.stringify(this.secret)), cipher.final(), cipher.getAuthTag()];
    const envelope: Envelope = {
      version: 1,
      scrypt: this.scrypt,
      iv: text(iv),
      contenu: text(Buffer.concat(parts)),
    };
    write(this.texts, this.path, `${JSON.stringify(envelope)}\n`, 0o600);
  }
}

const derived = (phrase: string, { N, r, p, sel }: Envelope['scrypt']): Buffer =>
  scryptSync(phrase, bytesOf(sel), KEY_BYTES, { N, r, p, maxmem: MOST_MEMORY });

/** Returns undefined for a text that is no secret file. */
function envelopeOf(content: string): Envelope | undefined {
  let value: Partial<Envelope> | null;
  try {
    value = JSON.parse(content) as Partial<Envelope> | null;
  } catch {
    return undefined;
  }
  const { version, scrypt, iv, contenu } = value ?? {};
  const isWhole =
    version === 1 &&
    scrypt?.N === COST.N &&
    scrypt.r === COST.r &&
    scrypt.p === COST.p &&
    typeof scrypt.sel === 'string' &&
    typeof iv === 'string' &&
    bytesOf(iv).length === IV_BYTES &&
    typeof contenu === 'string' &&
    bytesOf(contenu).length > TAG_BYTES;
  return isWhole ? (value as Envelope) : undefined;
}

/** Returns undefined for another key or another content. */
function opened({ iv, contenu }: Envelope, key: Buffer): Secret | undefined {
  const bytes = bytesOf(contenu);
  const cipher = createDecipheriv(CIPHER, key, bytesOf(iv), { authTagLength: TAG_BYTES });
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([cipher.update(bytes.subarray(0, -TAG_BYTES)), cipher.final()]);
    return JSON.parse(plain.toString()) as Secret;
  } catch {
    return undefined;
  }
}
