import * as fc from 'fast-check';
import { SEED } from '../setup/depth';
import { decodeScalar, encodeScalar, libsodium, noble, ORDER } from './support/package';
import { seeded } from './support/votes';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the group by both libraries', () => {
  const random = seeded(`groups ${SEED}`);

  it('computes the same', async () => {
    const sodium = await libsodium();
    for (const k of [0n, 1n, 2n, ORDER - 1n, random(), random()]) {
      const [P, Q] = [noble, sodium].map((group) => hex(group.encode(group.multiplyBase(k) as never)));
      expect(P).toBe(Q);
      for (const l of [0n, 1n, ORDER - k, random()].map((n) => n % ORDER)) {
        const results = [noble, sodium].map((one) => {
          const group = one as typeof noble;
          const point = group.multiplyBase(k);
          const other = group.multiplyBase(l);
          return [
            group.multiply(l, point),
            group.multiply(l, group.prepare(group.decode(group.encode(point))!)),
            group.add(point, other),
            group.subtract(point, other),
          ].map((result) => hex(group.encode(result)));
        });
        expect(results[0]).toEqual(results[1]);
        expect(results[0]![0]).toBe(results[0]![1]);
      }
    }
  });

  it('decodes the same bytes: only canonical ones, the identity included', async () => {
    const sodium = await libsodium();
    const canonical = sodium.multiplyBase(random());
    const p = 2n ** 255n - 19n;
    const asNumber = BigInt(`0x${hex(canonical.toReversed())}`);
    const wrong = [
      Uint8Array.from(canonical, (byte, at) => (at === 31 ? byte | 0x80 : byte)),
      encodeScalar(p - asNumber),
      encodeScalar(p),
      encodeScalar(p + 1n),
      encodeScalar(1n),
      new Uint8Array(32).fill(255),
      new Uint8Array(31),
      new Uint8Array(33),
      new Uint8Array(),
    ];
    for (const group of [noble, sodium]) {
      expect(wrong.map((bytes) => group.decode(bytes))).toEqual(wrong.map(() => undefined));
      for (const bytes of [canonical, new Uint8Array(32)])
        expect(hex(group.encode(group.decode(bytes) as never))).toBe(hex(bytes));
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(noble.decode(bytes) === undefined).toBe(sodium.decode(bytes) === undefined);
      }),
    );
  });

  it('scalars are 32 bytes, little-endian, below the order', () => {
    expect(hex(encodeScalar(1n + (2n << 248n)))).toBe(`01${'00'.repeat(30)}02`);
    for (const scalar of [0n, 1n, ORDER - 1n, random()])
      expect(decodeScalar(encodeScalar(scalar))).toBe(scalar);
    for (const scalar of [ORDER, ORDER + 1n, 2n ** 256n - 1n])
      expect(decodeScalar(encodeScalar(scalar))).toBeUndefined();
    for (const length of [0, 31, 33]) expect(decodeScalar(new Uint8Array(length))).toBeUndefined();
  });
});
