import type { EffetsOfEmployeur } from '#membership';
import type { BulkResult } from '#platform/bulk/bulk-upsert';
import type { Effets } from '../domain/effets.types';
import type { EffetsParEmployeur } from '../domain/plan.types';

/** Effects of a sync that has written nothing. */
export const NO_EFFETS: Effets = effetsOf([]);

/** Returns the effects of the lists of a sync. */
export function effetsOf(lists: readonly BulkResult[]): Effets {
  const sum = (count: (list: BulkResult) => number): number =>
    lists.reduce((total, list) => total + count(list), 0);
  return {
    crees: sum(({ created }) => created),
    modifies: sum(({ changed }) => changed),
    inchanges: sum(({ unchanged }) => unchanged),
    termines: sum(({ ended }) => ended),
    champsVides: sum(({ cleared }) => cleared),
    refuses: sum(({ refusals }) => refusals.length),
  };
}

/** Returns the effects as a dictionary of structured fields (RFC 9651): `crees=3, modifies=1, …`. */
export function dictionaryOf({ crees, modifies, inchanges, termines, champsVides, refuses }: Effets): string {
  const members = { crees, modifies, inchanges, termines, 'champs-vides': champsVides, refuses };
  return Object.entries(members)
    .map(([name, count]) => `${name}=${count}`)
    .join(', ');
}

const COUNTS = ['crees', 'modifies', 'inchanges', 'termines', 'champsVides'] as const;

/** Returns the effects of a sync by employer. The last ones, without an employer, are those that belong to no other. */
export function effetsParEmployeur(
  effets: Effets,
  employeurs: readonly EffetsOfEmployeur[],
): EffetsParEmployeur[] {
  const rest = { ...effets };
  const found = employeurs.map(({ employeur, ...counts }) => {
    for (const name of COUNTS) rest[name] = Math.max(0, rest[name] - counts[name]);
    return { identifiantExterneEmployeur: employeur, ...counts, refuses: 0 };
  });
  return [...found, { identifiantExterneEmployeur: null, ...rest }];
}
