import sodium from 'libsodium-wrappers-sumo';
import { encodeScalar, type Group, POINT_BYTES } from './group.js';

const IDENTITY = new Uint8Array(POINT_BYTES);

const isIdentity = (point: Uint8Array): boolean => point.every((byte) => byte === 0);

/**
 * ristretto255 by libsodium: about ten times as fast as `noble`, for servers and guardians. Points are their encodings. Ready once the promise
 * is.
 */
export async function libsodium(): Promise<Group<Uint8Array>> {
  await sodium.ready;
  return {
    base: sodium.crypto_scalarmult_ristretto255_base(encodeScalar(1n)),
    identity: IDENTITY,
    decode: (bytes) =>
      bytes.length === POINT_BYTES && sodium.crypto_core_ristretto255_is_valid_point(bytes)
        ? bytes
        : undefined,
    encode: (point) => point,
    add: (one, other) => sodium.crypto_core_ristretto255_add(one, other),
    addEncoded(one, bytes) {
      if (bytes.length !== POINT_BYTES) return undefined;
      try {
        return sodium.crypto_core_ristretto255_add(one, bytes);
      } catch {
        // The library has refused the encoding.
        return undefined;
      }
    },
    subtract: (one, other) => sodium.crypto_core_ristretto255_sub(one, other),
    // The library refuses the identity as a result.
    multiply: (scalar, point) =>
      scalar === 0n || isIdentity(point)
        ? IDENTITY
        : sodium.crypto_scalarmult_ristretto255(encodeScalar(scalar), point),
    prepare: (point) => point,
    multiplyBase: (scalar) =>
      scalar === 0n ? IDENTITY : sodium.crypto_scalarmult_ristretto255_base(encodeScalar(scalar)),
  };
}
