import {
  bundleOf,
  CAMPAIGN,
  canonical,
  idOf,
  type Made,
  optionId,
  type Question,
  questionId,
  sum,
} from '../../support/bundle';
import { type Plain, recountedItems, toutOf } from '../../support/vote';
import {
  type Asked,
  b64,
  bitsOf,
  type Cast,
  type Ceremony,
  ceremonyOf,
  type Cheat,
  decryptionsOf,
  Draws,
  type File,
  linesOf,
  seal,
  type Sealed,
  sha256,
  type Sums,
  sumsOf,
  type Vote,
  voterOf,
} from './prover';

/** A small encrypted vote. Each ballot has the answers of a plain one. */
export interface Small extends Omit<Plain, 'version' | 'leaves' | 'forge'> {
  readonly gardiens: readonly string[];
  readonly seuil: number;
  /** Numbers of the guardians who decrypt. */
  readonly presents: readonly number[];
}

/** The changes of a forger, each at its step; later steps are consistent with them. */
export interface Forgery {
  readonly ceremony?: Cheat;
  readonly ballots?: (casts: Cast[], all: Built) => Cast[];
  /** The order of the lines; else that of their receipts. */
  readonly order?: (lines: string[]) => string[];
  /** The digests in recus.bin. */
  readonly receipts?: (receipts: Buffer[]) => Buffer[];
  readonly sums?: (sums: Sums[]) => Sums[];
  readonly decryptions?: Cheat;
  readonly presents?: readonly number[];
  readonly decrypted?: (files: File[]) => File[];
  /** The vote that the figures and the statistics are of. */
  readonly claimed?: Small;
  /** The lines of a question's file. */
  readonly figures?: (lines: Figures[], question: number) => Figures[];
  readonly scrutin?: (vote: Record<string, unknown>) => void;
  readonly files?: (files: Map<string, Buffer>) => void;
  readonly change?: Partial<Plain>;
}

/** A line of questions/NN.ndjson. */
export interface Figures {
  abstentions: number;
  bulletins: number;
  classe: number;
  options: number[];
  poids: string[];
  poidsAbstentions: string;
  total: string;
}

export interface Built {
  readonly small: Small;
  readonly ceremony: Ceremony;
  readonly vote: Vote;
  readonly casts: readonly Cast[];
  readonly sealed: readonly Sealed[];
}

export const voterId = (index: number): string => idOf('voter', index);

const asked = (
  { options, MinReponses = 1, MaxReponses = options.length }: Question,
  place: number,
): Asked => ({
  ...{ QuestionId: questionId(place), MinReponses, MaxReponses },
  // As in the bundle.
  Titre: `Question ${place}`,
  Options: options.map((_, option) => optionId(place, option)),
  Libelles: options,
});

/** The filters of a vote in which each union is a class. */
function filtersOf({ ballots, others = [], questions }: Small): object[] {
  const unions = [...new Set(ballots.flatMap(({ syndicat }) => syndicat ?? []))];
  return unions.map((union) => {
    const those = ballots.filter(({ syndicat }) => syndicat === union);
    const all = those.length + others.filter(({ syndicat }) => syndicat === union).length;
    return {
      ...{ syndicatIdExterne: union, employeurIdentifiantExterne: null, totalVotants: all },
      ...{ totalVotantsAvecDroitDeVote: all, votantsAyantVote: those.length },
      tauxParticipation: String(Math.round((10_000 * those.length) / all) / 100),
      questions: questions.flatMap(({ options }, place) => {
        const expressed = those.filter(({ reponses }) => reponses[place]!.length > 0);
        const whole = Number(sum(expressed.map(({ poids = '1' }) => poids)));
        if (expressed.length === 0) return [];
        return {
          ...{ QuestionId: questionId(place), Exprimes: expressed.length },
          Abstentions: those.length - expressed.length,
          Options: options.flatMap((_, option) => {
            const choosing = expressed.filter(({ reponses }) => reponses[place]!.includes(option));
            const PoidsTotal = sum(choosing.map(({ poids = '1' }) => poids));
            const Pourcentage = String(Math.round((10_000 * Number(PoidsTotal)) / whole) / 100);
            const figures = { Votes: choosing.length, PoidsTotal, Pourcentage };
            return choosing.length === 0 ? [] : { OptionId: optionId(place, option), ...figures };
          }),
        };
      }),
    };
  });
}

export function build(small: Small, cheat: Cheat = {}): Built {
  const { questions, ballots, gardiens, seuil, seuilAnonymat = 1 } = small;
  const ceremony = ceremonyOf(CAMPAIGN, gardiens, seuil, cheat);
  const vote: Vote = {
    ...{ campagneId: CAMPAIGN, questions: questions.map(asked), seuilAnonymat },
    ...{ Z: ceremony.Z, Y: ceremony.Y },
  };
  const sealed = ballots.map(({ reponses }, index) =>
    seal(vote, voterId(index), bitsOf(reponses, vote.questions), new Draws(`ballot ${index}`)),
  );
  const casts = ballots.map(({ classe = 1, poids = '1' }, index) => ({
    ...{ bulletin: b64(sealed[index]!.ballot), classe, poids },
    votant: b64(voterOf(CAMPAIGN, voterId(index))),
  }));
  return { small, ceremony, vote, casts, sealed };
}

/** Body of resultats.json, which is that of a plain vote with the same answers. */
function resultsOf(small: Small): object {
  const plain: Plain = { ...small, version: 3 };
  return { filtres: filtersOf(small), tout: toutOf(plain, recountedItems(plain)) };
}

/** The figures of a question by class, from the plain answers. */
function figuresOf({ ballots, questions }: Small, place: number): Figures[] {
  const classes = [...new Set(ballots.map(({ classe = 1 }) => classe))];
  return classes.map((number) => {
    const those = ballots.filter(({ classe = 1 }) => classe === number);
    const weighing = (chosen: (answer: readonly number[]) => boolean): [number, string] => {
      const ones = those.filter(({ reponses }) => chosen(reponses[place]!));
      return [ones.length, sum(ones.map(({ poids = '1' }) => poids))];
    };
    const options = questions[place]!.options.map((_, option) =>
      weighing((answer) => answer.includes(option)),
    );
    const [abstentions, poidsAbstentions] = weighing((answer) => answer.length === 0);
    return {
      ...{ abstentions, poidsAbstentions, bulletins: those.length, classe: number },
      ...{ options: options.map(([count]) => count), poids: options.map(([, weight]) => weight) },
      total: sum(those.map(({ poids = '1' }) => poids)),
    };
  });
}

const receiptOf = ({ bulletin }: Cast): Buffer => sha256(Buffer.from(bulletin, 'base64url'));

const byReceipt = (one: Cast, other: Cast): number => Buffer.compare(receiptOf(one), receiptOf(other));

const sorted = (lines: string[]): string[] =>
  lines.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** Returns the bundle of the vote, forged or not. */
export function madeOf(built: Built, forgery: Forgery = {}): Made {
  const { small, ceremony } = built;
  const claimed = forgery.claimed ?? small;
  const casts = forgery.ballots?.([...built.casts], built) ?? built.casts;
  const lines = casts.toSorted(byReceipt).map((cast) => `${canonical(cast)}\n`);
  const bulletins = Buffer.from((forgery.order?.(lines) ?? lines).join(''));
  const receipts = casts.map(receiptOf);
  // The log is in the order of the votes, which the lines of the ballots do not have.
  const leaves = forgery.receipts?.(receipts) ?? receipts;
  const rightSums = sumsOf(casts, built.vote.questions);
  const sums = forgery.sums?.(structuredClone(rightSums)) ?? rightSums;
  const sommes = linesOf(sums);
  const D = sha256(sha256(bulletins), sha256(sommes));
  const presents = forgery.presents ?? small.presents;
  const decryptions = decryptionsOf(ceremony, presents, sums, D, forgery.decryptions);
  return bundleOf({
    ...{ ...small, ...forgery.change, version: 4, leaves, resultats: resultsOf(claimed) },
    forge: (files) => {
      const plain = [...files];
      files.clear();
      for (const [name, content] of plain) {
        const place = /^questions\/(\d\d)/.exec(name)?.[1];
        if (name === 'scrutin.json') {
          const vote = JSON.parse(content.toString()) as Record<string, unknown>;
          vote['chiffrement'] = {
            ...{ ceremonie: b64(ceremony.Z), cle: b64(ceremony.Y) },
            ...{ gardiens: small.gardiens, seuil: small.seuil },
          };
          forgery.scrutin?.(vote);
          files.set(name, Buffer.from(canonical(vote)));
        } else if (place !== undefined) {
          const figures = figuresOf(claimed, Number(place));
          const given = forgery.figures?.(structuredClone(figures), Number(place)) ?? figures;
          files.set(name, Buffer.from(sorted(given.map((line) => `${canonical(line)}\n`)).join('')));
        } else files.set(name, content);
        if (name !== 'liste.bin') continue;
        files.set('chiffrement/ceremonie.ndjson', linesOf(ceremony.files));
        files.set('chiffrement/bulletins.ndjson', bulletins);
        files.set('chiffrement/sommes.ndjson', sommes);
        files.set(
          'chiffrement/dechiffrements.ndjson',
          linesOf(forgery.decrypted?.(decryptions) ?? decryptions),
        );
      }
      forgery.files?.(files);
    },
  });
}

/** Two classes, one with different weights; two questions, of which one allows two of three options; one guardian of three is absent. */
export const SMALL: Small = {
  seuilAnonymat: 3,
  gardiens: ['Alice Roy', 'Bruno Pic', 'Chloé Ney'],
  seuil: 2,
  presents: [1, 3],
  questions: [
    { Type: 'ChoixLibre', EstPreferentiel: false, MaxReponses: 2, options: [...'ABC'] },
    { Type: 'Election', EstPreferentiel: false, MaxReponses: 1, options: ['Ida', 'Jo'] },
  ].map((question) => ({ ...question, Decimales: 1 })) as Question[],
  ballots: [
    { classe: 1, syndicat: 'SYN-1', poids: '2', reponses: [[0, 2], [1]] },
    { classe: 1, syndicat: 'SYN-1', poids: '2', reponses: [[0], []] },
    { classe: 1, syndicat: 'SYN-1', poids: '2', reponses: [[], [0]] },
    { classe: 2, syndicat: 'SYN-2', poids: '1', reponses: [[1, 2], [1]] },
    { classe: 2, syndicat: 'SYN-2', poids: '2.5', reponses: [[2], [1]] },
    { classe: 2, syndicat: 'SYN-2', poids: '1', reponses: [[], []] },
    { classe: 2, syndicat: 'SYN-2', poids: '4', reponses: [[1], [0]] },
  ],
  others: [{ syndicat: 'SYN-2' }, { syndicat: null }],
};
