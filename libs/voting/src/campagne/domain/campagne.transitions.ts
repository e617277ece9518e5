import { CHIFFREMENT } from '../../domain/chiffrement.errors';
import { CAMPAGNE, OPTION, QUESTION, VOTE } from '../../domain/voting.errors';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import type { Etat } from './campagne.fields';
import { MOST_RESULT, resultSize, type SizedQuestion } from './result-size';
import { fr, type Text } from '#platform/errors/text';

/**
 * The most bytes of titles, labels and descriptions together, in UTF-8: of all questions and options of a published campaign, and
 * of one question in a draft.
 */
export const MOST_STRUCTURE_BYTES = 2 * 2 ** 20;

/** Facts, besides the state, that transitions depend on. */
export interface Circumstances {
  readonly fermetureDuVoteUtc: Date;
  readonly nombreVotants: number;
  readonly questions: readonly (SizedQuestion & { readonly maxReponses: number })[];
  /** Bytes of titles, labels and descriptions of all questions and options together, in UTF-8. */
  readonly octets: number;
  /** Titles of questions that have fewer options than an answer must name. */
  readonly questionsSansOptions: readonly string[];
  /** Questions that have two options with the same text, each with the label of such an option. */
  readonly questionsAvecDoubles: readonly { readonly titre: string; readonly libelle: string }[];
  /** Weights that fewer voters with the right to vote hold than the threshold of anonymity, some of them. */
  readonly poidsIdentifiants: readonly string[];
  readonly aDesVotes: boolean;
  /** Whether the guardians of an encrypted vote have a key; null for another vote. */
  readonly aUneCle: boolean | null;
  readonly excesChiffrement: ExcesChiffrement | null;
}

/** Changes of a transition. */
interface Changes {
  readonly ouvertureDuVoteUtc?: Date;
  readonly fermetureDuVoteUtc?: Date;
  readonly publiee?: boolean;
  readonly archivee?: boolean;
  readonly ouvertureAnnoncee?: boolean;
}

/** Why a transition is refused. */
export interface Refusal {
  readonly error: ErrorDefinition;
  readonly detail: Text;
}

/** A condition of a transition. Returns the refusals, if any: one for each question that breaks it. */
type Demand = (circumstances: Circumstances, at: Date) => Refusal | readonly Refusal[] | undefined;

interface Transition {
  /** Participle for error messages; in French with the auxiliary verb. */
  readonly participle: Text;
  readonly from: readonly Etat[];
  /** Possible target states; the dates select one. */
  readonly to: readonly Etat[];
  /** Conditions in addition to the state, in the order of the checks. */
  readonly demands: readonly Demand[];
  readonly change: (at: Date) => Changes;
}

const FUTURE_CLOSING: Demand = ({ fermetureDuVoteUtc }, at) =>
  at < fermetureDuVoteUtc
    ? undefined
    : {
        error: CAMPAGNE.TransitionNonPermise,
        detail: {
          en: 'The closing of the vote has passed: give the campaign a later one first.',
          fr: fr(
            "La fermeture du vote est passée : donnez d'abord à la campagne une fermeture plus tardive.",
          ),
        },
      };

const HAS_QUESTION: Demand = ({ questions }) =>
  questions.length > 0
    ? undefined
    : {
        error: CAMPAGNE.AucuneQuestion,
        detail: {
          en: 'The campaign has no question: add one first.',
          fr: fr("La campagne n'a aucune question : ajoutez-en une d'abord."),
        },
      };

const OPTIONS: Demand = ({ questionsSansOptions }) =>
  questionsSansOptions.map((titre) => ({
    error: QUESTION.OptionsInsuffisantes,
    detail: {
      en: `The question "${titre}" has no option, or fewer than an answer must name: add options first.`,
      fr: fr`La question « ${titre} » n'a aucune option, ou en a moins qu'une réponse doit en désigner : ajoutez d'abord des options.`,
    },
  }));

const DISTINCT_OPTIONS: Demand = ({ questionsAvecDoubles }) =>
  questionsAvecDoubles.map(({ titre, libelle }) => ({
    error: OPTION.LibelleEnDouble,
    detail: {
      en: `The question "${titre}" has two options "${libelle}" with the same description, which would divide the votes: remove one of them, or change its label or description.`,
      fr: fr`La question « ${titre} » a deux options « ${libelle} » avec la même description, ce qui diviserait les votes : retirez-en une, ou changez son libellé ou sa description.`,
    },
  }));

const BOUNDED_RESULT: Demand = ({ questions }) => {
  const size = resultSize(questions);
  return size <= MOST_RESULT
    ? undefined
    : {
        error: CAMPAGNE.TropVolumineuse,
        detail: {
          en: `The result could have a size of ${size}, and the limit is ${MOST_RESULT}: for each question, its options times the rounds of its count. Give ranked questions fewer options, or divide the questions among several campaigns.`,
          fr: fr`Le résultat pourrait avoir une taille de ${size}, et la limite est ${MOST_RESULT} : pour chaque question, ses options multipliées par les tours de son dépouillement. Donnez moins d'options aux questions préférentielles, ou répartissez les questions entre plusieurs campagnes.`,
        },
      };
};

const BOUNDED_STRUCTURE: Demand = ({ octets }) =>
  octets <= MOST_STRUCTURE_BYTES
    ? undefined
    : {
        error: CAMPAGNE.TropVolumineuse,
        detail: {
          en: `The titles, labels and descriptions of all questions and options have ${octets} bytes together (UTF-8), and the limit is ${MOST_STRUCTURE_BYTES}. Shorten them, or divide the questions among several campaigns.`,
          fr: fr`Les titres, les libellés et les descriptions de toutes les questions et options ont ensemble ${octets} octets (UTF-8), et la limite est ${MOST_STRUCTURE_BYTES}. Raccourcissez-les, ou répartissez les questions entre plusieurs campagnes.`,
        },
      };

const VOTER: Demand = ({ nombreVotants }) =>
  nombreVotants > 0
    ? undefined
    : {
        error: VOTE.AucunVotant,
        detail: {
          en: 'The campaign has no voter: add one first.',
          fr: fr("La campagne n'a aucun votant : ajoutez-en un d'abord."),
        },
      };

const COMMON_WEIGHTS: Demand = ({ poidsIdentifiants }) =>
  poidsIdentifiants.length > 0
    ? {
        error: CAMPAGNE.PoidsIdentifiants,
        detail: {
          en: `Fewer voters with the right to vote than the threshold of anonymity hold a weight of ${poidsIdentifiants.join(', ')}: the result would reveal their choice.`,
          fr: fr`Le nombre de votants ayant droit de vote est sous le seuil d'anonymat pour ces poids : ${poidsIdentifiants.join(', ')}. Le résultat révélerait leur choix.`,
        },
      }
    : undefined;

const KEY: Demand = ({ aUneCle }) =>
  aUneCle === false
    ? { error: CAMPAGNE.CeremonieIncomplete, detail: CAMPAGNE.CeremonieIncomplete.description }
    : undefined;

const SUMMABLE: Demand = ({ aUneCle, questions }) =>
  aUneCle !== null && questions.some(({ estPreferentiel }) => estPreferentiel)
    ? { error: CHIFFREMENT.QuestionPreferentielle, detail: CHIFFREMENT.QuestionPreferentielle.description }
    : undefined;

/**
 * The most slots of an encrypted ballot: for each question its options and its `MaxReponses`. The check of its proofs takes a processor
 * 0.3 s.
 */
const MOST_SLOTS = 400;

const BOUNDED_BALLOT: Demand = ({ aUneCle, questions }) => {
  const slots = questions.reduce((sum, one) => sum + one.nombreOptions + one.maxReponses, 0);
  return aUneCle === null || slots <= MOST_SLOTS
    ? undefined
    : {
        error: CAMPAGNE.TropVolumineuse,
        detail: {
          en: `A ballot of this encrypted vote has a size of ${slots}, and the limit is ${MOST_SLOTS}: for each question, its options and its MaxReponses. Give the questions fewer options, or divide them among several campaigns.`,
          fr: fr`Un bulletin de ce scrutin chiffré a une taille de ${slots}, et la limite est ${MOST_SLOTS} : pour chaque question, ses options et son MaxReponses. Donnez moins d'options aux questions, ou répartissez-les entre plusieurs campagnes.`,
        },
      };
};

/** The largest sum of weights of an encrypted vote: 2^40 ten-thousandths, because a decrypted sum is found by trying. */
export const MOST_WEIGHT = 109_951_162;

/** The most sums of an encrypted vote that the guardians decrypt: numbers and weights of all slots of all possible classes. */
export const MOST_SUMS = 100_000;

/** Quantity of an encrypted vote that could be too large to decrypt: the sums of weights, or the number of sums. */
export type ExcesChiffrement = 'poids' | 'sommes';

/** Error texts. Both limits are checked also after publication, because the result of a larger roll would be lost. */
export const EXCES_CHIFFREMENT: Readonly<Record<ExcesChiffrement, Text>> = {
  poids: {
    en: `The weights of all voters of this encrypted vote are more than ${MOST_WEIGHT} together, and their sums could not be found. Give all weights in a larger unit.`,
    fr: fr`Les poids de tous les votants de ce scrutin chiffré dépassent ensemble ${MOST_WEIGHT}, et leurs sommes ne pourraient pas être trouvées. Donnez tous les poids dans une plus grande unité.`,
  },
  sommes: {
    en: `The result of this encrypted vote could have more than ${MOST_SUMS} sums for the guardians to decrypt: options, times the unions, employers and weights that could be told apart. Give the campaign a larger threshold (seuilAnonymat), or fewer questions or weights.`,
    fr: fr`Le résultat de ce scrutin chiffré pourrait avoir plus de ${MOST_SUMS} sommes à déchiffrer par les gardiens : les options, multipliées par les syndicats, employeurs et poids qui pourraient être distingués. Donnez à la campagne un plus grand seuil (seuilAnonymat), ou moins de questions ou de poids.`,
  },
};

const DECRYPTABLE: Demand = ({ excesChiffrement }) =>
  excesChiffrement
    ? { error: CAMPAGNE.TropVolumineuse, detail: EXCES_CHIFFREMENT[excesChiffrement] }
    : undefined;

const NO_VOTE: Demand = ({ aDesVotes }) =>
  aDesVotes
    ? {
        error: CAMPAGNE.DepublierAvecVotes,
        detail: CAMPAGNE.DepublierAvecVotes.description,
      }
    : undefined;

/**
 * The transitions by request (docs/contract.md, "States and transitions"). The dates make the others, Planifie to
 * VoteOuvert to Termine: `Campagne.etat`. A deletion is possible in every state unless there are votes:
 * `CampagnesService.delete`.
 */
export const TRANSITIONS = {
  publier: {
    participle: { en: 'published', fr: fr('être publiée') },
    from: ['Brouillon'],
    to: ['Planifie', 'VoteOuvert'],
    demands: [
      FUTURE_CLOSING,
      HAS_QUESTION,
      OPTIONS,
      DISTINCT_OPTIONS,
      BOUNDED_RESULT,
      BOUNDED_STRUCTURE,
      VOTER,
      COMMON_WEIGHTS,
      SUMMABLE,
      BOUNDED_BALLOT,
      DECRYPTABLE,
      KEY,
    ],
    change: () => ({ publiee: true }),
  },
  depublier: {
    participle: { en: 'unpublished', fr: fr('être dépubliée') },
    from: ['Planifie', 'VoteOuvert'],
    to: ['Brouillon'],
    demands: [NO_VOTE],
    // Published again, it opens again.
    change: () => ({ publiee: false, ouvertureAnnoncee: false }),
  },
  ouvrir: {
    participle: { en: 'opened', fr: fr('être ouverte') },
    from: ['Planifie'],
    to: ['VoteOuvert'],
    demands: [],
    change: (at) => ({ ouvertureDuVoteUtc: at }),
  },
  fermer: {
    participle: { en: 'closed', fr: fr('être fermée') },
    from: ['VoteOuvert'],
    to: ['Termine'],
    demands: [],
    change: (at) => ({ fermetureDuVoteUtc: at }),
  },
  archiver: {
    participle: { en: 'archived', fr: fr('être archivée') },
    from: ['Brouillon', 'Termine'],
    to: ['Archive'],
    demands: [],
    change: () => ({ archivee: true }),
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** Returns all refusals of a transition at a moment, in the order of the checks; empty if it is permitted. */
export function refusalsOf(
  name: TransitionName,
  etat: Etat,
  circumstances: Circumstances,
  at: Date,
): Refusal[] {
  const { from, demands, participle }: Transition = TRANSITIONS[name];
  const ofState: Refusal[] = from.includes(etat)
    ? []
    : [
        {
          error: CAMPAGNE.TransitionNonPermise,
          detail: {
            en: `A campaign in state ${etat} cannot be ${participle.en}; one in ${from.join(' or ')} can.`,
            fr: fr`Une campagne à l'état ${etat} ne peut pas ${participle.fr}; une campagne à l'état ${from.join(' ou ')} le peut.`,
          },
        },
      ];
  const ofDemands = demands.flatMap((demand) => demand(circumstances, at) ?? []);
  return [...ofState, ...ofDemands.filter(({ error }) => error !== ofState[0]?.error)];
}
