import { type Resultat, type Scenario, SCENARIOS } from './certification.types';

/** Maximum requests of a certification, repeated ones included. */
export const MOST_REQUESTS = 60;

/** Maximum certifications of a data space in 24 hours. */
export const MOST_RUNS_A_DAY = 10;

/** Days for which a certification is kept. */
export const CERTIFICATION_DAYS = 30;

/** Longest time from the request to the end of a certification, in ms. */
export const LONGEST_RUN_MS = 3_600_000;

/** Longest time in which a receiver should respond, in ms: a third of the timeout of a delivery. */
export const SLOW_MS = 5_000;

/** Why a certification ends before its last scenario. */
export const RAISONS = {
  address: 'The address of the endpoint was changed. Begin another one.',
  key: 'The key of the endpoint was changed. Begin another one.',
  deleted: 'The endpoint was deleted.',
  inactive: 'The endpoint is not active any more.',
  suspended: 'The client is suspended.',
  silent: 'The endpoint does not answer, so no other scenario was sent. Check its address and its network.',
  requests: 'The certification was interrupted, and has no requests left. Begin another one.',
  late: 'The certification did not end within an hour. Begin another one.',
  aside: 'The certification was interrupted twice. Begin another one.',
} as const;

interface Rule {
  /** Requests that it sends. Those of a duplicate have one event. */
  readonly requests: number;
  /** Whether the receiver must accept them (2xx) or reject them (4xx). */
  readonly accepts: boolean;
  readonly attendu: string;
  readonly conseil: string;
}

/** The requests and the expected behavior of each scenario, and advice to a receiver that fails it. */
export const RULES: Readonly<Record<Scenario, Rule>> = {
  valide: {
    ...{ requests: 1, accepts: true },
    attendu: 'An event as any other: 2xx, processed once.',
    conseil:
      'Answer 2xx to an event with a valid signature. Check the address, the secret and the log of the receiver.',
  },
  doublon: {
    ...{ requests: 2, accepts: true },
    attendu: 'The same event twice, under one `webhook-id`: 2xx both times, processed once.',
    conseil: 'Store each `webhook-id`, answer 2xx to one that is stored, and process it no second time.',
  },
  desordre: {
    ...{ requests: 3, accepts: true },
    attendu: 'Three events, the newest first: 2xx each, each processed once.',
    conseil:
      'Process an event whatever came before it. Compare its `timestamp` with that of the same record only.',
  },
  corpsAltere: {
    ...{ requests: 1, accepts: false },
    attendu: 'A body that was changed after it was signed: 4xx, not processed.',
    conseil: 'Verify the signature over the bytes of the body as received, and answer 401 if it is wrong.',
  },
  horodatagePasse: {
    ...{ requests: 1, accepts: false },
    attendu: 'A `webhook-timestamp` ten minutes ago: 4xx, not processed.',
    conseil:
      'Reject a `webhook-timestamp` older than five minutes, because old requests can be sent again by others.',
  },
  horodatageFutur: {
    ...{ requests: 1, accepts: false },
    attendu: 'A `webhook-timestamp` in ten minutes: 4xx, not processed.',
    conseil: 'Reject a `webhook-timestamp` more than five minutes ahead.',
  },
  mauvaisSecret: {
    ...{ requests: 1, accepts: false },
    attendu: 'A signature by another secret: 4xx, not processed.',
    conseil:
      'Compare the signature with one made with the secret of the endpoint, and answer 401 if none is equal.',
  },
  deuxSignatures: {
    ...{ requests: 1, accepts: true },
    attendu: 'Several signatures, of which not the first is by the secret: 2xx, processed once.',
    conseil: 'Split `webhook-signature` at spaces, and accept the event if one of the signatures is right.',
  },
  enTeteManquant: {
    ...{ requests: 3, accepts: false },
    attendu: 'Three requests, each without one of the three headers: 4xx each, not processed.',
    conseil: 'Answer 4xx without `webhook-id`, `webhook-timestamp` or `webhook-signature`.',
  },
  proprieteInconnue: {
    ...{ requests: 1, accepts: true },
    attendu: 'Properties that are not documented yet: 2xx, processed once.',
    conseil: 'Ignore unknown properties, because releases add some.',
  },
  accentsEtEmoji: {
    ...{ requests: 1, accepts: true },
    attendu: 'Accents, other scripts and an emoji: 2xx, processed once.',
    conseil: 'Verify bytes, and read the body as UTF-8. Store text in columns that take every character.',
  },
  reponseLente: {
    ...{ requests: 1, accepts: true },
    attendu: `2xx within ${SLOW_MS / 1_000} s, processed once. Deliveries wait for 15 s.`,
    conseil: 'Store the event, answer, and process it afterwards.',
  },
  dixALaFois: {
    ...{ requests: 10, accepts: true },
    attendu: 'Ten events at once: 2xx each, each processed once.',
    conseil: 'Accept at least 16 requests at once: as many are sent to an endpoint.',
  },
};

/** Result of the requests of a scenario. */
export interface Observation {
  readonly nom: Scenario;
  readonly reussi: boolean;
  readonly observe: string;
}

/** The answer to one request. */
export interface Observed {
  /** HTTP status; null without a response. */
  readonly statut: number | null;
  /** Start of the response, or the error. */
  readonly reponse: string;
  readonly dureeMs: number;
}

/** Characters of a response that an observation shows. */
const SHOWN = 200;

/** Judges the answers to the requests of a scenario. @param slowMs longest time of an answer for `reponseLente` */
export function observationOf(nom: Scenario, answers: readonly Observed[], slowMs: number): Observation {
  const { accepts } = RULES[nom];
  const isRight = ({ statut, dureeMs }: Observed): boolean => {
    if (statut === null) return false;
    if (!accepts) return statut >= 400 && statut < 500;
    return statut >= 200 && statut < 300 && (nom !== 'reponseLente' || dureeMs <= slowMs);
  };
  const wrong = answers.find((answer) => !isRight(answer));
  const parts =
    wrong && answers.length > 1 ? `request ${answers.indexOf(wrong) + 1} of ${answers.length}: ` : '';
  return { nom, reussi: !wrong, observe: parts + textOf(wrong ?? answers.at(-1)!, wrong !== undefined) };
}

function textOf({ statut, reponse, dureeMs }: Observed, isWrong: boolean): string {
  if (statut === null) return reponse;
  const shown = isWrong && reponse ? `: ${[...reponse].slice(0, SHOWN).join('')}` : '';
  return `HTTP ${statut} after ${dureeMs} ms${shown}`;
}

/** A certification as it is stored. */
export interface CertificationState {
  readonly observations: readonly Observation[];
  /** The proofs that the receiver has processed events; null before it sends any. */
  readonly traites: readonly string[] | null;
  readonly dateFin: Date | null;
  /** Why it ended before its last scenario. */
  readonly raison: string | null;
}

/** A scenario as partners see it. */
export interface ScenarioItem {
  readonly nom: Scenario;
  readonly attendu: string;
  readonly observe: string | null;
  readonly conseil: string | null;
  readonly resultat: Resultat | null;
}

/** The result of a certification. */
export interface Verdict {
  readonly verdict: Resultat | null;
  readonly niveaux: { readonly transport: Resultat | null; readonly traitement: Resultat | null };
  readonly scenarios: readonly ScenarioItem[];
}

/**
 * Returns the result of a certification. The level `transport` counts the answers, `traitement` the proofs, if there are
 * any; the verdict counts both.
 *
 * @param defisOf the proofs that the requests of a scenario carry
 */
export function verdictOf(
  { observations, traites, dateFin, raison }: CertificationState,
  defisOf: (nom: Scenario) => readonly string[],
): Verdict {
  const isOver = dateFin !== null;
  const judged = SCENARIOS.map((nom) => {
    const observation = observations.find((one) => one.nom === nom);
    const fault = isOver && traites && observation ? faultOf(nom, defisOf(nom), traites) : undefined;
    return { nom, observation, fault };
  });
  const resultatOf = (isGood: boolean): Resultat => (isGood ? 'Reussi' : 'Echoue');
  const isComplete = raison === null && judged.every(({ observation }) => observation);
  const transport = isComplete && judged.every(({ observation }) => observation!.reussi);
  const traitement = isComplete && judged.every(({ fault }) => !fault);
  return {
    verdict: isOver ? resultatOf(transport && (!traites || traitement)) : null,
    niveaux: {
      transport: isOver ? resultatOf(transport) : null,
      traitement: isOver && traites ? resultatOf(traitement) : null,
    },
    scenarios: judged.map(({ nom, observation, fault }) => {
      const isGood = observation?.reussi && !fault;
      return {
        ...{ nom, attendu: RULES[nom].attendu },
        observe: observation ? [observation.observe, fault].filter(Boolean).join('; ') : null,
        conseil: observation && !isGood ? RULES[nom].conseil : null,
        resultat: observation ? resultatOf(isGood ?? false) : null,
      };
    }),
  };
}

/** Returns what the proofs show against a scenario. */
function faultOf(nom: Scenario, defis: readonly string[], traites: readonly string[]): string | undefined {
  const counts = [...new Set(defis)].map((defi) => traites.filter((one) => one === defi).length);
  if (!RULES[nom].accepts) return counts.some((count) => count > 0) ? 'processed' : undefined;
  if (counts.some((count) => count > 1)) return 'processed more than once';
  const missing = counts.filter((count) => count === 0).length;
  return missing > 0 ? `not processed: ${missing} of ${counts.length}` : undefined;
}
