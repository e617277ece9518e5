import { decoded } from './bytes.js';
import { Malformed } from './findings.js';

/** Returns the value with its type. @throws Malformed if the value has another form. */
export type Shape<T> = (value: unknown, at: string) => T;

type Of<S> = S extends Shape<infer T> ? T : never;

const fail = (at: string, expected: string, value: unknown): never => {
  throw new Malformed(at, expected, JSON.stringify(value)?.slice(0, 300) ?? 'nothing');
};

export const text: Shape<string> = (value, at) =>
  typeof value === 'string' ? value : fail(at, 'a text', value);

export const count: Shape<number> = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0)
    ? (value as number)
    : fail(at, 'a whole number from 0', value);

export const flag: Shape<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : fail(at, 'true or false', value);

/** Ten-thousandths of a decimal with up to four decimals, written without zeros at its end. */
export const weight: Shape<bigint> = (value, at) => {
  const match = typeof value === 'string' && /^(0|[1-9]\d{0,19})(?:\.(\d{0,3}[1-9]))?$/.exec(value);
  if (!match) return fail(at, 'a decimal such as "2.5", with up to four decimals', value);
  return BigInt(match[1]!) * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'));
};

export const digest =
  (encoding: 'hex' | 'base64url'): Shape<Buffer> =>
  (value, at) => {
    if (typeof value === 'string') {
      if (encoding === 'base64url') {
        const bytes = decoded(value, encoding, 32);
        if (bytes) return bytes;
      } else if (/^[0-9a-f]{64}$/.test(value)) return Buffer.from(value, 'hex');
    }
    return fail(at, `32 bytes in ${encoding === 'hex' ? 'lowercase hex' : 'base64url'}`, value);
  };

export const exactly =
  <const T extends string | number>(...values: T[]): Shape<T> =>
  (value, at) =>
    values.includes(value as T) ? (value as T) : fail(at, values.join(' or '), value);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

/** Returns a part of a value. The path is made only for a fault, because a bundle has millions of parts. */
function part<T>(shape: Shape<T>, value: unknown, at: string, name: string | number): T {
  try {
    return shape(value, '');
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const own = typeof name === 'number' ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`;
    const separator = error.figure === '' || error.figure.startsWith('[') ? '' : '.';
    throw new Malformed(`${own}${separator}${error.figure}`, error.expected, error.found);
  }
}

export const list =
  <T>(shape: Shape<T>, most = 1_000_000): Shape<T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return fail(at, 'a list', value);
    if (value.length > most) return fail(at, `at most ${most} items`, value.length);
    return value.map((item, index) => part(shape, item, at, index));
  };

/** An object with these members and no other. */
export const record =
  <S extends Record<string, Shape<unknown>>>(members: S): Shape<{ [N in keyof S]: Of<S[N]> }> =>
  (value, at) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return fail(at, 'an object', value);
    const found = value as Record<string, unknown>;
    for (const name of Object.keys(found))
      if (!Object.hasOwn(members, name))
        fail(at === '' ? name : `${at}.${name}`, 'no such member', found[name]);
    return Object.fromEntries(
      Object.entries(members).map(([name, shape]) => [
        name,
        part(shape, Object.hasOwn(found, name) ? found[name] : undefined, at, name),
      ]),
    ) as { [N in keyof S]: Of<S[N]> };
  };

/** An object with these members, and others, which are left out. */
export const holding =
  <S extends Record<string, Shape<unknown>>>(members: S): Shape<{ [N in keyof S]: Of<S[N]> }> =>
  (value, at) =>
    record(members)(
      value === null || typeof value !== 'object' || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(members, name))),
      at,
    );
