import { createHash } from 'node:crypto';
import { countRanked } from './ranked-count';
import { answerOf, tally } from './tally';
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
  const question = { id: 'Q', options: ['A', 'B', 'C'], isRanked: false, seats: 1 };
  const answers = (...rows: [choices: number[], ballots: number, weight: string][]) =>
    rows.map(([choices, ballots, weight]) => ({
      question: 0,
      answer: answerOf(choices),
      ballots,
      weight: weightOf(weight),
      unit: UNITS,
    }));

  it('counts ballots and weights of each option, and who abstained apart', () => {
    const [result] = tally(
      [question],
      answers([[0], 2, '2'], [[2], 1, '0.5'], [[], 3, '7'], [[0, 2], 1, '1.25']),
      '',
    );
    expect(result).toEqual({
      question,
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
    const [result] = tally([question], [], '');
    expect(result).toMatchObject({
      expressed: 0,
      abstentions: 0,
      options: Array(3).fill({ votes: 0, weight: 0n }),
    });
  });

  it('keeps questions apart', () => {
    const other = { ...question, id: 'R' };
    const [one, two] = tally(
      [question, other],
      [{ question: 1, answer: '1', ballots: 1, weight: 10_000n, unit: UNITS }],
      '',
    );
    expect([one!.expressed, two!.expressed]).toEqual([0, 1]);
  });
});

describe('an instant-runoff', () => {
  it('eliminates the last until one has more than half of what is not exhausted', () => {
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
      { question: 0, answer: '0,1', ballots: 4, weight: weightOf('4'), unit: UNITS },
      { question: 0, answer: '2,1', ballots: 2, weight: weightOf('2'), unit: UNITS },
      { question: 0, answer: '', ballots: 1, weight: weightOf('1'), unit: UNITS },
    ];
    const [result] = tally([question], groups, '');
    expect(result).toMatchObject({ expressed: 6, abstentions: 1 });
    expect(result!.options.map(({ votes }) => votes)).toEqual([4, 0, 2]);
    expect(result!.rounds!.at(-1)!.elected).toEqual(['A']);
  });

  it('lowers the threshold as ballots are exhausted, and tells how many are', () => {
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

  it('of nobody has no rounds', () => {
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
  });
});

describe('a tie', () => {
  it('is broken by the latest earlier round that tells the options apart', () => {
    // After D and E are out, B and C have 4 each; in the round before, C had less.
    const rounds = ranked(1, 'ABCDE', { A: 6, B: 4, C: 3, DC: 1, E: 1 }, 'x');
    const tied = rounds.find(({ tie }) => tie?.among.join('') === 'BC')!;
    expect(tied.tie!.chosen).toBe('C');
    expect(tied.tie!.round).toBeLessThan(tied.number);
    expect(tied.eliminated).toEqual(['C']);
  });

  it('that no round breaks is drawn: by the digests of seed, question, round and option', () => {
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

  it('of surpluses goes to the one that had more, and the draw does not depend on the order of options', () => {
    const one = ranked(3, 'ABCD', { AC: 5, BD: 5, C: 1, D: 1 });
    const other = ranked(3, 'DCBA', { D: 1, C: 1, BD: 5, AC: 5 });
    expect(one.map(({ tie }) => tie?.chosen)).toEqual(other.map(({ tie }) => tie?.chosen));
    expect(one[0]!.tie!.among).toHaveLength(2);
  });
});
