import type { Methode } from './question.fields';
import type { CountedQuestion, QuestionResult } from './tally/tally';
import type { Round } from './tally/ranked-count';
import type { TieBreak } from './tally/tie-break';
import { percentText, weightText } from './tally/weight';

/** Voters that a statistic counts. */
export interface Participation {
  readonly inscrits: number;
  readonly avecDroit: number;
  readonly ayantVote: number;
}

/** A campaign, as its statistics tell of it. */
export interface CountedCampagne {
  readonly id: string;
  readonly titre: string;
  readonly etat: string;
  readonly resultatsVisibles: boolean;
  /** Breaks ties: the service's seed, and behind a colon the partner's if there is one. Empty until the box is closed. */
  readonly graine: string;
  /** Changes of the roll after the opening. */
  readonly modifications: { readonly ajoutes: number; readonly retires: number; readonly modifies: number };
  /** Why an administrator sealed its ballot box without a result. */
  readonly raisonConstat: string | null;
  readonly questions: readonly StatedQuestion[];
}

export interface StatedQuestion {
  readonly id: string;
  readonly titre: string;
  readonly type: string;
  readonly estPreferentiel: boolean;
  /** Of an Election. */
  readonly nombreElus: number | null;
  readonly options: readonly { readonly id: string; readonly libelle: string }[];
}

/** The questions of a campaign, as its result counts them. */
export function countedQuestions({ questions }: Pick<CountedCampagne, 'questions'>): CountedQuestion[] {
  return questions.map(({ id, options, estPreferentiel, nombreElus }) => ({
    id,
    options: options.map((option) => option.id),
    isRanked: estPreferentiel,
    seats: nombreElus ?? undefined,
  }));
}

/** A number, written exactly: as a double it would lose digits. */
function exact(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}

/**
 * The statistics of a campaign as JSON (specification, "Campaign statistics"; decisions, section 9).
 *
 * @param results undefined while nothing of them is told; rounds of a ranked count are told where there are any
 */
export function statisticsOf(
  campagne: CountedCampagne,
  { inscrits, avecDroit, ayantVote }: Participation,
  results: readonly QuestionResult[] | undefined,
): string {
  return JSON.stringify({
    campagneId: campagne.id,
    titre: campagne.titre,
    etat: campagne.etat,
    totalVotants: inscrits,
    totalVotantsAvecDroitDeVote: avecDroit,
    votantsAyantVote: ayantVote,
    tauxParticipation: exact(percentText(BigInt(ayantVote), BigInt(avecDroit))),
    modificationsApresOuverture: campagne.modifications,
    resultatsVisibles: campagne.resultatsVisibles,
    ...(campagne.raisonConstat === null ? {} : { raisonConstat: campagne.raisonConstat }),
    questions: campagne.questions.map((question, index) => ({
      QuestionId: question.id,
      Titre: question.titre,
      Type: question.type,
      EstPreferentiel: question.estPreferentiel,
      ...answersOf(question, results?.[index], campagne.graine),
    })),
  });
}

function answersOf(question: StatedQuestion, result: QuestionResult | undefined, graine: string): object {
  if (!result) return { Exprimes: null, Abstentions: null, Options: [] };
  return {
    Exprimes: result.expressed,
    Abstentions: result.abstentions,
    Options: question.options.map(({ id, libelle }, index) => {
      const { votes, weight } = result.options[index]!;
      return {
        OptionId: id,
        Libelle: libelle,
        Votes: votes,
        PoidsTotal: exact(weightText(weight)),
        Pourcentage: exact(percentText(weight, result.expressedWeight)),
      };
    }),
    ...(result.elected ? { Elus: result.elected } : {}),
    ...(result.ties?.length ? { Departages: result.ties.map((tie) => departageOf(tie, graine)) } : {}),
    ...(result.rounds
      ? {
          Methode: methodeOf(question, result.rounds),
          Tours: result.rounds.map((round) => tourOf(round, graine)),
        }
      : {}),
  };
}

function methodeOf({ nombreElus }: StatedQuestion, rounds: readonly Round[]): Methode {
  if ((nombreElus ?? 1) === 1) return 'VoteAlternatif';
  return rounds.every(({ isExact }) => isExact) ? 'VoteUniqueTransferable' : 'VoteUniqueTransferableArrondi';
}

function departageOf({ among, chosen, round }: TieBreak, graine: string): object {
  // The round before that decided, or the seed of the draw.
  return { Entre: among, Choisi: chosen, Tour: round ?? null, Graine: round === undefined ? graine : null };
}

function tourOf(
  { number, threshold, counts, elected, eliminated, exhausted, tie, transfer }: Round,
  graine: string,
): object {
  return {
    Tour: number,
    Seuil: exact(threshold),
    Decompte: counts.map(({ option, weight }) => ({ OptionId: option, Poids: exact(weight) })),
    Elus: elected,
    Elimines: eliminated,
    Epuises: exact(exhausted),
    ...(tie ? { Departage: departageOf(tie, graine) } : {}),
    Transferts: transfer
      ? [
          {
            De: transfer.from,
            Vers: transfer.to.map(({ option, weight }) => ({ OptionId: option, Poids: exact(weight) })),
            Epuise: exact(transfer.exhausted),
          },
        ]
      : [],
  };
}
