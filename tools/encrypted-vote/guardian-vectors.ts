import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Guardians from '../../packages/ballot/dist/guardians.js';
import type * as GroupModule from '../../packages/ballot/dist/group.js';

/**
 * Makes test/guardian/vectors.json: a ceremony of three guardians with a threshold of two, and a small count. All randomness is the
 * SHA-512 of `vectors/` and a counter from 0, so each run makes the same file.
 */
const PACKAGE = join(__dirname, '../../../packages/ballot/dist');
/* eslint-disable @typescript-eslint/no-require-imports */
const guardians = require(join(PACKAGE, 'guardians.js')) as typeof Guardians;
const { randomScalar } = require(join(PACKAGE, 'group.js')) as typeof GroupModule;
/* eslint-enable @typescript-eslint/no-require-imports */

const { base64url } = guardians;

const PARAMETERS = {
  campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21',
  gardiens: ['Élise Côté', 'Jean-Noël Roy', 'Ω'],
  seuil: 2,
};
/** Options of each question. */
const OPTIONS = [2, 1];
/** Class, weight and choices of each ballot. In class 1 all have the same weight. */
const BALLOTS = [
  { classe: 1, weight: 15_000n, choices: [[0], [0]] },
  { classe: 1, weight: 15_000n, choices: [[], [0]] },
  { classe: 2, weight: 20_000n, choices: [[1], []] },
  { classe: 2, weight: 5_000n, choices: [[0, 1], [0]] },
  { classe: 2, weight: 5_000n, choices: [[0], []] },
];

export function vectors<P>(group: Guardians.Group<P>): object {
  let block = 0;
  const random = (length: number): Uint8Array =>
    createHash('sha512').update(`vectors/${block++}`).digest().subarray(0, length);

  const members = PARAMETERS.gardiens.map((_, at) => ({
    number: at + 1,
    secrets: guardians.drawSecrets(random),
    polynomial: guardians.drawPolynomial(PARAMETERS.seuil, random),
  }));
  const ceremony = new guardians.Ceremony(group, PARAMETERS);
  const rounds: ((member: (typeof members)[number]) => object)[] = [
    ({ number, secrets }) => guardians.makeKeys(ceremony, number, secrets, random),
    ({ number, secrets, polynomial }) => guardians.makeShares(ceremony, number, secrets, polynomial, random),
    ({ number, secrets }) => guardians.makeAgreement(ceremony, number, secrets, random),
  ];
  for (const make of rounds)
    for (const member of members) {
      const fault = ceremony.take(make(member));
      if (fault) throw new Error(fault.nom);
    }

  const ballots = BALLOTS.map(({ classe, weight, choices }) => ({
    bytes: encrypted(ceremony, choices, random),
    voter: random(32),
    ...{ classe, weight },
  })).sort((one, other) => Buffer.compare(one.bytes, other.bytes));
  const sums = new guardians.Sums(group, OPTIONS);
  for (const ballot of ballots) sums.add(ballot);
  const bulletins = ballots.map((ballot) => guardians.ballotLine(ballot)).join('');
  const sommes = [...sums.lines()].map((line) => guardians.lineOf(line)).join('');
  const count = guardians.countOf(group, OPTIONS, sommes, createHash('sha256').update(bulletins).digest())!;
  const files = members.slice(1).map(({ number, secrets, polynomial }) => {
    const share = guardians.secretShare(ceremony, number, secrets, polynomial);
    return guardians.makeDecryption(ceremony, count, number, { seed: secrets.seed, share }, random);
  });
  const decryptions = files.map((file) => {
    const decryption = guardians.decryptionOf(ceremony, count, file);
    if ('nom' in decryption) throw new Error(decryption.nom);
    return decryption;
  });
  const scalar = (n: bigint): string => base64url(guardians.encodeScalar(n));
  const point = (one: P): string => base64url(group.encode(one));
  return {
    ...PARAMETERS,
    secrets: members.map(({ number, secrets, polynomial }) => ({
      gardien: number,
      graine: base64url(secrets.seed),
      transport: scalar(secrets.transport),
      polynome: polynomial.map(scalar),
      part: scalar(guardians.secretShare(ceremony, number, secrets, polynomial)),
    })),
    fichiers: ceremony.files,
    empreintes: ceremony.files.slice(0, 3).map((file) => guardians.fingerprintOf(file)),
    tours: ([1, 2, 3] as const).map((round) => base64url(ceremony.digest(round))),
    cle: point(ceremony.key),
    partsPubliques: members.map(({ number }) => point(ceremony.publicShare(number))),
    options: OPTIONS,
    bulletins,
    sommes,
    depouillement: base64url(count.digest),
    dechiffrements: files,
    resultats: guardians.combine(ceremony, count, decryptions),
  };
}

/** The ciphertexts of a ballot, without proofs: the byte 1 and X. */
function encrypted<P>(
  { group, key }: Guardians.Ceremony<P>,
  choices: readonly (readonly number[])[],
  random: Guardians.RandomBytes,
): Uint8Array {
  const points = OPTIONS.flatMap((count, q) => {
    const chosen = choices[q]!;
    const bits = [chosen.length === 0, ...Array.from({ length: count }, (_, at) => chosen.includes(at))];
    return bits.flatMap((bit) => {
      const r = randomScalar(random);
      const hidden = group.multiply(r, key);
      return [group.multiplyBase(r), bit ? group.add(hidden, group.base) : hidden];
    });
  });
  return Buffer.concat([Uint8Array.of(1), ...points.map((one) => group.encode(one))]);
}

/** Written by `npm run vectors:guardian`. */
async function main(): Promise<void> {
  const content = JSON.stringify(vectors(await guardians.libsodium()), undefined, 2);
  writeFileSync(join(__dirname, '../../../test/guardian/vectors.json'), `${content}\n`);
}

if (require.main === module) void main();
