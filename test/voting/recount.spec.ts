import fc from 'fast-check';
import { countRanked, type Round } from '../../libs/voting/src/count/domain/tally/ranked-count';
import { unitOf, weightOf } from '../../libs/voting/src/count/domain/tally/weight';
import { decimal, type NaiveBallot, type NaiveRound, recount } from './support/recount';
import { depth } from '../setup/depth';

const ELECTIONS = depth(300, 1_000);

interface Election {
  readonly options: string[];
  readonly seats: number;
  readonly ballots: NaiveBallot[];
  readonly seed: string;
}

const WEIGHT = fc.oneof(
  { weight: 4, arbitrary: fc.constant('1') },
  fc.constantFrom('2', '0.5', '1.25', '0.0001', '1000000'),
  fc.nat(50_000).map((units) => `${(units + 1) / 10_000}`),
);

const election: fc.Arbitrary<Election> = fc
  .record({
    count: fc.integer({ min: 1, max: 8 }),
    seats: fc.integer({ min: 1, max: 5 }),
    seed: fc.string(),
    isEqual: fc.boolean(),
  })
  .chain(({ count, seats, seed, isEqual }) => {
    const options = [...'ABCDEFGH'].slice(0, count);
    const ballot = fc.record({
      choices: fc.shuffledSubarray(options),
      weight: isEqual ? fc.constant('1') : WEIGHT,
    });
    return fc
      .array(ballot, { maxLength: 40, size: 'max' })
      .map((ballots) => ({ options, seats, ballots, seed }));
  });

/** Ballots of one ranking together, as the box gives them. */
function grouped(ballots: readonly NaiveBallot[]) {
  return [...Map.groupBy(ballots, ({ choices }) => choices.join())].map(([, alike]) => {
    const weights = alike.map(({ weight }) => weightOf(weight));
    return {
      ranking: alike[0]!.choices,
      weight: weights.reduce((sum, weight) => sum + weight, 0n),
      unit: weights.map(unitOf).reduce((one, other) => (one < other ? one : other)),
    };
  });
}

const tell = (rounds: readonly Round[]) =>
  rounds.map(({ threshold, counts, elected, eliminated, exhausted }) => ({
    threshold: Number(threshold),
    counts: Object.fromEntries(counts.map(({ option, weight }) => [option, Number(weight)])),
    elected: elected.toSorted(),
    eliminated,
    exhausted: Number(exhausted),
  }));
const tellNaive = (rounds: readonly NaiveRound[]) =>
  rounds.map(({ threshold, counts, elected, eliminated, exhausted }) => ({
    threshold: decimal(threshold),
    counts: Object.fromEntries(
      [...counts]
        .map(([option, count]) => [option, decimal(count)] as const)
        .filter(([, count]) => count > 0),
    ),
    elected: elected.toSorted(),
    eliminated: eliminated === undefined ? [] : [eliminated],
    exhausted: decimal(exhausted),
  }));

describe(`${ELECTIONS} random ranked elections`, () => {
  it('equal a naive recount of one ballot at a time, in every round', () => {
    const seen = { draws: 0, earlierRounds: 0, surpluses: 0, exhausted: 0, several: 0 };
    fc.assert(
      fc.property(election, ({ options, seats, ballots, seed }) => {
        const rounds = countRanked({ id: 'Q', options, seats, seed }, grouped(ballots));
        expect(tell(rounds)).toEqual(tellNaive(recount(options, seats, ballots, { seed, id: 'Q' })));
        seen.draws += Number(rounds.some(({ tie }) => tie && tie.round === undefined));
        seen.earlierRounds += Number(rounds.some(({ tie }) => tie?.round !== undefined));
        seen.surpluses += Number(rounds.slice(0, -1).some(({ eliminated }) => eliminated.length === 0));
        seen.exhausted += Number(rounds.some(({ exhausted }) => Number(exhausted) > 0));
        seen.several += Number(seats > 1);
      }),
      { numRuns: ELECTIONS },
    );
    // Chance has been everywhere.
    expect(Object.entries(seen).filter(([, times]) => times < ELECTIONS / 50)).toEqual([]);
  });

  it('negative control: a recount without one ballot differs', () => {
    let differ = 0;
    fc.assert(
      fc.property(election, ({ options, seats, ballots, seed }) => {
        const rounds = countRanked({ id: 'Q', options, seats, seed }, grouped(ballots));
        const less = recount(options, seats, ballots.slice(1), { seed, id: 'Q' });
        if (JSON.stringify(tell(rounds)) !== JSON.stringify(tellNaive(less))) differ++;
      }),
      { numRuns: 100 },
    );
    expect(differ).toBeGreaterThan(50);
  });
});
