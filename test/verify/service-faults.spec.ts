import * as fc from 'fast-check';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Statistics from '../../libs/voting/src/count/domain/statistics';
import type * as Rested from '../../libs/voting/src/count/domain/tally/rested';
import { unitOf, weightOf } from '../../libs/voting/src/count/domain/tally/weight';
import { type Ballot, bundleOf, GRAINE, optionId, questionId } from './support/bundle';
import { elections } from './support/elections';
import { COUNTS, publishedVote } from './support/published';
import { EMPTY_SEATS, RESULTS, SAMPLE } from './support/sample';
import { type Plain, toutOf, verified } from './support/vote';

/**
 * One-line faults of the service's counting: the built file of `domain/tally`, a part of it, and its replacement. Each is
 * written into a copy, which counts votes. The verifier compares the figures with its own count.
 */
const FAULTS: readonly (readonly [string, string, string, string])[] = [
  ['quota without its 1', 'ranked-count', 'seats + 1)) + 1n)', 'seats + 1)))'],
  [
    'quota of the seats, not one more',
    'ranked-count',
    'BigInt(this.question.seats + 1)',
    'BigInt(this.question.seats)',
  ],
  [
    'the threshold must be exceeded',
    'ranked-count',
    'counts.get(option) >= threshold',
    'counts.get(option) > threshold',
  ],
  ['majority without its 1', 'ranked-count', '(2n * this.unit) + 1n', '(2n * this.unit)'],
  [
    'majority of all weight, not of the active',
    'ranked-count',
    '(sum(counts.values()) / (2n',
    '(this.total / (2n',
  ],
  ['unit of the quota is always 1', 'ranked-count', 'unit < finest', 'false'],
  [
    'surplus in parts of the threshold',
    'ranked-count',
    'this.denominator, count)',
    'this.denominator, this.quota * this.denominator)',
  ],
  [
    'surplus fraction as a float',
    'ranked-count',
    'return [numerator / one, denominator / one];',
    'return [BigInt(Math.round((Number(numerator) / Number(denominator)) * 1e5)), 100000n];',
  ],
  ['smallest surplus first', 'ranked-count', "isSurplus ? 'most' : 'least'", "'least'"],
  [
    'exhausted weight is not shown',
    'ranked-count',
    'this.total * this.denominator - sum(counts.values())',
    '0n',
  ],
  [
    'transfers to elected options',
    'ranked-count',
    'this.piles.has(option) && !this.elected.has(option)',
    'this.piles.has(option)',
  ],
  ['last options are not elected', 'ranked-count', 'reached.length > this', 'reached.length >= this'],
  [
    'elected in the order of the question',
    'ranked-count',
    'compare)(counts.get(other), counts.get(one))',
    'compare)(0, 0)',
  ],
  [
    'earliest round decides a tie',
    'tie-break',
    'compare(round.get(one), round.get(other)) || compare(earlier(one), earlier(other))',
    'compare(earlier(one), earlier(other)) || compare(round.get(one), round.get(other))',
  ],
  ['another round is shown as decisive', 'tie-break', 'findLastIndex', 'findIndex'],
  ['draw among those whom an earlier round excludes', 'tie-break', 'draw(left)', 'draw(among)'],
  ['draw takes the largest digest', 'tie-break', 'one.digest < other.digest', 'one.digest > other.digest'],
  ['draw without the seed', 'tie-break', '`${seed}:${purpose}', '`${purpose}'],
  ['draw without its purpose', 'tie-break', '${purpose}:', ''],
  ['number of the seat in a draw from 0', 'tally', 'elected.length + 1', 'elected.length'],
  ['options without weight are elected', 'tally', '> 0n', '>= 0n'],
  [
    'percentages of all ballots',
    'tally',
    'this.abstentions += ballots;',
    'this.abstentions += ballots; this.expressedWeight += weight;',
  ],
  ['ranked votes count all options', 'tally', 'isRanked ? 1 : undefined', 'isRanked ? undefined : undefined'],
  [
    'weights as floats',
    'tally',
    'option.weight += weight',
    'option.weight = BigInt(Number(option.weight) + Number(weight))',
  ],
  ['figures are cut, not rounded', 'weight', 'scale + denominator)', 'scale)'],
];

/** Weights whose sum a double cannot hold. */
const HEAVY: Plain = {
  questions: [{ Type: 'ChoixLibre', EstPreferentiel: false, Decimales: 4, options: [...'AB'] }],
  ballots: [0, 0, 0, 1].map((option) => ({ poids: '500000000000.0001', reponses: [[option]] })),
};

/** A vote for one of ABCDEF by ballots such as `4 AB`: the weight and the ranking. */
const ranked = (graine: string, ballots: readonly string[]): Plain => ({
  graine,
  questions: [{ Type: 'ChoixLibre', EstPreferentiel: true, options: [...'ABCDEF'] }],
  ballots: ballots.map((ballot) => {
    const [poids, names] = ballot.split(' ') as [string, string];
    return { poids, reponses: [[...names].map((name) => 'ABCDEF'.indexOf(name))] };
  }),
});

const VOTES: readonly Plain[] = [
  ...[SAMPLE, EMPTY_SEATS, HEAVY],
  // A and B are last together in round 3. A had more in round 1, B in round 2.
  ranked('5eed', ['5 A', '4 B', '1 DA', '2 DC', '2 EB', '9 C', '9 F']),
  // A, B and C are last together in round 2. C had more in round 1, so the draw is of A and B.
  ...Array.from('01234567', (graine) =>
    ranked(`0${graine}`, ['4 A', '4 B', '5 C', '1 EA', '1 EB', '9 D', '9 F']),
  ),
  ...COUNTS.map(([name, published]) => publishedVote(name, published).spec),
  // The seed is fixed, because some faults show in few elections only.
  ...fc
    .sample(elections, { seed: 20_261_125, numRuns: 60 })
    .map(({ options, seats, decimals, rankings }): Plain => ({
      graine: '5eed',
      questions: [
        {
          ...{ Type: 'Election', EstPreferentiel: true, NombreElus: seats },
          options: Array.from({ length: options }, (_, option) => `${option}`),
        },
      ],
      ballots: rankings.map((one) => ({ poids: `${one.weight / 10 ** decimals}`, reponses: [one.options] })),
    })),
];

interface Tour {
  readonly Elus: readonly string[];
  readonly Elimines: readonly string[];
  readonly Transferts: readonly { readonly De: string }[];
}

/** Names of figures that are decimals, which the bundle has as text. */
const DECIMALS = /^(PoidsTotal|Pourcentage|Seuil|Poids|Epuises|Epuise)$/;
type Parse = (
  text: string,
  reviver: (key: string, value: unknown, at: { source: string }) => unknown,
) => object;

/** The counting of the service, as it was built. */
interface Service {
  readonly statistics: typeof Statistics;
  readonly rested: typeof Rested;
}

/** Counts a question, and cuts its rankings as the bundle does. */
function counted({ statistics, rested }: Service, vote: Plain, place: number) {
  const { graine = GRAINE, grainePartenaire, ballots } = vote;
  const question = vote.questions[place]!;
  const options = question.options.map((libelle, option) => ({ id: optionId(place, option), libelle }));
  const answers = ballots.map(({ poids = '1', reponses }) => {
    const weight = weightOf(poids);
    return { answer: reponses[place]!.join(), ballots: 1, weight, unit: unitOf(weight) };
  });
  const count = {
    question: {
      ...{ id: questionId(place), titre: `Question ${place}`, type: question.Type },
      estPreferentiel: question.EstPreferentiel,
      nombreElus: question.Type === 'Election' ? (question.NombreElus ?? 1) : null,
    },
    ...{ options, isWhole: true },
    graine: grainePartenaire == null ? graine : `${graine}:${grainePartenaire}`,
  };
  const item = (JSON.parse as Parse)(statistics.countedQuestion(count, answers), (key, value, { source }) =>
    typeof value === 'number' && DECIMALS.test(key) ? source : value,
  );
  const placeOf = (id: string): number => options.findIndex((one) => one.id === id);
  const { Tours = [] } = item as { Tours?: Tour[] };
  const rests = new rested.Rests(
    Tours.map(({ Elus, Elimines, Transferts: [transfer] }) => ({
      gone: [...Elus, ...Elimines].map(placeOf),
      from: transfer && placeOf(transfer.De),
    })),
  );
  const shown = ballots.map(({ reponses }) =>
    question.EstPreferentiel && reponses[place]!.length > 0 ? rests.of(reponses[place]!) : reponses[place]!,
  );
  const units = answers.filter(({ answer }) => answer !== '').map(({ unit }) => `${unit}`.length);
  return { item, shown, question: { ...question, Decimales: 5 - Math.min(5, ...units) } };
}

/** Whether the verifier finds a difference in the bundle with these figures. */
function isRefused(service: Service, vote: Plain): boolean {
  const questions = vote.questions.map((_, place) => counted(service, vote, place));
  const spec: Plain = {
    ...vote,
    questions: questions.map(({ question }) => question),
    ballots: vote.ballots.map((ballot, index): Ballot => ({
      ...ballot,
      reponses: questions.map(({ shown }) => shown[index]!),
    })),
  };
  const tout = toutOf(
    spec,
    questions.map(({ item }) => item),
  );
  const filtres = vote === SAMPLE ? (RESULTS as { filtres: unknown[] }).filtres : [];
  return verified(bundleOf({ ...spec, resultats: { filtres, tout } })).findings.count > 0;
}

const BUILT = join(__dirname, '../../dist/libs');

/** Loads a copy of the built counting, with one part replaced. */
function withFault<T>(work: (service: Service) => T, file?: string, before = '', after = ''): T {
  const folder = mkdtempSync(join(tmpdir(), 'service-faults-'));
  try {
    cpSync(join(BUILT, 'voting/src/count/domain'), join(folder, 'domain'), { recursive: true });
    symlinkSync(join(BUILT, 'platform/src'), join(folder, 'platform'));
    writeFileSync(join(folder, 'package.json'), '{"imports":{"#platform/*":"./platform/*.js"}}');
    if (file !== undefined) {
      const path = join(folder, `domain/tally/${file}.js`);
      const code = readFileSync(path, 'utf8');
      expect(code.split(before)).toHaveLength(2);
      writeFileSync(
        path,
        code.replace(before, () => after),
      );
    }
    /* eslint-disable @typescript-eslint/no-require-imports */
    return work({
      statistics: require(join(folder, 'domain/statistics.js')) as typeof Statistics,
      rested: require(join(folder, 'domain/tally/rested.js')) as typeof Rested,
    });
    /* eslint-enable @typescript-eslint/no-require-imports */
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('one-line faults in the counting of the service', () => {
  it('without a fault the verifier counts the same figures', () => {
    const refused = withFault((service) => VOTES.filter((vote) => isRefused(service, vote)));
    expect(refused).toEqual([]);
  });

  it.each(FAULTS)('%s: found by the verifier', (_, file, before, after) => {
    const isFound = withFault(
      (service) => VOTES.some((vote) => isRefused(service, vote)),
      file,
      before,
      after,
    );
    expect(isFound).toBe(true);
  });
});
