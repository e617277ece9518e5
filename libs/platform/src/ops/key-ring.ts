import { ConfigError } from './config-error';

/** A key of SECRETS_KEY. A single key may have no id; then data that it wrote has none, either. */
export interface SecretKey {
  readonly id: string | null;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

const FORM =
  'SECRETS_KEY must be set to 32 random bytes in base64 (openssl rand -base64 32), or to several such keys, newest first, ' +
  'as id:key,id:key with ids of 1 to 20 characters of a-z, 0-9 and -.';

/** The keys of SECRETS_KEY: the first writes, all read (docs/adr/0037). */
export class KeyRing {
  /** @param keys newest first */
  constructor(private readonly keys: readonly [SecretKey, ...SecretKey[]]) {}

  /** A ring of one key without an id. */
  static of(bytes: Buffer): KeyRing {
    return new KeyRing([{ id: null, bytes }]);
  }

  /** @throws ConfigError for text that is no SECRETS_KEY */
  static parse(text: string): KeyRing {
    const keys = text.split(',').map(keyOf);
    const [first, ...others] = keys;
    if (!first) throw new ConfigError(FORM);
    if (others.length > 0 && keys.some(({ id }) => id === null))
      throw new ConfigError('SECRETS_KEY has several keys: give each an id, as id:key,id:key.');
    const distinct = (part: (key: SecretKey) => unknown): boolean =>
      new Set(keys.map(part)).size === keys.length;
    if (!distinct(({ id }) => id) || !distinct(({ bytes }) => bytes.toString('hex')))
      throw new ConfigError('SECRETS_KEY has an id or a key twice.');
    return new KeyRing([first, ...others]);
  }

  /** The key that writes. */
  get newest(): SecretKey {
    return this.keys[0];
  }

  /** Ids of the keys, newest first. */
  get ids(): readonly (string | null)[] {
    return this.keys.map(({ id }) => id);
  }

  /**
   * The keys that may have written under an id: that key, and every key where no id was recorded. A key without an id may be
   * that of any id, because another process may already have its id.
   */
  candidates(id: string | null): readonly SecretKey[] {
    return id === null ? this.keys : this.keys.filter((key) => key.id === id || key.id === null);
  }

  /** Whether an id names no key of the ring. */
  lacks(id: string | null): boolean {
    return id !== null && !this.ids.includes(id);
  }

  /** The ring with keys made of its own. */
  map(derive: (bytes: Buffer) => Buffer): KeyRing {
    const [first, ...others] = this.keys;
    const derived = ({ id, bytes }: SecretKey): SecretKey => ({ id, bytes: derive(bytes) });
    return new KeyRing([derived(first), ...others.map(derived)]);
  }

  /** The value of SECRETS_KEY for this ring. */
  text(): string {
    return this.keys
      .map(({ id, bytes }) => (id === null ? '' : `${id}:`) + bytes.toString('base64'))
      .join(',');
  }
}

function keyOf(text: string): SecretKey {
  const [, id, base64] = /^(?:([a-z0-9-]{1,20}):)?([\w+/-]+={0,2})$/.exec(text.trim()) ?? [];
  // Buffer.from skips what is not base64.
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.length !== 32) throw new ConfigError(FORM);
  return { id: id ?? null, bytes };
}
