import { createHash } from 'node:crypto';
import type * as Guardians from '../../../packages/ballot/dist/guardians.js';
import { type Ceremony, type Count, type Decryption, guardians, scalars } from './ballot';
import { type Member, shareOf } from './ceremony';

/** A plain ballot. `choices` has the chosen options of each question, from 0; none is an abstention. */
export interface Plain {
  readonly classe: number;
  /** The unit is one ten-thousandth. */
  readonly weight: bigint;
  readonly choices: readonly (readonly number[])[];
}

/** Encrypts the slots of a ballot, without proofs: the byte 1 and X. */
export function encrypted(
  { group, key }: Pick<Ceremony, 'group' | 'key'>,
  options: readonly number[],
  choices: Plain['choices'],
  random: Guardians.RandomBytes,
): Uint8Array {
  const points = options.flatMap((count, q) => {
    const chosen = choices[q]!;
    const bits = [chosen.length === 0, ...Array.from({ length: count }, (_, at) => chosen.includes(at))];
    return bits.flatMap((bit) => {
      const r = scalars.randomScalar(random);
      const hidden = group.multiply(r, key);
      return [group.multiplyBase(r), bit ? group.add(hidden, group.base) : hidden];
    });
  });
  return Buffer.concat([Uint8Array.of(1), ...points.map((point) => group.encode(point))]);
}

export interface Box {
  readonly ballots: readonly Guardians.CountedBallot[];
  /** The contents of the two files. */
  readonly bulletins: string;
  readonly sommes: string;
  readonly count: Count;
}

export function boxOf(
  ceremony: Ceremony,
  options: readonly number[],
  plain: readonly Plain[],
  random: Guardians.RandomBytes,
): Box {
  const ballots = plain
    .map(({ classe, weight, choices }) => ({
      bytes: encrypted(ceremony, options, choices, random),
      voter: random(32),
      ...{ classe, weight },
    }))
    .sort((one, other) => Buffer.compare(sha256(one.bytes), sha256(other.bytes)));
  const sums = new guardians.Sums(ceremony.group, options);
  for (const ballot of ballots) if (!sums.add(ballot)) throw new Error('A point is none.');
  const bulletins = ballots.map((ballot) => guardians.ballotLine(ballot)).join('');
  const sommes = [...sums.lines()].map((line) => guardians.lineOf(line)).join('');
  const count = guardians.countOf(ceremony.group, options, sommes, sha256(bulletins));
  if (!count) throw new Error('The sums cannot be read.');
  return { ballots, bulletins, sommes, count };
}

export const sha256 = (text: string | Uint8Array): Uint8Array => createHash('sha256').update(text).digest();

/** Makes the files of some members, and checks them. @throws Error if one is refused */
export function decryptionsOf(
  ceremony: Ceremony,
  count: Count,
  members: readonly Member[],
  random: Guardians.RandomBytes,
): Decryption[] {
  return members.map((member) => {
    const secrets = { seed: member.secrets.seed, share: shareOf(ceremony, member) };
    const file = guardians.makeDecryption(ceremony, count, member.number, secrets, random);
    // The service gets the file as JSON.
    const decryption = guardians.decryptionOf(ceremony, count, JSON.parse(JSON.stringify(file)));
    if ('nom' in decryption) throw new Error(JSON.stringify(decryption));
    return decryption;
  });
}

/** The result of each class and question, counted from the plain choices. */
export function plainCount(
  options: readonly number[],
  plain: readonly Plain[],
): Guardians.QuestionResult[][] {
  const classes = [...new Set(plain.map(({ classe }) => classe))].sort((one, other) => one - other);
  const text = (weight: bigint): string => {
    const fixed = `${weight / 10_000n}.${(weight % 10_000n).toString().padStart(4, '0')}`;
    return fixed.replace(/\.?0+$/, '');
  };
  const total = (ballots: readonly Plain[]): string =>
    text(ballots.reduce((sum, { weight }) => sum + weight, 0n));
  return classes.map((classe) => {
    const ballots = plain.filter((ballot) => ballot.classe === classe);
    return options.map((count, q) => {
      const away = ballots.filter(({ choices }) => choices[q]!.length === 0);
      const chosen = Array.from({ length: count }, (_, at) =>
        ballots.filter(({ choices }) => choices[q]!.includes(at)),
      );
      return {
        ...{ abstentions: away.length, bulletins: ballots.length, classe },
        options: chosen.map(({ length }) => length),
        poids: chosen.map(total),
        ...{ poidsAbstentions: total(away), total: total(ballots) },
      };
    });
  });
}
