import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionId, questionId, type Spec } from './bundle';
import { type Plain, recountedItems, shortened, toutOf } from './vote';

/** A published count; test/voting/published-counts has the format. */
interface Published {
  readonly method: 'irv' | 'stv';
  readonly seats: number;
  readonly tolerance: string;
  readonly candidates: Readonly<Record<string, string>>;
  readonly ballots: readonly string[];
  readonly rounds: readonly {
    readonly tally?: string;
    readonly elected?: string;
    readonly eliminated?: string;
    readonly exhausted?: string;
    readonly repeat?: boolean;
    readonly batch?: boolean;
  }[];
  readonly winners: string;
}

interface Tour {
  Tour: number;
  Decompte: { OptionId: string; Poids: string }[];
  Elus: string[];
  Elimines: string[];
  Epuises: string;
  Departage?: { Tour: number | null };
}

const FOLDER = join(__dirname, '../../voting/published-counts');
export const COUNTS = readdirSync(FOLDER).map((file) => {
  const published = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Published;
  return [file.replace('.json', ''), published] as const;
});

/** These sources leave a seat empty that the last candidates take here: their last round is not compared. */
const ENDS_OTHERWISE = ['stv-evans-647', 'stv-exact-tie-210'];
/** Seeds that are tried to find one whose draw is the lot of the source. */
const MOST_SEEDS = 20_000;

/** A vote with one ballot for each line of the source, which weighs as much as the ballots of the line. */
function voteOf({ candidates, ballots, seats }: Published, seed: string): Plain {
  const letters = Object.keys(candidates);
  const rankings = ballots.map((line) => {
    const [count, names = ''] = line.split(' ');
    return { options: [...names].map((name) => letters.indexOf(name)), weight: BigInt(count!) * 10_000n };
  });
  const digest = (round: number, option: number): string =>
    createHash('sha256')
      .update(`${seed}:${questionId(0)}:${round}:${optionId(0, option)}`)
      .digest('hex');
  const draw = (round: number, among: readonly number[]): number =>
    [...among].sort((one, other) => (digest(round, one) < digest(round, other) ? -1 : 1))[0]!;
  const expressed = rankings.filter(({ options }) => options.length > 0);
  const rests = shortened(expressed, letters.length, seats, draw);
  return {
    graine: seed,
    questions: [
      { Type: 'Election', EstPreferentiel: true, NombreElus: seats, options: Object.values(candidates) },
    ],
    ballots: rankings.map((ranking) => ({
      poids: `${ranking.weight / 10_000n}`,
      reponses: [rests[expressed.indexOf(ranking)] ?? []],
    })),
  };
}

/** The published rounds as this count makes them: without repetitions, and one elimination at a time. */
function single(rounds: Published['rounds']): Published['rounds'] {
  const made: Published['rounds'][number][] = [];
  for (const round of rounds) {
    const before = made.at(-1);
    if (round.repeat && before)
      made[made.length - 1] = { ...before, eliminated: (before.eliminated ?? '') + (round.eliminated ?? '') };
    else made.push(round);
  }
  return made.flatMap((round) =>
    round.batch ? [...round.eliminated!].map((eliminated) => ({ ...round, eliminated })) : [round],
  );
}

/** Replaces figures of the rounds by the published ones where these are near enough; returns the first that is not. */
function publish(name: string, published: Published, tours: readonly Tour[]): string | undefined {
  const letters = Object.keys(published.candidates);
  const ids = (those: string): string[] => [...those].map((letter) => optionId(0, letters.indexOf(letter)));
  const isExact = published.tolerance === '0';
  const tolerance = Math.max(Number(published.tolerance), 5e-7) + 1e-9;
  const rounds = single(published.rounds);
  for (const [index, { tally = '', elected, eliminated, exhausted }] of rounds.entries()) {
    const tour = tours[index];
    if (!tour) return `round ${index + 1} is missing`;
    for (const [, letter, votes] of tally.matchAll(/(\S) (\S+)/g)) {
      const shown = tour.Decompte.find(({ OptionId }) => OptionId === ids(letter!)[0]);
      if (Math.abs(Number(shown?.Poids ?? 0) - Number(votes)) > tolerance)
        return `round ${index + 1}: ${letter} has ${shown?.Poids}, published ${votes}`;
      if (isExact && shown) shown.Poids = String(Number(votes));
    }
    if (exhausted !== undefined && Math.abs(Number(tour.Epuises) - Number(exhausted)) > tolerance)
      return `round ${index + 1}: exhausted ${tour.Epuises}, published ${exhausted}`;
    if (exhausted !== undefined && isExact) tour.Epuises = String(Number(exhausted));
    if (ENDS_OTHERWISE.includes(name) && index === rounds.length - 1) return undefined;
    if (eliminated !== undefined) {
      if (tour.Elimines.join() !== ids(eliminated).join())
        return `round ${index + 1}: ${tour.Elimines.join()} eliminated, published ${eliminated}`;
      tour.Elimines = ids(eliminated);
    }
    if (elected !== undefined && [...tour.Elus].sort().join() !== ids(elected).sort().join())
      return `round ${index + 1}: ${tour.Elus.join()} elected, published ${elected}`;
  }
  if (tours.length !== rounds.length) return `${tours.length} rounds, published ${rounds.length}`;
  const winners = tours.flatMap(({ Elus }) => Elus);
  return winners.sort().join() === ids(published.winners).sort().join() ? undefined : 'other winners';
}

/**
 * Returns a vote whose draws are the lots of the source, with the published figures as its results, and the first figure
 * that differs from the published one.
 */
export function publishedVote(name: string, published: Published): { spec: Spec; fault?: string } {
  for (let seed = 0; ; seed++) {
    const plain = voteOf(published, seed.toString(16).padStart(6, '0'));
    const items = recountedItems(plain);
    const tours = items[0]!['Tours'] as Tour[];
    const isDrawn = tours.some(({ Departage }) => Departage?.Tour === null);
    const fault = publish(name, published, tours);
    const spec = { ...plain, resultats: { filtres: [], tout: toutOf(plain, items) } };
    if (fault === undefined) return { spec };
    if (!isDrawn || seed >= MOST_SEEDS) return { spec, fault };
  }
}
