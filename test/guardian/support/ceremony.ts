import type * as Guardians from '../../../packages/ballot/dist/guardians.js';
import { type Ceremony, type Group, guardians, type Point } from './ballot';

export const CAMPAIGN = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21';

/** A guardian with everything that they keep secret. */
export interface Member {
  readonly number: number;
  readonly secrets: Guardians.GuardianSecrets;
  readonly polynomial: Guardians.Polynomial;
}

export interface Party {
  readonly ceremony: Ceremony;
  readonly members: readonly Member[];
}

export function membersOf(count: number, seuil: number, random: Guardians.RandomBytes): Member[] {
  return Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    secrets: guardians.drawSecrets(random),
    polynomial: guardians.drawPolynomial(seuil, random),
  }));
}

export const emptyCeremony = (group: Group, count: number, seuil: number, campagneId = CAMPAIGN): Ceremony =>
  new guardians.Ceremony<Point>(group, {
    campagneId,
    gardiens: Array.from({ length: count }, (_, at) => `Gardienne ${at + 1} « é »`),
    seuil,
  });

/** Makes a member's file of the round that waits for files. */
export function fileOf(
  ceremony: Ceremony,
  { number, secrets, polynomial }: Member,
  random: Guardians.RandomBytes,
): Guardians.CeremonyFile {
  switch (ceremony.round) {
    case 1:
      return guardians.makeKeys(ceremony, number, secrets, random);
    case 2:
      return guardians.makeShares(ceremony, number, secrets, polynomial, random);
    default:
      return guardians.makeAgreement(ceremony, number, secrets, random);
  }
}

/** Makes and takes in the files of rounds up to `last`. @throws Error if a file is refused */
export function heldUntil(
  last: Guardians.Round,
  ceremony: Ceremony,
  members: readonly Member[],
  random: Guardians.RandomBytes,
): Ceremony {
  while (ceremony.round !== undefined && ceremony.round <= last)
    for (const member of members) taken(ceremony, fileOf(ceremony, member, random));
  return ceremony;
}

export function taken(ceremony: Ceremony, file: unknown): void {
  const fault = ceremony.take(file);
  if (fault) throw new Error(JSON.stringify(fault));
}

/** Holds a ceremony of honest guardians. */
export function partyOf(group: Group, count: number, seuil: number, random: Guardians.RandomBytes): Party {
  const members = membersOf(count, seuil, random);
  return { ceremony: heldUntil(3, emptyCeremony(group, count, seuil), members, random), members };
}

export const shareOf = (ceremony: Ceremony, { number, secrets, polynomial }: Member): bigint =>
  guardians.secretShare(ceremony, number, secrets, polynomial);
