import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vectors } from '../../tools/encrypted-vote/guardian-vectors';
import { guardians, noble, scalars, seeded } from './support/ballot';

describe('the vectors of a ceremony and a count', () => {
  const content = JSON.parse(readFileSync(join(__dirname, 'vectors.json'), 'utf8')) as unknown;

  it('are what libsodium makes', async () => {
    expect(JSON.parse(JSON.stringify(vectors(await guardians.libsodium())))).toEqual(content);
  });

  it('are what @noble/curves makes', () => {
    expect(JSON.parse(JSON.stringify(vectors(noble)))).toEqual(content);
  });
});

describe('the groups of both libraries', () => {
  it('add an encoding like a point, and refuse the same ones', async () => {
    const sodium = await guardians.libsodium();
    const random = seeded('encodings');
    const one = sodium.multiplyBase(scalars.randomScalar(random));
    const other = sodium.multiplyBase(scalars.randomScalar(random));
    const nobleOne = noble.decode(one)!;
    const sum = sodium.encode(sodium.add(one, other));
    expect(sodium.addEncoded(one, other)).toEqual(sum);
    expect(noble.encode(noble.addEncoded(nobleOne, other)!)).toEqual(sum);
    expect(sodium.addEncoded(one, sodium.identity)).toEqual(one);
    const encodings = [
      ...Array.from({ length: 40 }, () => random(32)),
      ...[new Uint8Array(32).fill(255), new Uint8Array(31), new Uint8Array(33)],
    ];
    const accepted = encodings.map((bytes) => sodium.decode(bytes) !== undefined);
    expect(accepted).toContain(true);
    expect(accepted).toContain(false);
    expect(encodings.map((bytes) => sodium.addEncoded(one, bytes) !== undefined)).toEqual(accepted);
    expect(encodings.map((bytes) => noble.addEncoded(nobleOne, bytes) !== undefined)).toEqual(accepted);
  });
});
