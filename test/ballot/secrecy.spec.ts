import { createHash, randomBytes, randomInt } from 'node:crypto';
import { type Group, libsodium, littleEndian, modulo, readBallot, sealWith, voteOf } from './support/package';
import { base64url, testVote, uuid } from './support/votes';

/**
 * An operator who reads database, logs, backups and all keys of the service has the vote, and every ballot with its
 * voter. The service holds no secret of the vote. The attackers learn from half of the ballots, whose choices they know,
 * and guess the other half.
 */
const BALLOTS = 400;
const KNOWN = BALLOTS / 2;
/** Right guesses of 200 by chance: more than this once in three million times. */
const BY_CHANCE = KNOWN / 2 + 5 * Math.sqrt(KNOWN / 4);

interface Cast {
  readonly votant: string;
  /** The chosen option of two. */
  readonly option: number;
  readonly bytes: Uint8Array;
}

/** Guesses the option of each ballot behind the known ones. */
type Attacker = (ballots: readonly Cast[]) => (number | undefined)[];

let group: Group<Uint8Array>;
const { scrutin, secret } = testVote('secrecy', [[2, 1, 1]]);
beforeAll(async () => {
  group = await libsodium();
});

const systemScalar = (): bigint => modulo(littleEndian(randomBytes(64)));

/** @param deviceOf the randomness of a voter's device */
function castAll(deviceOf: (votant: string) => () => bigint): Cast[] {
  return Array.from({ length: BALLOTS }, (_, n) => {
    const [votant, option] = [uuid(`secrecy voter ${n}`), randomInt(2)];
    const { BulletinChiffre } = sealWith(group, deviceOf(votant), scrutin, votant, [[option]]).cast();
    return { votant, option, bytes: Buffer.from(BulletinChiffre, 'base64url') };
  });
}

const slotsOf = ({ bytes }: Cast) => readBallot(voteOf(group, scrutin), bytes).slots[0]!;

/** Returns true if a slot without its randomness, or the difference of two slots with the same one, shows a choice. */
const isSet = (point: Uint8Array): boolean => base64url(point) === base64url(group.base);

/** Tries randomness that a bad device could derive from data of the service and the voter, or from small numbers. */
const guessesRandomness: Attacker = (ballots) => {
  const { campagneId, ceremonie, cle } = scrutin;
  const common = [campagneId, ceremonie, cle, '', '0', '1'].map((text) => Buffer.from(text));
  return ballots.slice(KNOWN).map((ballot) => {
    const texts = [
      ...common,
      Buffer.from(ballot.votant),
      Buffer.from(ballot.votant.replaceAll('-', ''), 'hex'),
    ];
    const candidates = [
      ...texts.flatMap((text) => ['sha256', 'sha512'].map((name) => createHash(name).update(text).digest())),
      ...Array.from({ length: 64 }, (_, n) => Uint8Array.of(n + 1)),
    ].map((bytes) => modulo(littleEndian(bytes)));
    const [, first] = slotsOf(ballot);
    const r = candidates.find((one) => base64url(group.multiplyBase(one)) === base64url(first!.alpha));
    if (r === undefined) return undefined;
    const shown = group.subtract(first!.beta, group.multiply(r, Buffer.from(scrutin.cle, 'base64url')));
    return isSet(shown) ? 0 : 1;
  });
};

/** Compares the two options, whose difference shows the choice if they have the same randomness. */
const comparesOptions: Attacker = (ballots) =>
  ballots.slice(KNOWN).map((ballot) => {
    const [, first, second] = slotsOf(ballot);
    if (base64url(first!.alpha) !== base64url(second!.alpha)) return undefined;
    return isSet(group.subtract(first!.beta, second!.beta)) ? 0 : 1;
  });

/** Finds the byte of a ballot, and the bound for it, that have most to do with the known choices: of ciphertexts and of proofs. */
const readsBytes: Attacker = (ballots) => {
  const known = ballots.slice(0, KNOWN);
  const isBelow = ({ bytes }: Cast, at: number, bound: number): number => Number(bytes[at]! < bound);
  let best = { at: 0, bound: 0, equal: KNOWN / 2 };
  for (let at = 0; at < known[0]!.bytes.length; at++)
    for (let bound = 1; bound < 256; bound *= 2) {
      const equal = known.filter((ballot) => isBelow(ballot, at, bound) === ballot.option).length;
      if (Math.abs(equal - KNOWN / 2) > Math.abs(best.equal - KNOWN / 2)) best = { at, bound, equal };
    }
  const flip = best.equal < KNOWN / 2 ? 1 : 0;
  return ballots.slice(KNOWN).map((ballot) => isBelow(ballot, best.at, best.bound) ^ flip);
};

/** Finds the pair of scalars of the proofs whose order has most to do with the known choices. */
const comparesScalars: Attacker = (ballots) => {
  const scalarsOf = ({ bytes }: Cast): bigint[] => {
    const proofs = bytes.slice(1 + 3 * 64);
    return Array.from({ length: proofs.length / 32 }, (_, n) =>
      littleEndian(proofs.slice(32 * n, 32 * n + 32)),
    );
  };
  const all = ballots.map(scalarsOf);
  const orderOf = (n: number, a: number, b: number): number => Number(all[n]![a]! < all[n]![b]!);
  let best = { a: 0, b: 0, equal: KNOWN / 2 };
  for (let a = 0; a < all[0]!.length; a++)
    for (let b = 0; b < a; b++) {
      const equal = ballots.slice(0, KNOWN).filter(({ option }, n) => orderOf(n, a, b) === option).length;
      if (Math.abs(equal - KNOWN / 2) > Math.abs(best.equal - KNOWN / 2)) best = { a, b, equal };
    }
  const flip = best.equal < KNOWN / 2 ? 1 : 0;
  return ballots.slice(KNOWN).map((_, n) => orderOf(KNOWN + n, best.a, best.b) ^ flip);
};

/** Right guesses of those behind the known ballots; a ballot without a guess counts half. */
const right = (ballots: readonly Cast[], attacker: Attacker): number =>
  attacker(ballots).reduce<number>(
    (sum, guess, n) => sum + (guess === undefined ? 0.5 : Number(guess === ballots[KNOWN + n]!.option)),
    0,
  );

const ATTACKERS: readonly [string, Attacker][] = [
  ['tries likely randomness', guessesRandomness],
  ['compares the options', comparesOptions],
  ['reads single bytes', readsBytes],
  ['compares scalars of the proofs', comparesScalars],
];

describe('ballots of 400 known voters', () => {
  let ballots: Cast[];
  beforeAll(() => {
    ballots = castAll(() => systemScalar);
  });

  it.each(ATTACKERS)('are at chance for an operator with all keys of the service, who %s', (_, attacker) => {
    expect(right(ballots, attacker)).toBeLessThan(BY_CHANCE);
  });

  it('have nothing twice', () => {
    const points = ballots.flatMap((ballot) => slotsOf(ballot).flatMap(({ alpha, beta }) => [alpha, beta]));
    expect(new Set(points.map(base64url)).size).toBe(points.length);
    expect(new Set(ballots.map(({ bytes }) => bytes.length)).size).toBe(1);
  });

  it('are read by those who have the secret of the vote, which as many guardians as are needed have', () => {
    const guesses = ballots.map((ballot) => {
      const [, first] = slotsOf(ballot);
      return isSet(group.subtract(first!.beta, group.multiply(secret, first!.alpha))) ? 0 : 1;
    });
    expect(guesses).toEqual(ballots.map(({ option }) => option));
  });
});

describe('negative control: ballots of a device', () => {
  /** A device that gives these scalars first, and good ones afterwards. */
  const after =
    (...first: bigint[]) =>
    (): bigint =>
      first.shift() ?? systemScalar();

  it.each<[string, Attacker, (votant: string) => () => bigint]>([
    [
      'whose randomness follows from the voter are read',
      guessesRandomness,
      (votant) => {
        const r = modulo(littleEndian(createHash('sha512').update(votant).digest()));
        return after(systemScalar(), r);
      },
    ],
    [
      'that uses randomness twice are read',
      comparesOptions,
      () => {
        const r = systemScalar();
        return after(systemScalar(), r, r);
      },
    ],
    ['that draws short scalars are read by bytes', readsBytes, () => () => littleEndian(randomBytes(16))],
    [
      'that draws short scalars are read by their order',
      comparesScalars,
      () => () => littleEndian(randomBytes(16)),
    ],
  ])('%s', (_, attacker, deviceOf) => {
    expect(right(castAll(deviceOf), attacker)).toBeGreaterThan(0.9 * KNOWN);
  });
});
