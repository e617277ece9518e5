import { Comparison } from '../../bench/against';
import { judged, milliseconds, perSecond } from '../../bench/report';
import { interval } from '../../bench/rounds';
import type { Work } from '../../bench/work';
import { World } from '../../bench/world';

const ROUNDS = 9;
/** Figures of this tree beside 100 of the other build in each round. */
const metBy = (values: readonly number[], show: (value: number) => string) =>
  judged(
    'work',
    [
      { name: 'this tree', values },
      { name: 'v1', values: values.map(() => 100) },
    ],
    show,
  )[1]?.met;
const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

describe('The interval of a median', () => {
  it('leaves out one of 9 values and three of 15 at each end', () => {
    expect(interval([9, 1, 8, 2, 7, 3, 6, 4, 5])).toEqual([2, 8]);
    expect(interval(Array.from({ length: 15 }, (_, index) => index + 1))).toEqual([4, 12]);
    expect(interval([3, 1, 2, 6, 5, 4])).toEqual([1, 6]);
  });

  it('five values throw', () => {
    expect(() => interval([1, 2, 3, 4, 5])).toThrow('5 values are too few.');
  });
});

describe('The verdict on a work of two builds', () => {
  it.each([
    ['time', 106, milliseconds],
    ['speed', 94, perSecond],
  ])('%s that is 6 %% worse in all rounds but one misses the goal', (_, value, show) => {
    expect(metBy([...times(ROUNDS - 1, value), 100], show)).toBe(false);
  });

  it.each([
    ['time', 104, milliseconds],
    ['time', 50, milliseconds],
    ['speed', 96, perSecond],
    ['speed', 200, perSecond],
  ])('%s of %d instead of 100 meets the goal, also if one round differs', (_, value, show) => {
    expect(metBy([...times(ROUNDS - 1, value), show === milliseconds ? 900 : 10], show)).toBe(true);
  });

  it('ratios on both sides of 5 % in two rounds or more are unclear, whatever the median', () => {
    expect(metBy([...times(ROUNDS - 2, 130), 100, 100], milliseconds)).toBe('unclear');
    expect(metBy([...times(ROUNDS - 2, 90), 110, 110], milliseconds)).toBe('unclear');
  });
});

describe('A work in two worlds', () => {
  const UNCOUNTED = ROUNDS / 3;
  const effort = { rounds: ROUNDS, seconds: 0 };
  const comparison = new Comparison('v1');
  const [ours, theirs] = (['ours', 'theirs'] as const).map(
    (side) => new World({ inTurns: comparison.inTurnsOf(side) }),
  ) as [World, World];
  const done: string[] = [];

  /** Measures 110 ms in this tree and 100 ms in the other build, beside a floor. The first turns of this tree take 90 ms. */
  const work: Work = {
    name: 'work',
    measure: async (world) => {
      const name = world === ours ? 'ours' : 'theirs';
      const run = async (): Promise<number> => {
        const round = done.push(`${name} run`) / 4;
        if (name === 'theirs') return 100;
        return round <= UNCOUNTED ? 90 : 110;
      };
      const contestants = [
        { name: 'Mandat', run },
        { name: 'floor', run: () => Promise.reject(new Error('A floor ran.')) },
      ];
      const before = async () => void done.push(`${name} prepared`);
      const figures = await world.inTurns('title', contestants, ROUNDS, milliseconds, before);
      expect(figures).toHaveLength(1);
      return [];
    },
  };

  it('alternates the products without their floors, leaves the first rounds out, and finds the slower one', async () => {
    jest.spyOn(console, 'error').mockImplementation();
    const rows = await comparison.measure(work, ours, theirs, effort);
    expect(rows.map(({ contestant, met }) => [contestant, met])).toEqual([
      ['this tree', undefined],
      ['v1', false],
    ]);
    const turn = (name: string) => [`${name} prepared`, `${name} run`];
    expect(done.slice(0, 8)).toEqual(['ours', 'theirs', 'theirs', 'ours'].flatMap(turn));
    expect(done).toHaveLength(4 * (UNCOUNTED + ROUNDS));
  });

  it('names the work that the other build cannot do', async () => {
    const fails: Work = {
      name: 'cards',
      measure: (world) =>
        world === ours ? work.measure(world, effort) : Promise.reject(new Error('No table.')),
    };
    await expect(comparison.measure(fails, ours, theirs, effort)).rejects.toThrow(
      "'cards' cannot be done with v1.",
    );
  });
});
