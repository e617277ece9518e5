import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countRanked, type Round } from '../../libs/voting/src/count/domain/tally/ranked-count';
import { UNITS, weightOf } from '../../libs/voting/src/count/domain/tally/weight';

/** A count as it was published; figures that the source does not give are absent. */
interface Published {
  readonly name: string;
  readonly source: string;
  readonly method: 'irv' | 'stv';
  readonly seats: number;
  readonly candidates: readonly string[];
  readonly ballots: readonly { readonly count: number; readonly ranking: readonly string[] }[];
  readonly decimals: number;
  readonly tolerance?: string;
  readonly rounds: readonly PublishedRound[];
  readonly winners: readonly string[];
}

interface PublishedRound {
  readonly tally?: Readonly<Record<string, string>>;
  readonly elected?: readonly string[];
  readonly eliminated?: readonly string[];
  readonly exhausted?: string;
  /** The source prints the same standings again, as after a surplus of zero: no round here. */
  readonly repeat?: boolean;
  /** The source eliminates several at once. */
  readonly batch?: boolean;
}

/** These sources leave a seat empty that the last candidates take here: their last round is not compared. */
const ENDS_OTHERWISE = ['stv-evans-647', 'stv-exact-tie-210'];

/** Seeds that are tried to find one whose draw is the lot of the source. */
const MOST_SEEDS = 20_000;

/** The text of a count: each candidate has a letter; `12 BAC` is 12 ballots that rank B first. */
interface Written extends Omit<Published, 'candidates' | 'ballots' | 'rounds' | 'winners'> {
  readonly candidates: Readonly<Record<string, string>>;
  readonly ballots: readonly string[];
  readonly rounds: readonly (Pick<PublishedRound, 'exhausted' | 'repeat' | 'batch'> & {
    /** Weights of the candidates, such as `A 12.5 B 3`. */
    readonly tally?: string;
    readonly elected?: string;
    readonly eliminated?: string;
  })[];
  readonly winners: string;
}

function read({ candidates, ballots, rounds, winners, ...rest }: Written): Published {
  const named = (letters: string): string[] => [...letters].map((letter) => candidates[letter]!);
  return {
    ...{ ...rest, candidates: Object.values(candidates), winners: named(winners) },
    ballots: ballots.map((ballot) => {
      const [count, letters = ''] = ballot.split(' ');
      return { count: Number(count), ranking: named(letters) };
    }),
    rounds: rounds.map(({ tally, elected, eliminated, ...round }) => ({
      ...round,
      ...(tally === undefined
        ? {}
        : {
            tally: Object.fromEntries(
              tally.match(/\S+ \S+/g)!.map((one) => [named(one[0]!)[0], one.slice(2)]),
            ),
          }),
      ...(elected === undefined ? {} : { elected: named(elected) }),
      ...(eliminated === undefined ? {} : { eliminated: named(eliminated) }),
    })),
  };
}

const FOLDER = join(__dirname, 'published-counts');
const COUNTS = readdirSync(FOLDER).map((name) => {
  const written = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Written;
  return [name.replace('.json', ''), read(written)] as const;
});

function counted({ candidates, ballots, seats, name }: Published, seed: string): Round[] {
  const rankings = ballots.map(({ count, ranking }) => ({
    ranking,
    weight: weightOf(`${count}`),
    unit: UNITS,
  }));
  return countRanked({ id: name, options: candidates, seats, seed }, rankings);
}

const isNear = (one: number, other: number, tolerance: number): boolean =>
  Math.abs(one - other) <= tolerance + 1e-9;
const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((option) => other.includes(option));

/** The published rounds as this count makes them: without repetitions, and one elimination at a time. */
function single(rounds: readonly PublishedRound[]): PublishedRound[] {
  const made: PublishedRound[] = [];
  for (const round of rounds) {
    const before = made.at(-1);
    if (round.repeat && before) {
      made[made.length - 1] = {
        ...before,
        eliminated: [...(before.eliminated ?? []), ...(round.eliminated ?? [])],
      };
    } else made.push(round);
  }
  return made.flatMap((round) =>
    round.batch ? round.eliminated!.map((option) => ({ ...round, eliminated: [option] })) : [round],
  );
}

/** Where a count differs from the published one; undefined if it does not. */
function difference(file: string, published: Published, rounds: readonly Round[]): string | undefined {
  const expected = single(published.rounds);
  // Our figures have six decimals.
  const tolerance = Math.max(Number(published.tolerance ?? 0), 5e-7);
  const isOtherEnd = ENDS_OTHERWISE.includes(file);
  for (const [index, { tally = {}, elected, eliminated, exhausted }] of expected.entries()) {
    const round = rounds[index];
    if (!round) return `round ${index + 1} is missing`;
    const weights = new Map(round.counts.map(({ option, weight }) => [option, Number(weight)]));
    for (const [option, votes] of Object.entries(tally)) {
      // An option without a weight is not listed.
      if (!isNear(weights.get(option) ?? 0, Number(votes), tolerance))
        return `round ${index + 1}: ${option} has ${weights.get(option)}, published ${votes}`;
    }
    if (exhausted !== undefined && !isNear(Number(round.exhausted), Number(exhausted), tolerance))
      return `round ${index + 1}: exhausted ${round.exhausted}, published ${exhausted}`;
    if (isOtherEnd && index === expected.length - 1) return undefined;
    if (eliminated && !isSame(round.eliminated, eliminated))
      return `round ${index + 1}: ${round.eliminated.join()} eliminated, published ${eliminated.join()}`;
    if (elected && !isSame(round.elected, elected))
      return `round ${index + 1}: ${round.elected.join()} elected, published ${elected.join()}`;
  }
  if (rounds.length !== expected.length) return `${rounds.length} rounds, published ${expected.length}`;
  const winners = rounds.flatMap((round) => round.elected);
  return isSame(winners, published.winners) ? undefined : `winners ${winners.join()}`;
}

/** The difference with the nearest seed; undefined if some draw equals the lot of the source. */
function differenceOf(file: string, published: Published): string | undefined {
  let found: string | undefined;
  for (let seed = 0; seed < MOST_SEEDS; seed++) {
    const rounds = counted(published, `${seed}`);
    found = difference(file, published, rounds);
    const isDrawn = rounds.some(({ tie }) => tie && tie.round === undefined);
    if (found === undefined || !isDrawn) return found;
  }
  return found;
}

describe('published counts come out to the last round', () => {
  it('at least ten counts of each method exist', () => {
    const of = (method: string): number =>
      COUNTS.filter(([, published]) => published.method === method).length;
    expect(of('irv')).toBeGreaterThanOrEqual(10);
    expect(of('stv')).toBeGreaterThanOrEqual(10);
  });

  it.each(COUNTS)('%s', (file, published) => {
    expect(published.source).not.toBe('');
    expect(differenceOf(file, published)).toBeUndefined();
  });

  it('negative control: one more ballot changes the count', () => {
    const wrong = COUNTS.filter(([file, published]) => {
      const [first, ...rest] = published.ballots;
      const more = { ...published, ballots: [{ ...first!, count: first!.count + 1 }, ...rest] };
      return difference(file, published, counted(more, '0')) !== undefined;
    });
    expect(wrong.length).toBeGreaterThanOrEqual(COUNTS.length - 3);
  });
});
