import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlattenedSign } from 'jose';
import { type KeyObject, sign } from 'node:crypto';
import { ConfigError } from '#platform/ops/config-error';
import { Config } from '#platform/ops/config';
import { PROCESS_NAME, type Reader } from '#platform/ops/process-name';
import { workerCellsOf } from '#platform/ops/load-config';
import { DomainError } from '#platform/errors/domain-error';
import { SERVICE } from '#platform/errors/platform.errors';
import { privateKeyOf, publicBytesOf, publicJwkOf, type PublicJwk } from '../domain/signing-key';
import { DossierKeysRepository } from '../persistence/dossier-keys.repository';
import { fr } from '#platform/errors/text';

/** How long the list of public keys is kept. Callers do not reach the database more often. */
const KEPT_MS = 10_000;

interface Own {
  readonly key: KeyObject;
  readonly publicKey: Buffer;
  readonly kid: string;
  /** The header of its signatures, base64url. */
  readonly header: string;
}

/** The key of this process that signs counts, and the public keys of all that have signed (docs/adr/0041). */
@Injectable()
export class DossierKeys implements OnApplicationBootstrap {
  private readonly own: Own | undefined;
  private stored: Promise<void> | undefined;
  private listed: { readonly since: number; readonly keys: Promise<PublicJwk[]> } | undefined;

  /** @throws ConfigError for a DOSSIER_SIGNING_KEY that is no Ed25519 key */
  constructor(
    private readonly repository: DossierKeysRepository,
    private readonly config: Config,
    @Inject(PROCESS_NAME) private readonly processName: Reader,
  ) {
    const { dossierSigningKey: text } = config;
    if (text === undefined) return;
    const key = privateKeyOf(text);
    if (!key)
      throw new ConfigError(
        'DOSSIER_SIGNING_KEY must be an Ed25519 private key: PEM, JWK, or 32 random bytes in base64 (openssl rand -base64 32).',
      );
    const publicKey = publicBytesOf(key);
    const { kid } = publicJwkOf(publicKey);
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url');
    this.own = { key, publicKey, kid, header };
  }

  /**
   * Checks, in production, that a key is set. Earlier releases did not sign, and votes would be refused without a key, so their
   * processes stay until a key is set. Commands do not sign. Cells that do not respond are skipped.
   *
   * @throws ConfigError if no key is set although a campaign is published and its count is unsigned
   */
  async onApplicationBootstrap(): Promise<void> {
    if (this.own || !this.config.production || this.processName === 'cli') return;
    if (await this.hasVotes())
      throw new ConfigError(
        'DOSSIER_SIGNING_KEY is not set, and a campaign is published: give the key that signs its count.',
      );
  }

  private async hasVotes(): Promise<boolean> {
    const cells = workerCellsOf(this.config.cells, this.config.databaseUrl);
    const votes = await Promise.allSettled(cells.map((cell) => this.repository.hasVotes(cell)));
    return votes.some((one) => one.status === 'fulfilled' && one.value);
  }

  get isSet(): boolean {
    return this.own !== undefined;
  }

  /** Returns why the key of this process contradicts the data, or undefined if it does not. */
  async fault(): Promise<string | undefined> {
    if (!this.own) return (await this.hasVotes()) ? 'is not set, and a campaign is published' : undefined;
    const known = await this.repository.all();
    const isKnown = known.length === 0 || known.some((key) => key.equals(this.own!.publicKey));
    return isKnown ? undefined : 'has signed nothing, but another key has';
  }

  get kid(): string {
    return this.usable().kid;
  }

  /** The 32 bytes of the public key. */
  get publicKey(): Uint8Array {
    return this.usable().publicKey;
  }

  /**
   * Lists the key of this process among the public ones, which a signature requires. Outside of any transaction.
   *
   * @throws DomainError `Service.Indisponible` without a key
   */
  async ready(): Promise<void> {
    const { kid, publicKey } = this.usable();
    this.stored ??= this.repository.add(kid, publicKey).catch((error: unknown) => {
      this.stored = undefined;
      throw error;
    });
    await this.stored;
  }

  /** Signs bytes (Ed25519). Call `ready` before. */
  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.usable().key);
  }

  /** A compact JWS (RFC 7515). Call `ready` before. Each vote has one. `jose` takes up to 160 µs of processor, `node:crypto` 46 µs. */
  jws(payload: Uint8Array): string {
    const { header } = this.usable();
    const signed = `${header}.${Buffer.from(payload).toString('base64url')}`;
    return `${signed}.${this.sign(Buffer.from(signed)).toString('base64url')}`;
  }

  /** A compact JWS whose payload is left out (RFC 7515, appendix F). Call `ready` before. */
  async detachedJws(payload: Uint8Array): Promise<string> {
    const { key, kid } = this.usable();
    const signed = await new FlattenedSign(payload).setProtectedHeader({ alg: 'EdDSA', kid }).sign(key);
    return `${signed.protected}..${signed.signature}`;
  }

  /** All keys that have signed, and that of this process. */
  publicKeys(): Promise<PublicJwk[]> {
    if (this.listed && performance.now() - this.listed.since < KEPT_MS) return this.listed.keys;
    const keys = this.list();
    this.listed = { since: performance.now(), keys };
    keys.catch(() => (this.listed = undefined));
    return keys;
  }

  private async list(): Promise<PublicJwk[]> {
    if (this.own) await this.ready();
    return (await this.repository.all()).map(publicJwkOf);
  }

  private usable(): Own {
    if (this.own) return this.own;
    throw new DomainError(SERVICE.Indisponible, {
      en: 'The operator must set DOSSIER_SIGNING_KEY, the key that signs counts, before a campaign is published.',
      fr: fr(
        "L'exploitant doit définir DOSSIER_SIGNING_KEY, la clé qui signe les dépouillements, avant la publication d'une campagne.",
      ),
    });
  }
}
