import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { countRanked } from './ranked-count';
import { answerOf } from '../../../ballot/domain/bulletin.rules';
import { tally } from './tally';
import { extremesOf, PastRounds } from './tie-break';
import { fractionText, percentText, unitOf, UNITS, weightOf, weightText } from './weight';

const ranked = (seats: number, options: string, ballots: Record<string, number | string>, seed = 'seed') =>
  countRanked(
    { id: 'Q', options: [...options], seats, seed },
    Object.entries(ballots).map(([ranking, weight]) => ({
      ranking: [...ranking],
      weight: weightOf(`${weight}`),
      unit: unitOf(weightOf(`${weight}`)),
    })),
  );
const counts = (round: ReturnType<typeof ranked>[number]): string =>
  round.counts.map(({ option, weight }) => `${option}${weight}`).join(' ');

describe('weights', () => {
  it('are exact in both directions', () => {
    for (const text of ['1', '0.0001', '1000000', '999999.9999', '12.5', '0.3'])
      expect(weightText(weightOf(text))).toBe(text);
  });

  it('are shown rounded half up, without zeros at the end', () => {
    expect(fractionText(1n, 3n, 6)).toBe('0.333333');
    expect(fractionText(2n, 3n, 6)).toBe('0.666667');
    expect(fractionText(1n, 8n, 2)).toBe('0.13');
    expect(fractionText(7n, 1n, 6)).toBe('7');
  });

  it('have shares of 100, and 0 of nothing', () => {
    expect([percentText(1n, 3n), percentText(2n, 3n), percentText(5n, 5n), percentText(0n, 0n)]).toEqual([
      '33.33',
      '66.67',
      '100',
      '0',
    ]);
  });
});

describe('a question whose options are chosen', () => {
  const question = { id: 'Q', options: ['A', 'B', 'C'], isRanked: false, seats: undefined };
  const answers = (...rows: [choices: number[], ballots: number, weight: string][]) =>
    rows.map(([choices, ballots, weight]) => ({
      answer: answerOf(choices),
      ballots,
      weight: weightOf(weight),
      unit: UNITS,
    }));

  it('counts ballots and weights of each option, and who abstained apart', () => {
    const result = tally(
      question,
      answers([[0], 2, '2'], [[2], 1, '0.5'], [[], 3, '7'], [[0, 2], 1, '1.25']),
      '',
    );
    expect(result).toEqual({
      expressed: 4,
      expressedWeight: weightOf('3.75'),
      abstentions: 3,
      options: [
        { votes: 3, weight: weightOf('3.25') },
        { votes: 0, weight: 0n },
        { votes: 2, weight: weightOf('1.75') },
      ],
    });
  });

  it('without any ballot has zeros everywhere', () => {
    const result = tally(question, [], '');
    expect(result).toMatchObject({
      expressed: 0,
      abstentions: 0,
      options: Array(3).fill({ votes: 0, weight: 0n }),
    });
  });
});

describe('an instant-runoff', () => {
  it('eliminates the last option until one has more than half of the weight that is not exhausted', () => {
    const rounds = ranked(1, 'ABC', { AB: 4, BA: 3, CB: 2 });
    expect(rounds.map(counts)).toEqual(['A4 B3 C2', 'A4 B5']);
    expect(rounds.map(({ threshold }) => threshold)).toEqual(['5', '5']);
    expect(rounds.map(({ eliminated, elected }) => [eliminated, elected])).toEqual([
      [['C'], []],
      [[], ['B']],
    ]);
  });

  it('has the first preferences of question results as votes', () => {
    const question = { id: 'Q', options: ['A', 'B', 'C'], isRanked: true, seats: 1 };
    const groups = [
      { answer: '0,1', ballots: 4, weight: weightOf('4'), unit: UNITS },
      { answer: '2,1', ballots: 2, weight: weightOf('2'), unit: UNITS },
      { answer: '', ballots: 1, weight: weightOf('1'), unit: UNITS },
    ];
    const result = tally(question, groups, '');
    expect(result).toMatchObject({ expressed: 6, abstentions: 1 });
    expect(result.options.map(({ votes }) => votes)).toEqual([4, 0, 2]);
    expect(result.rounds!.at(-1)!.elected).toEqual(['A']);
  });

  it('lowers the threshold as ballots are exhausted, and returns how many are', () => {
    const rounds = ranked(1, 'ABC', { A: 4, B: 3, C: 2 });
    expect(rounds.map(({ threshold, exhausted }) => `${threshold} ${exhausted}`)).toEqual(['5 0', '4 2']);
    expect(rounds.at(-1)!.elected).toEqual(['A']);
  });

  it('counts halves of a vote in the unit of the finest weight', () => {
    const rounds = ranked(1, 'AB', { A: '1.2', B: '0.9' });
    expect([rounds.length, rounds[0]!.threshold, rounds[0]!.elected]).toEqual([1, '1.1', ['A']]);
  });

  it('has the threshold of single weights, however ballots are put together', () => {
    const half = { weight: weightOf('0.5'), unit: weightOf('0.1') };
    const each = [...'AAABBBCC'].map((option) => ({ ranking: [option], ...half }));
    const together = Object.entries({ A: '1.5', B: '1.5', C: '1' }).map(([option, weight]) => ({
      ranking: [option],
      weight: weightOf(weight),
      unit: half.unit,
    }));
    const [one, other] = [each, together].map((ballots) =>
      countRanked({ id: 'Q', options: ['A', 'B', 'C'], seats: 2, seed: '' }, ballots),
    );
    expect(one).toEqual(other);
    expect(one![0]!.threshold).toBe('1.4');
  });

  it('has no rounds without ballots', () => {
    expect(ranked(1, 'AB', {})).toEqual([]);
    expect(ranked(3, 'AB', {})).toEqual([]);
  });
});

describe('a transferable vote', () => {
  it('gives surpluses away before it eliminates, every ballot at the same part of its value', () => {
    // Seats 2, 12 votes: 5 elect. A has 8, and gives 3/8 of each.
    const rounds = ranked(2, 'ABC', { AB: 6, AC: 2, B: 1, C: 3 });
    expect(rounds[0]).toMatchObject({ threshold: '5', elected: ['A'], eliminated: [] });
    expect(rounds.map(counts)).toEqual(['A8 B1 C3', 'A5 B3.25 C3.75', 'A5 C3.75']);
    expect(rounds[1]).toMatchObject({ elected: [], eliminated: ['B'] });
    expect(rounds[2]).toMatchObject({ elected: ['C'], exhausted: '3.25' });
  });

  it('elects all that remain where they are as many as the seats left', () => {
    const rounds = ranked(2, 'ABC', { A: 2, B: 2, C: 1 });
    expect(rounds.at(-1)!.elected).toEqual(['A', 'B']);
    expect(ranked(5, 'AB', { A: 1 }).map(({ elected }) => elected)).toEqual([['A', 'B']]);
  });

  it('keeps thirds exact over many surpluses', () => {
    const rounds = ranked(3, 'ABCDE', { ABCD: 21, BACE: 14, CABD: 7, DE: 5, ED: 4 });
    for (const { counts: each, exhausted } of rounds) {
      const total = each.reduce((sum, { weight }) => sum + Number(weight), Number(exhausted));
      expect(total).toBeCloseTo(51, 4);
    }
    expect(rounds.flatMap(({ elected }) => elected).length).toBe(3);
  });

  it('ends for many seats, though exact shares would have millions of digits', () => {
    const options = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const rotated = (by: number): string => [...options.slice(by), ...options.slice(0, by)].join('');
    const ballots = Object.fromEntries(options.map((_, index) => [rotated(index), 1_000 - 37 * index]));
    const rounds = ranked(20, options.join(''), ballots);
    expect(rounds.flatMap(({ elected }) => elected)).toHaveLength(20);
    expect(rounds.every(({ isExact }) => isExact)).toBe(true);
  });

  it('says from which round on digits of its fractions were cut', () => {
    const options = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const ballots: Record<string, number> = { [options.join('')]: 100_000 };
    options.forEach((option, place) => {
      ballots[option + options[(place * 7 + 3) % 26]!] = 101 + 13 * place ** 2;
    });
    const rounds = ranked(20, options.join(''), ballots);
    expect(rounds.findIndex(({ isExact }) => !isExact)).toBe(11);
    expect(rounds.slice(11).some(({ isExact }) => isExact)).toBe(false);
    const total = rounds.at(-1)!.counts.reduce((sum, { weight }) => sum + Number(weight), 0);
    const all = Object.values(ballots).reduce((sum, weight) => sum + weight, 0);
    expect(total + Number(rounds.at(-1)!.exhausted)).toBeCloseTo(all, 3);
  });
});

describe('an election that is not ranked', () => {
  const elected = (seats: number, weights: Record<string, number>, seed = 'seed') => {
    const question = { id: 'Q', options: Object.keys(weights), isRanked: false, seats };
    const answers = Object.values(weights).map((weight, place) => ({
      ...{ answer: answerOf([place]), ballots: 1, unit: UNITS },
      weight: weightOf(`${weight}`),
    }));
    return tally(
      question,
      answers.filter(({ weight }) => weight > 0n),
      seed,
    );
  };

  it.each<[seats: number, weights: Record<string, number>, names: string]>([
    [1, { A: 2, B: 3, C: 1 }, 'B'],
    [2, { A: 2, B: 3, C: 1 }, 'BA'],
    [3, { A: 2, B: 3, C: 0 }, 'BA'],
    [2, { A: 2, B: 2, C: 1 }, 'AB'],
    [1, { A: 0, B: 0 }, ''],
  ])('of %i elects those with most weight of %j', (seats, weights, names) => {
    const { elected: found, ties } = elected(seats, weights);
    expect([found!.join(''), ties]).toEqual([names, []]);
  });

  it('draws the last seats, one after the other, where too many have the same', () => {
    const digest = (option: string, seat: number, seed: string): string =>
      createHash('sha256').update(`${seed}:Q:${seat}:${option}`).digest('hex');
    const seen = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { elected: found, ties } = elected(3, { A: 5, B: 1, C: 1, D: 1 }, seed);
      const first = (options: string[], seat: number): string =>
        options.reduce((one, other) => (digest(one, seat, seed) < digest(other, seat, seed) ? one : other));
      const second = first(['B', 'C', 'D'], 2);
      const left = ['B', 'C', 'D'].filter((option) => option !== second);
      expect(found).toEqual(['A', second, first(left, 3)]);
      expect(ties).toEqual([
        { among: ['B', 'C', 'D'], chosen: second },
        { among: left, chosen: first(left, 3) },
      ]);
      seen.add(found!.join(''));
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('transfers from a round to the next', () => {
  it('is the surplus, by the options that receive it', () => {
    const [first, second] = ranked(2, 'ABC', { AB: 6, AC: 2, B: 1, C: 3 });
    expect(first!.transfer).toEqual({
      from: 'A',
      to: [
        { option: 'B', weight: '2.25' },
        { option: 'C', weight: '0.75' },
      ],
      exhausted: '0',
    });
    expect(second!.transfer).toEqual({ from: 'B', to: [], exhausted: '3.25' });
  });

  it('makes of the counts of each round those of the next', () => {
    const options = [...'ABCDEFGH'];
    const rotated = (by: number): string => [...options.slice(by), ...options.slice(0, by)].join('');
    const ballots = Object.fromEntries(
      options.map((_, index) => [rotated(index).slice(0, 2 + (index % 4)), 100 - 11 * index]),
    );
    for (const seats of [1, 2, 4]) {
      const rounds = ranked(seats, options.join(''), ballots);
      expect(rounds.length).toBeGreaterThan(seats);
      rounds.slice(1).forEach((round, index) => {
        const { counts: before, transfer, exhausted } = rounds[index]!;
        const received = (option: string): number =>
          Number(transfer!.to.find((one) => one.option === option)?.weight ?? 0);
        for (const { option, weight } of round.counts) {
          if (option === transfer!.from) continue;
          const had = Number(before.find((one) => one.option === option)!.weight);
          expect(Number(weight)).toBeCloseTo(had + received(option), 4);
        }
        expect(Number(round.exhausted)).toBeCloseTo(Number(exhausted) + Number(transfer!.exhausted), 4);
      });
      expect(rounds.at(-1)!.transfer).toBe(undefined);
    }
  });
});

describe('rounds', () => {
  it('list no option with a weight of 0, which stays in the count', () => {
    const rounds = ranked(2, 'ABCDE', { AB: 6, AC: 2, C: 3 });
    expect(rounds.map(counts)).toEqual(['A8 C3', 'A4 B3 C4']);
    expect(rounds.flatMap(({ elected }) => elected)).toEqual(['A', 'C']);
    const alone = ranked(1, 'ABC', { A: 1, B: 1 }, 'x');
    expect(alone[0]!.eliminated).toEqual(['C']);
    expect(alone[0]!.transfer).toEqual({ from: 'C', to: [], exhausted: '0' });
  });

  it('list no option whose weight is 0 at six decimals', () => {
    // A gives 1.3333 of 1000.0001 away: of the ballot for B, 0.00000013.
    const [first, second] = ranked(2, 'ABCD', { A: 1_000, AB: '0.0001', C: 998, D: 998 });
    expect(first!.transfer).toEqual({ from: 'A', to: [], exhausted: '1.3333' });
    expect(counts(second!)).toBe('A998.6668 C998 D998');
    expect(second!.eliminated).toEqual(['B']);
  });

  it('are the same in whatever order the ballots come', () => {
    const ballots = Object.entries({ AB: 6, AC: 2, AD: 1, B: 1, C: 3, DBC: 2, EC: 1, EB: 1 });
    const rounds = ranked(2, 'ABCDE', Object.fromEntries(ballots));
    expect(ranked(2, 'ABCDE', Object.fromEntries(ballots.toReversed()))).toEqual(rounds);
    expect(rounds[0]!.transfer!.to.map(({ option }) => option)).toEqual(['B', 'C', 'D']);
  });

  it('are no more than the options, and elect as many as there are seats', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.tuple(fc.shuffledSubarray([...'ABCDEFGHI']), fc.integer({ min: 1, max: 40 })), {
          minLength: 1,
          maxLength: 12,
        }),
        (options, seats, ballots) => {
          const names = 'ABCDEFGHI'.slice(0, options);
          const of = ballots.map(([ranking, weight]) => [
            ranking.filter((one) => names.includes(one)).join(''),
            weight,
          ]);
          const rounds = ranked(seats, names, Object.fromEntries(of));
          expect(rounds.length).toBeLessThanOrEqual(options);
          if (rounds.length > 0)
            expect(rounds.flatMap(({ elected }) => elected)).toHaveLength(Math.min(seats, options));
        },
      ),
    );
  });
});

describe('a tie', () => {
  /** The contract's rule, round by round. */
  const naive = (among: string[], wanted: 'most' | 'least', earlier: ReadonlyMap<string, bigint>[]) => {
    let left: readonly string[] = among;
    for (let round = earlier.length; round > 0; round--) {
      left = extremesOf(left, wanted, earlier[round - 1]!);
      if (left.length === 1) return { among, chosen: left[0]!, round };
    }
    return { among, chosen: left.join('') };
  };

  it('is broken as by going back from round to round', () => {
    const seen = { draws: 0, rounds: 0 };
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.bigInt({ min: 0n, max: 2n }), { minLength: 6, maxLength: 6 }), { maxLength: 6 }),
        fc.subarray([...'ABCDEF'], { minLength: 2 }),
        fc.constantFrom('most' as const, 'least' as const),
        (rounds, among, wanted) => {
          const earlier = rounds.map(
            (counts) => new Map(counts.map((count, index) => ['ABCDEF'[index]!, count])),
          );
          const past = new PastRounds();
          for (const counts of earlier) past.add(counts);
          const tie = past.breakTie(among, wanted, (options) => options.join(''));
          expect(tie).toEqual(naive(among, wanted, earlier));
          seen[tie.round === undefined ? 'draws' : 'rounds']++;
        },
      ),
      { numRuns: 500 },
    );
    expect(Math.min(seen.draws, seen.rounds)).toBeGreaterThan(50);
  });

  it('is broken by the latest earlier round in which the options differ', () => {
    // After D and E are out, B and C have 4 each; in the round before, C had less.
    const rounds = ranked(1, 'ABCDE', { A: 6, B: 4, C: 3, DC: 1, E: 1 }, 'x');
    const tied = rounds.find(({ tie }) => tie?.among.join('') === 'BC')!;
    expect(tied.tie!.chosen).toBe('C');
    expect(tied.tie!.round).toBeLessThan(tied.number);
    expect(tied.eliminated).toEqual(['C']);
  });

  it('is drawn if no round breaks it: by the digests of seed, question, round and option', () => {
    const digest = (option: string, seed: string): string =>
      createHash('sha256').update(`${seed}:Q:1:${option}`).digest('hex');
    const outcomes = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const [first] = ranked(1, 'AB', { A: 1, B: 1 }, `seed ${n}`);
      const [loser] = ['A', 'B'].sort((one, other) =>
        digest(one, `seed ${n}`) < digest(other, `seed ${n}`) ? -1 : 1,
      );
      expect(first!.tie).toEqual({ among: ['A', 'B'], chosen: loser });
      expect(first!.eliminated).toEqual([loser]);
      outcomes.add(loser!);
    }
    expect(outcomes.size).toBe(2);
  });

  it('between surpluses goes to the one that had more, and the draw does not depend on the order of options', () => {
    const one = ranked(3, 'ABCD', { AC: 5, BD: 5, C: 1, D: 1 });
    const other = ranked(3, 'DCBA', { D: 1, C: 1, BD: 5, AC: 5 });
    expect(one.map(({ tie }) => tie?.chosen)).toEqual(other.map(({ tie }) => tie?.chosen));
    expect(one[0]!.tie!.among).toHaveLength(2);
  });
});
