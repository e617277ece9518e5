import { ristretto255 } from '@noble/curves/ed25519.js';
import type { CurvePoint, CurvePointCons } from '@noble/curves/abstract/curve.js';
import type { Group } from './group.js';

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a type alias cannot refer to itself here
export interface Point extends CurvePoint<bigint, Point> {}

const Point = ristretto255.Point as unknown as CurvePointCons<Point>;

/** ristretto255 by `@noble/curves`: small, for browsers. */
export const noble: Group<Point> = {
  base: Point.BASE,
  identity: Point.ZERO,
  decode(bytes) {
    try {
      return Point.fromBytes(bytes);
    } catch {
      return undefined;
    }
  },
  encode: (point) => point.toBytes(),
  add: (one, other) => one.add(other),
  addEncoded(one, bytes) {
    const other = noble.decode(bytes);
    return other && one.add(other);
  },
  subtract: (one, other) => one.subtract(other),
  // The library refuses 0.
  multiply: (scalar, point) => (scalar === 0n ? Point.ZERO : point.multiply(scalar)),
  prepare: (point) => point.precompute(4, false),
  multiplyBase: (scalar) => (scalar === 0n ? Point.ZERO : Point.BASE.multiply(scalar)),
};
