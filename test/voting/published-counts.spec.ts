import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countRanked, type Round } from '../../libs/voting/src/domain/tally/ranked-count';
import { UNITS, weightOf } from '../../libs/voting/src/domain/tally/weight';

/** A count as it was published; what the source does not give is not there. */
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

/** Sources that leave a seat empty, where the last who remain take it here: their last round is not compared. */
const ENDS_OTHERWISE = ['stv-evans-647', 'stv-exact-tie-210'];

/** Lots that sources drew: a seed by which ours falls alike is looked for among so many. */
const MOST_SEEDS = 20_000;

const FOLDER = join(__dirname, 'published-counts');
const COUNTS = readdirSync(FOLDER)
  .map((file) => file.replace('.json', ''))
  .map(
    (file) => [file, JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as Published] as const,
  );

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

/** Where a count differs from the published one; undefined where it does not. */
function difference(file: string, published: Published, rounds: readonly Round[]): string | undefined {
  const expected = single(published.rounds);
  // Ours are told with six decimals.
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

/** The difference by the seed that comes nearest: none where some draw falls as the source's lot did. */
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
  it('of both methods, at least ten of them', () => {
    const of = (method: string): number =>
      COUNTS.filter(([, published]) => published.method === method).length;
    expect(of('irv')).toBeGreaterThanOrEqual(10);
    expect(of('stv')).toBeGreaterThanOrEqual(10);
  });

  it.each(COUNTS)('%s', (file, published) => {
    expect(published.source).not.toBe('');
    expect(differenceOf(file, published)).toBeUndefined();
  });

  it('negative control: one ballot more, or a quota without its one, is noticed', () => {
    const wrong = COUNTS.filter(([file, published]) => {
      const [first, ...rest] = published.ballots;
      const more = { ...published, ballots: [{ ...first!, count: first!.count + 1 }, ...rest] };
      return difference(file, published, counted(more, '0')) !== undefined;
    });
    expect(wrong.length).toBeGreaterThanOrEqual(COUNTS.length - 3);
  });
});
