import fc from 'fast-check';
import { countRanked, type Round } from './ranked-count';
import { Rests } from './rested';
import { UNITS } from './weight';

const OPTIONS = ['A', 'B', 'C', 'D', 'E', 'F'];

interface Ballots {
  readonly ranking: readonly number[];
  readonly weight: bigint;
}

function roundsOf(seats: number, ballots: readonly Ballots[]): Round[] {
  return countRanked(
    { id: 'Q', options: OPTIONS, seats, seed: 'seed' },
    ballots.map(({ ranking, weight }) => ({
      ranking: ranking.map((place) => OPTIONS[place]!),
      weight: weight * UNITS,
      unit: UNITS,
    })),
  );
}

const restsOf = (rounds: readonly Round[]): Rests =>
  new Rests(
    rounds.map(({ elected, eliminated, transfer }) => ({
      gone: [...elected, ...eliminated].map((option) => OPTIONS.indexOf(option)),
      from: transfer && OPTIONS.indexOf(transfer.from),
    })),
  );

const elections = fc.record({
  seats: fc.integer({ min: 1, max: 4 }),
  ballots: fc.array(
    fc.record({
      ranking: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
      weight: fc.bigInt(1n, 7n),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

describe('rankings that are cut to where their ballots rested', () => {
  it('have the same rounds, ties and draws included', () => {
    fc.assert(
      fc.property(elections, ({ seats, ballots }) => {
        const rounds = roundsOf(seats, ballots);
        const rests = restsOf(rounds);
        const cut = ballots.map(({ ranking, weight }) => ({ ranking: rests.of(ranking), weight }));
        expect(roundsOf(seats, cut)).toEqual(rounds);
      }),
      { numRuns: 500 },
    );
  });

  it('keep nothing behind the last option, and nothing that was passed over', () => {
    // E and F go first; the ballot of F passes E, which is gone, and rests at A.
    const ballots = [
      { ranking: [0, 1], weight: 9n },
      { ranking: [1, 0], weight: 8n },
      { ranking: [4, 2], weight: 1n },
      { ranking: [5, 4, 0, 1], weight: 2n },
    ];
    const rests = restsOf(roundsOf(1, ballots));
    expect(rests.of([0, 1, 2])).toEqual([0]);
    expect(rests.of([5, 4, 0, 1])).toEqual([5, 0]);
  });
});
