import { type Group, POINT_BYTES } from './group.js';
import { fixedBytes, type Limits, limitsOf, type Scrutin, structureDigest } from './structure.js';

/** A vote, prepared for many ballots. */
export interface Vote<P> {
  readonly group: Group<P>;
  readonly campagneId: string;
  /** Y */
  readonly key: P;
  /** Z */
  readonly ceremony: Uint8Array;
  /** S */
  readonly structure: Uint8Array;
  readonly limits: readonly Limits[];
}

/** @throws TypeError if the vote has no right key, or allows no ballot */
export function voteOf<P>(group: Group<P>, scrutin: Scrutin): Vote<P> {
  const key = fixedBytes(scrutin.cle, POINT_BYTES, 'cle');
  const point = group.decode(key);
  if (point === undefined || key.every((byte) => byte === 0))
    throw new TypeError('cle is not a point, or the identity.');
  return {
    group,
    campagneId: scrutin.campagneId,
    key: group.prepare(point),
    ceremony: fixedBytes(scrutin.ceremonie, 32, 'ceremonie'),
    structure: structureDigest(scrutin),
    limits: limitsOf(scrutin),
  };
}
