import { bundleOf, CAMPAIGN, type Made, type Spec } from './bundle';
import { verifier, withFiles } from './verifier';

/** The parts of a bundle other than its results. */
export type Plain = Omit<Spec, 'resultats'>;

/** The body of `tout` with the given items of the questions. */
export function toutOf(
  { titre = 'Élection du comité', ballots, others = [] }: Plain,
  questions: unknown,
): object {
  const entitled = ballots.length + others.filter(({ droit = true }) => droit).length;
  return {
    ...{ campagneId: CAMPAIGN, titre, etat: 'Termine', resultatsVisibles: true, questions },
    totalVotants: ballots.length + others.length,
    totalVotantsAvecDroitDeVote: entitled,
    votantsAyantVote: ballots.length,
    tauxParticipation: String(Math.round((10_000 * ballots.length) / entitled) / 100),
    modificationsApresOuverture: { ajoutes: 0, retires: 0, modifies: 0 },
  };
}

/** Verifies a bundle with the library of the package. */
export const verified = ({ tar, jwks }: Made): ReturnType<typeof verifier.verifyPlain> =>
  withFiles({ 'dossier.tar': tar }, (folder) =>
    verifier.verifyPlain({
      bundle: `${folder}/dossier.tar`,
      keys: verifier.readKeys(Buffer.from(jwks), 'jwks.json'),
      held: { notes: [], receipts: [], proofs: [], attestations: [], growths: [] },
      voters: [],
    }),
  );

/** The items of the questions by the verifier's own count, with their method. */
export function recountedItems(plain: Plain): Record<string, unknown>[] {
  const { recounted } = verified(bundleOf({ ...plain, resultats: {} }));
  return recounted.map(({ item, methods }) =>
    structuredClone(methods.length > 0 ? { ...item, Methode: methods[0] } : item),
  );
}

/** The options at which the ballots of a ranked question rest, by the verifier's count: rankings for the bundle. */
export function shortened(
  rankings: readonly { options: readonly number[]; weight: bigint }[],
  options: number,
  seats: number,
  draw: (round: number, among: readonly number[]) => number,
  unit = 10_000n,
): number[][] {
  return verifier.countRanked(options, seats, unit, rankings, draw).rests.map((rests) => [...rests]);
}
