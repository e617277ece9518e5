import type { Methode } from '../../structure/domain/question.fields';
import { type Answers, type QuestionResult, tally, tallyFirstChoices } from './tally/tally';
import type { Round } from './tally/ranked-count';
import type { TieBreak } from './tally/tie-break';
import { percentText, weightText } from './tally/weight';

/** Voters that a statistic counts. */
export interface Participation {
  readonly inscrits: number;
  readonly avecDroit: number;
  readonly ayantVote: number;
}

/** A campaign in its statistics. */
export interface CountedCampagne {
  readonly id: string;
  readonly titre: string;
  readonly etat: string;
  readonly resultatsVisibles: boolean;
  /** Changes of the roll after the opening. */
  readonly modifications: { readonly ajoutes: number; readonly retires: number; readonly modifies: number };
  /** Why an administrator sealed its ballot box without a result. */
  readonly raisonConstat: string | null;
  /** Progress of the decryption while the result of an encrypted vote waits for it; null otherwise. */
  readonly dechiffrement: Dechiffrement | null;
}

/** Progress of the decryption of an encrypted vote. */
export interface Dechiffrement {
  readonly seuil: number;
  /** Number of guardians who have decrypted the sums. */
  readonly recus: number;
  /** Names of the others. */
  readonly attendus: readonly string[];
}

/** A question in the statistics. */
export interface StatedQuestion {
  readonly id: string;
  readonly titre: string;
  readonly type: string;
  readonly estPreferentiel: boolean;
  /** Seats of an Election. */
  readonly nombreElus: number | null;
}

/** A question for the count, as plain data that can be sent to a thread. */
export interface CountOfQuestion {
  readonly question: StatedQuestion;
  /** Options, in the order of the question. */
  readonly options: readonly { readonly id: string; readonly libelle: string }[];
  /** Whether all ballots are counted, with rounds and seats; otherwise first choices of some of them. */
  readonly isWhole: boolean;
  /** Breaks ties: the service's seed, and behind a colon the partner's if there is one. */
  readonly graine: string;
}

/** A number, written exactly: as a double it would lose digits. */
function exact(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}

/**
 * The statistics of a campaign as JSON (docs/contract.md, "Statistics"), up to its questions: these
 * follow with commas between them, and then `STATISTICS_END`.
 */
export function statisticsHead(
  campagne: CountedCampagne,
  { inscrits, avecDroit, ayantVote }: Participation,
): string {
  const whole = JSON.stringify({
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
    ...(campagne.dechiffrement === null ? {} : { dechiffrement: campagne.dechiffrement }),
    questions: [],
  });
  return whole.slice(0, -STATISTICS_END.length);
}

export const STATISTICS_END = ']}';

/**
 * Yields a row for each option of each question, or for a question without visible options, from the parts of the statistics
 * as JSON. A row has the values of its campaign, its question and its option.
 */
export async function* statisticsRows(
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly object[], void> {
  let campagne: object | undefined;
  for await (const part of parts) {
    if (!campagne) campagne = JSON.parse(`${textOf(part)}${STATISTICS_END}`) as object;
    // Commas and the end are shorter than any question.
    else if (part.byteLength > STATISTICS_END.length)
      yield* rowsOf(campagne, JSON.parse(withoutRounds(part)) as { Options: object[] });
  }
}

/** Rows that are in memory at a time: each may name all options of its question as elected. */
const MOST_ROWS = 50;

function* rowsOf(campagne: object, question: { Options: object[] }): Generator<object[], void> {
  const options = question.Options.length > 0 ? question.Options : [{}];
  for (let from = 0; from < options.length; from += MOST_ROWS)
    yield options
      .slice(from, from + MOST_ROWS)
      .map((Options) => ({ ...campagne, questions: { ...question, Options } }));
}

/** Cuts off draws and rounds, which may have 15 MB. A text in JSON cannot contain the marks, because it escapes its quotes. */
function withoutRounds(question: Uint8Array): string {
  const bytes = Buffer.from(question.buffer, question.byteOffset, question.byteLength);
  const cut = [',"Departages":', ',"Methode":'].map((mark) => bytes.indexOf(mark)).find((at) => at >= 0);
  return cut === undefined ? textOf(bytes) : `${textOf(bytes.subarray(0, cut))}}`;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Returns the JSON of a question without its result. */
export function untoldQuestion(question: StatedQuestion): string {
  return JSON.stringify({ ...identityOf(question), Exprimes: null, Abstentions: null, Options: [] });
}

/** Counts the answers to a question. @returns its result as JSON */
export function countedQuestion(count: CountOfQuestion, answers: Iterable<Answers>): string {
  const { question, options, isWhole, graine } = count;
  const counted = {
    id: question.id,
    options: options.map(({ id }) => id),
    isRanked: question.estPreferentiel,
    seats: question.nombreElus ?? undefined,
  };
  const result = isWhole ? tally(counted, answers, graine) : tallyFirstChoices(counted, answers);
  return JSON.stringify({ ...identityOf(question), ...answersOf(count, result) });
}

function identityOf({ id, titre, type, estPreferentiel }: StatedQuestion): object {
  return { QuestionId: id, Titre: titre, Type: type, EstPreferentiel: estPreferentiel };
}

function answersOf({ question, options, graine }: CountOfQuestion, result: QuestionResult): object {
  return {
    Exprimes: result.expressed,
    Abstentions: result.abstentions,
    Options: options.map(({ id, libelle }, index) => {
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
