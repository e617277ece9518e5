import * as fc from 'fast-check';
import { countRanked as countOfService } from '../../libs/voting/src/count/domain/tally/ranked-count';
import { UNITS, weightOf } from '../../libs/voting/src/count/domain/tally/weight';
import { depth, SEED } from '../setup/depth';
import { optionId, questionId } from './support/bundle';
import { sha256 } from './support/merkle';
import { type Election, elections } from './support/elections';
import { verifier } from './support/verifier';

/** Shown with six decimals, half up. */
const shown = (weight: { rounded(parts: bigint): bigint }): number => Number(weight.rounded(100n)) / 1e6;

const seed = 'seed';
const digest = (round: number, option: number): string =>
  sha256(`${seed}:${questionId(0)}:${round}:${optionId(0, option)}`).toString('hex');

/** The rounds of both counts in one form. */
function both({ options, seats, decimals, rankings }: Election): unknown[] {
  const ids = Array.from({ length: options }, (_, option) => optionId(0, option));
  const scale = 10 ** decimals;
  const service = countOfService(
    { id: questionId(0), options: ids, seats, seed },
    rankings.map(({ options: wanted, weight }) => ({
      ranking: wanted.map((option) => ids[option]!),
      weight: weightOf(`${weight / scale}`),
      unit: UNITS / BigInt(scale),
    })),
  );
  const count = verifier.countRanked(
    options,
    seats,
    10_000n / BigInt(scale),
    rankings.map((one) => ({ options: one.options, weight: (BigInt(one.weight) * 10_000n) / BigInt(scale) })),
    (round, among) => among.reduce((one, other) => (digest(round, other) < digest(round, one) ? other : one)),
  );
  const idsOf = (those: readonly number[]): string[] => those.map((option) => ids[option]!);
  return [
    service.map(({ counts, elected, eliminated, exhausted, tie }) => ({
      ...{ elected, eliminated, exhausted: Number(exhausted) },
      tie: tie && { among: tie.among, chosen: tie.chosen, round: tie.round ?? null },
      counts: counts.map(({ option, weight }) => [option, Number(weight)]),
    })),
    count.rounds.map(({ weights, elected, eliminated, exhausted, tie }) => ({
      elected: idsOf(elected),
      eliminated: eliminated === undefined ? [] : idsOf([eliminated]),
      exhausted: shown(exhausted),
      tie: tie && { among: idsOf(tie.among), chosen: ids[tie.chosen], round: tie.round },
      counts: [...weights]
        .map(([option, weight]) => [ids[option]!, shown(weight)] as const)
        .filter(([, weight]) => weight > 0),
    })),
    count.isCut,
  ];
}

/** An election whose exact fractions have more digits than both counts keep. */
function manySeats(): Election {
  let state = 20_261_125;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const rankings = Array.from({ length: 400 }, () => {
    const left = Array.from({ length: 30 }, (_, option) => option);
    const options = Array.from(
      { length: 12 },
      () => left.splice(Math.floor(random(left.length) ** 2 / 30), 1)[0]!,
    );
    return { options, weight: 1 + random(1_000_000) };
  });
  return { options: 30, seats: 20, decimals: 4, rankings };
}

describe('the counts of the service and of the verifier', () => {
  it('agree on every round of random elections', () => {
    fc.assert(
      fc.property(elections, (election) => {
        const [service, own] = both(election);
        expect(own).toEqual(service);
      }),
      { seed: SEED, numRuns: depth(300, 20_000) },
    );
  });

  it('agree where both have to cut digits', () => {
    const [service, own, isCut] = both(manySeats());
    expect(isCut).toBe(true);
    expect(own).toEqual(service);
  });
});
