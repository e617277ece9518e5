import { type Ballot, optionId, type Question, questionId } from './bundle';
import { type Plain, toutOf } from './vote';

/** A small vote that was counted manually: three classes, weights, draws, a tie that an earlier round decides. */

const QUESTIONS: Question[] = [
  { Type: 'Proposition', EstPreferentiel: false, MaxReponses: 1, Decimales: 2, options: ['Pour', 'Contre'] },
  {
    Type: 'Election',
    EstPreferentiel: false,
    MaxReponses: 2,
    NombreElus: 2,
    Decimales: 2,
    options: [...'ABCD'],
  },
  { Type: 'ChoixLibre', EstPreferentiel: false, MaxReponses: 1, Decimales: 2, options: [...'XYZ'] },
  { Type: 'Election', EstPreferentiel: true, NombreElus: 2, Decimales: 2, options: [...'PQRS'] },
  { Type: 'ChoixLibre', EstPreferentiel: true, Decimales: 2, options: [...'KLMNO'] },
];

const inClass1 = { classe: 1, syndicat: 'SYN-1', employeur: 'E-1' };
const inClass2 = { classe: 2, syndicat: 'SYN-1', employeur: 'E-2' };
const rest = { classe: 3, syndicat: 'SYN-2', employeur: 'E-1' };

/** The rankings have only the options at which the ballots rest. */
const BALLOTS: Ballot[] = [
  { ...inClass1, reponses: [[0], [0, 1], [0], [0, 1], [0]] },
  { ...inClass1, reponses: [[0], [0, 1], [0], [0, 3], [0]] },
  { ...inClass1, reponses: [[1], [0, 2], [1], [0], [0]] },
  { ...inClass2, reponses: [[], [0, 2], [1], [1], [4]] },
  { ...inClass2, reponses: [[0], [0, 3], [0], [2], [4]] },
  { ...rest, poids: '1.25', reponses: [[1], [3], [1], [3, 1], [2]] },
  { ...rest, syndicat: null, employeur: 'E-2', poids: '1.5', reponses: [[0], [1, 2], [0], [2, 1], [1, 4]] },
  { ...rest, poids: '0.25', reponses: [[], [], [2], [1], [3, 2, 4]] },
];

/** The draws with this seed choose C (question 1) and S (question 3). */
export const SEED = '677261696e65203235';
const PARTNER = 'cGFydGVuYWlyZQ==';

export const SAMPLE: Plain = {
  ...{ seuilAnonymat: 2, graine: SEED, grainePartenaire: PARTNER, sizes: [3, 5] },
  questions: QUESTIONS,
  ballots: BALLOTS,
  others: [{ syndicat: 'SYN-1' }, { poids: '2', droit: false }],
};

const placeOf = (question: number, letter: string): number => QUESTIONS[question]!.options.indexOf(letter);
const ids = (question: number, letters: string): string[] =>
  [...letters].map((letter) => optionId(question, placeOf(question, letter)));

interface OptionFigures {
  readonly OptionId: string;
  readonly Libelle?: string;
  readonly Votes: number;
  readonly PoidsTotal: string;
  readonly Pourcentage: string;
}

/** The options of a question: `label votes weight percentage`. */
const optionsOf = (question: number, rows: readonly string[], isWhole: boolean): OptionFigures[] =>
  rows.map((row, place) => {
    const [label, votes, PoidsTotal, Pourcentage] = row.split(' ') as [string, string, string, string];
    return {
      OptionId: optionId(question, place),
      ...(isWhole ? { Libelle: label } : {}),
      ...{ Votes: Number(votes), PoidsTotal, Pourcentage },
    };
  });

/** Weights of options: `P 3 Q 1.25`. */
const weightsOf = (question: number, text: string): object[] =>
  [...text.matchAll(/(\S) (\S+)/g)].map(([, letter, Poids]) => ({
    OptionId: ids(question, letter!)[0],
    Poids,
  }));

const round = (
  question: number,
  Tour: number,
  Seuil: string,
  decompte: string,
  more: object = {},
): object => ({
  ...{ Tour, Seuil, Decompte: weightsOf(question, decompte) },
  ...{ Elus: [], Elimines: [], Epuises: '0', Transferts: [] },
  ...more,
});

const transfer = (question: number, from: string, to: string, Epuise = '0'): object => ({
  Transferts: [{ De: ids(question, from)[0], Vers: weightsOf(question, to), Epuise }],
});

const GRAINE = `${SEED}:${PARTNER}`;
const tie = (question: number, among: string, chosen: string, Tour: number | null): object => ({
  Entre: ids(question, among),
  Choisi: ids(question, chosen)[0],
  ...{ Tour, Graine: Tour === null ? GRAINE : null },
});

const item = (question: number, Exprimes: number, rows: readonly string[], more: object = {}): object => {
  const { Type, EstPreferentiel } = QUESTIONS[question]!;
  return {
    ...{ QuestionId: questionId(question), Titre: `Question ${question}`, Type, EstPreferentiel },
    ...{ Exprimes, Abstentions: 8 - Exprimes, Options: optionsOf(question, rows, true) },
    ...more,
  };
};

const TOUT = toutOf(SAMPLE, [
  item(0, 6, ['Pour 4 4.5 66.67', 'Contre 2 2.25 33.33']),
  item(1, 7, ['A 5 5 64.52', 'B 3 3.5 45.16', 'C 3 3.5 45.16', 'D 2 2.25 29.03'], {
    Elus: ids(1, 'AC'),
    Departages: [tie(1, 'BC', 'C', null)],
  }),
  item(2, 8, ['X 4 4.5 56.25', 'Y 3 3.25 40.63', 'Z 1 0.25 3.13']),
  item(3, 8, ['P 3 3 37.5', 'Q 2 1.25 15.63', 'R 2 2.5 31.25', 'S 1 1.25 15.63'], {
    Methode: 'VoteUniqueTransferable',
    Elus: ids(3, 'PQ'),
    Tours: [
      round(3, 1, '2.67', 'P 3 Q 1.25 R 2.5 S 1.25', {
        Elus: ids(3, 'P'),
        ...transfer(3, 'P', 'Q 0.11 S 0.11', '0.11'),
      }),
      round(3, 2, '2.67', 'P 2.67 Q 1.36 R 2.5 S 1.36', {
        ...{ Epuises: '0.11', Elimines: ids(3, 'S'), Departage: tie(3, 'QS', 'S', null) },
        ...transfer(3, 'S', 'Q 1.25', '0.11'),
      }),
      round(3, 3, '2.67', 'P 2.67 Q 2.61 R 2.5', {
        ...{ Epuises: '0.22', Elimines: ids(3, 'R') },
        ...transfer(3, 'R', 'Q 1.5', '1'),
      }),
      round(3, 4, '2.67', 'P 2.67 Q 4.11', { Epuises: '1.22', Elus: ids(3, 'Q') }),
    ],
  }),
  item(4, 8, ['K 3 3 37.5', 'L 1 1.5 18.75', 'M 1 1.25 15.63', 'N 1 0.25 3.13', 'O 2 2 25'], {
    Methode: 'VoteAlternatif',
    Tours: [
      round(4, 1, '4.01', 'K 3 L 1.5 M 1.25 N 0.25 O 2', {
        Elimines: ids(4, 'N'),
        ...transfer(4, 'N', 'M 0.25'),
      }),
      round(4, 2, '4.01', 'K 3 L 1.5 M 1.5 O 2', {
        ...{ Elimines: ids(4, 'M'), Departage: tie(4, 'LM', 'M', 1) },
        ...transfer(4, 'M', 'O 0.25', '1.25'),
      }),
      round(4, 3, '3.38', 'K 3 L 1.5 O 2.25', {
        ...{ Epuises: '1.25', Elimines: ids(4, 'L') },
        ...transfer(4, 'L', 'O 1.5'),
      }),
      round(4, 4, '3.38', 'K 3 O 3.75', { Epuises: '1.25', Elus: ids(4, 'O') }),
    ],
  }),
]);

const filter = (
  employer: string | null,
  [totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote]: readonly [number, number, number],
  tauxParticipation: string,
  rows: readonly (readonly string[])[],
  abstentions = 0,
) => ({
  ...{ syndicatIdExterne: 'SYN-1', employeurIdentifiantExterne: employer },
  ...{ totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote, tauxParticipation },
  questions: rows.map((options, question) => ({
    QuestionId: questionId(question),
    Exprimes: votantsAyantVote - (question === 0 ? abstentions : 0),
    Abstentions: question === 0 ? abstentions : 0,
    Options: optionsOf(question, options, false),
  })),
});

/** The filters of one union; any other filter divides the third class. */
const FILTRES = [
  filter(
    null,
    [6, 6, 5],
    '83.33',
    [
      ['Pour 3 3 75', 'Contre 1 1 25'],
      ['A 5 5 100', 'B 2 2 40', 'C 2 2 40', 'D 1 1 20'],
      ['X 3 3 60', 'Y 2 2 40', 'Z 0 0 0'],
      ['P 3 3 60', 'Q 1 1 20', 'R 1 1 20', 'S 0 0 0'],
      ['K 3 3 60', 'L 0 0 0', 'M 0 0 0', 'N 0 0 0', 'O 2 2 40'],
    ],
    1,
  ),
  filter('E-1', [3, 3, 3], '100', [
    ['Pour 2 2 66.67', 'Contre 1 1 33.33'],
    ['A 3 3 100', 'B 2 2 66.67', 'C 1 1 33.33', 'D 0 0 0'],
    ['X 2 2 66.67', 'Y 1 1 33.33', 'Z 0 0 0'],
    ['P 3 3 100', 'Q 0 0 0', 'R 0 0 0', 'S 0 0 0'],
    ['K 3 3 100', 'L 0 0 0', 'M 0 0 0', 'N 0 0 0', 'O 0 0 0'],
  ]),
  filter(
    'E-2',
    [2, 2, 2],
    '100',
    [
      ['Pour 1 1 100', 'Contre 0 0 0'],
      ['A 2 2 100', 'B 0 0 0', 'C 1 1 50', 'D 1 1 50'],
      ['X 1 1 50', 'Y 1 1 50', 'Z 0 0 0'],
      ['P 0 0 0', 'Q 1 1 50', 'R 1 1 50', 'S 0 0 0'],
      ['K 0 0 0', 'L 0 0 0', 'M 0 0 0', 'N 0 0 0', 'O 2 2 100'],
    ],
    1,
  ),
];

/** The results as version 1 has them, with the options of a filter that have no votes. */
export const DENSE_RESULTS = { filtres: FILTRES, tout: TOUT };
export const RESULTS = {
  filtres: FILTRES.map(({ questions, ...filter }) => ({
    ...filter,
    questions: questions.map(({ Options, ...question }) => ({
      ...question,
      Options: Options.filter(({ Votes }) => Votes > 0),
    })),
  })),
  tout: TOUT,
};

const NOBODY: Plain = {
  questions: [
    { Type: 'Election', EstPreferentiel: false, MaxReponses: 3, NombreElus: 3, options: [...'ABC'] },
  ],
  ballots: [{ reponses: [[1]] }, { reponses: [[]] }],
};
/** An election with more seats than options that have a vote. */
export const EMPTY_SEATS = {
  ...NOBODY,
  resultats: {
    filtres: [],
    tout: toutOf(NOBODY, [
      {
        ...{ QuestionId: questionId(0), Titre: 'Question 0', Type: 'Election', EstPreferentiel: false },
        ...{ Exprimes: 1, Abstentions: 1, Elus: [optionId(0, 1)] },
        Options: [...'ABC'].map((Libelle, place) => ({
          ...{ OptionId: optionId(0, place), Libelle },
          ...(place === 1
            ? { Votes: 1, PoidsTotal: '1', Pourcentage: '100' }
            : { Votes: 0, PoidsTotal: '0', Pourcentage: '0' }),
        })),
      },
    ]),
  },
};
