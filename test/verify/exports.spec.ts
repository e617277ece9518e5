import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countRanked as countOfService } from '../../libs/voting/src/count/domain/tally/ranked-count';
import { UNITS, weightOf } from '../../libs/voting/src/count/domain/tally/weight';
import { depth, SEED } from '../setup/depth';
import { bundleOf, GRAINE, optionId, questionId } from './support/bundle';
import { type Election, elections } from './support/elections';
import { EMPTY_SEATS, RESULTS, SAMPLE } from './support/sample';
import { sha256 } from './support/merkle';
import { run, verifier, withFiles } from './support/verifier';
import { type Plain, recountedItems, shortened, toutOf, verified } from './support/vote';

type Rankings = readonly { options: readonly number[]; weight: number }[];

/** The parts of a report of cast vote records that the tests read. */
interface Report {
  readonly Election: readonly [
    {
      readonly Contest: readonly [
        {
          readonly '@id': string;
          readonly NumberElected: number;
          readonly ContestSelection: readonly { readonly '@id': string }[];
        },
      ];
    },
  ];
  readonly CVR: readonly {
    readonly CurrentSnapshotId: string;
    readonly CVRSnapshot: readonly [
      {
        readonly '@id': string;
        readonly CVRContest: readonly [
          {
            readonly ContestId: string;
            readonly CVRContestSelection: readonly {
              readonly ContestSelectionId: string;
              readonly Rank: number;
            }[];
          },
        ];
      },
    ];
  }[];
}

/** Reads BLT as its programs do. */
function readBlt(text: string): { options: number; seats: number; rankings: Rankings; names: string[] } {
  const lines = text.trimEnd().split('\n');
  const [options, seats] = lines.shift()!.split(' ').map(Number) as [number, number];
  const end = lines.indexOf('0');
  const rankings = lines.slice(0, end).map((line) => {
    const [weight, ...places] = line.split(' ').map(Number) as [number, ...number[]];
    expect(places.pop()).toBe(0);
    return { weight, options: places.map((place) => place - 1) };
  });
  const names = lines.slice(end + 1).map((line) => /^"([^"]*)"$/.exec(line)![1]!);
  expect(names).toHaveLength(options + 1);
  return { options, seats, rankings, names };
}

/** The service's count; weights are in units of `10 ** -decimals`, and so are those of the result. */
function countOf(options: number, seats: number, rankings: Rankings, decimals: number): unknown[] {
  const ids = Array.from({ length: options }, (_, option) => optionId(0, option));
  const scale = 10 ** decimals;
  const rounds = countOfService(
    { id: questionId(0), options: ids, seats, seed: GRAINE },
    rankings.map(({ options: wanted, weight }) => ({
      ranking: wanted.map((option) => ids[option]!),
      weight: weightOf(`${weight / scale}`),
      unit: UNITS / BigInt(scale),
    })),
  );
  const inUnits = (weight: string): number => Math.round(Number(weight) * scale * 100) / 100;
  return rounds.map(({ counts, threshold, elected, eliminated, exhausted, tie }) => ({
    ...{ elected, eliminated, tie, threshold: inUnits(threshold), exhausted: inUnits(exhausted) },
    counts: counts.map(({ option, weight }) => [option, inUnits(weight)]),
  }));
}

/** A vote of one ranked question with the ballots of an election in two classes. */
function voteOf({ options, seats, decimals, rankings }: Election): Plain {
  const scale = 10 ** decimals;
  const draw = (round: number, among: readonly number[]): number => {
    const digest = (option: number): string =>
      sha256(`${GRAINE}:${questionId(0)}:${round}:${optionId(0, option)}`).toString('hex');
    return among.reduce((one, other) => (digest(other) < digest(one) ? other : one));
  };
  const weighed = rankings.map((one) => ({
    options: one.options,
    weight: (BigInt(one.weight) * 10_000n) / BigInt(scale),
  }));
  // The unit of the thresholds is the finest weight.
  const rests = shortened(weighed, options, seats, draw, 10_000n / BigInt(scale));
  const names = Array.from({ length: options }, (_, option) => `Candidate "${option}"`);
  return {
    questions: [
      {
        ...{
          Type: 'Election',
          EstPreferentiel: true,
          NombreElus: seats,
          Decimales: decimals,
          options: names,
        },
        Titre: 'Comité\nexécutif',
      },
    ],
    ballots: rankings.map(({ weight }, index) => ({
      ...{ classe: (index % 2) + 1, poids: `${weight / scale}` },
      reponses: [rests[index]!],
    })),
  };
}

function exported(election: Election): { blt: string; records: () => string } {
  const plain = voteOf(election);
  const { findings, vote, answers } = verified(
    bundleOf({ ...plain, resultats: { filtres: [], tout: toutOf(plain, recountedItems(plain)) } }),
  );
  expect(findings.differences).toEqual([]);
  const ranked = verifier.rankedOf(vote!, answers);
  const now = new Date('2026-11-10T00:00:00Z');
  return {
    blt: verifier.bltOf(ranked[0]!),
    records: () => [...verifier.recordsOf(vote!, ranked, now)].join(''),
  };
}

const ofBallots = (rankings: Rankings): string[] =>
  rankings.flatMap(({ options, weight }) => Array<string>(weight).fill(options.join())).sort();

describe('the rankings of a bundle as BLT', () => {
  it('give the rounds of the whole ballots, in units of the finest weight', () => {
    fc.assert(
      fc.property(elections, (election) => {
        const { options, seats, decimals, rankings } = election;
        const read = readBlt(exported(election).blt);
        expect([read.options, read.seats]).toEqual([options, seats]);
        expect(countOf(options, seats, read.rankings, 0)).toEqual(
          countOf(options, seats, rankings, decimals),
        );
      }),
      { seed: SEED, numRuns: depth(150, 1_000) },
    );
  }, 120_000);

  it('another order of the preferences, weight or number of seats gives other rounds', () => {
    const election = {
      ...{ options: 3, seats: 1, decimals: 1 },
      rankings: [
        { options: [0, 1], weight: 4 },
        { options: [1, 0], weight: 3 },
        { options: [2, 1, 0], weight: 2 },
      ],
    };
    const { options, seats, rankings } = readBlt(exported(election).blt);
    const official = countOf(options, seats, election.rankings, 1);
    expect(countOf(options, seats, rankings, 0)).toEqual(official);
    const [first, ...others] = rankings;
    const turned = { ...first!, options: [...first!.options].reverse() };
    expect(countOf(options, seats, [turned, ...others], 0)).not.toEqual(official);
    expect(countOf(options, seats, [{ ...first!, weight: 5 }, ...others], 0)).not.toEqual(official);
    expect(countOf(options, 2, rankings, 0)).not.toEqual(official);
  });

  it('have names and titles without the quotes and lines that BLT cannot hold', () => {
    const { names } = readBlt(
      exported({ options: 2, seats: 1, decimals: 0, rankings: [{ options: [1], weight: 1 }] }).blt,
    );
    expect(names).toEqual(["Candidate '0'", "Candidate '1'", 'Comité exécutif']);
  });
});

describe('the rankings of a bundle as cast vote records', () => {
  it('are the ballots of the BLT, one record each, of one question', () => {
    fc.assert(
      fc.property(elections, (election) => {
        // Ballots without weights.
        const rankings = election.rankings.map((one) => ({ ...one, weight: 1 }));
        const { blt, records } = exported({ ...election, decimals: 0, rankings });
        const report = JSON.parse(records()) as Report;
        expect(report.CVR).toHaveLength(rankings.length);
        expect(new Set(report.CVR.map((one) => one.CurrentSnapshotId)).size).toBe(rankings.length);
        const [contest] = report.Election[0].Contest;
        const places = contest.ContestSelection.map((selection) => selection['@id']);
        const read = report.CVR.map(({ CVRSnapshot: [snapshot], CurrentSnapshotId }) => {
          expect([snapshot['@id'], snapshot.CVRContest.length]).toEqual([CurrentSnapshotId, 1]);
          const [{ ContestId, CVRContestSelection }] = snapshot.CVRContest;
          expect(ContestId).toBe(contest['@id']);
          expect(CVRContestSelection.map(({ Rank }) => Rank)).toEqual(
            CVRContestSelection.map((_, at) => at + 1),
          );
          return {
            options: CVRContestSelection.map((one) => places.indexOf(one.ContestSelectionId)),
            weight: 1,
          };
        });
        expect(ofBallots(read)).toEqual(ofBallots(readBlt(blt).rankings));
        expect(contest.NumberElected).toBe(election.seats);
      }),
      { seed: SEED, numRuns: depth(50, 500) },
    );
  }, 120_000);

  it('do not exist for ballots with weights', () => {
    const rankings = [{ options: [0], weight: 2 }];
    const { records } = exported({ options: 2, seats: 1, decimals: 0, rankings });
    expect(records).toThrow(
      'Ballots of question 1 have weights, and cast vote records have none. Use --blt.',
    );
  });
});

describe('mandat-verify --blt and --cvr', () => {
  const plain = voteOf({
    ...{ options: 3, seats: 2, decimals: 0 },
    rankings: [[0, 1], [0, 1], [2]].map((options) => ({ options, weight: 1 })),
  });
  const equal = { filtres: [], tout: toutOf(plain, recountedItems(plain)) };

  /** Runs the command and returns its result with the files that it wrote. */
  const written = (resultats: unknown, vote: Plain, ...args: string[]): [number | null, string, string[]] => {
    const { tar, jwks } = bundleOf({ ...vote, resultats });
    return withFiles({ 'dossier.tar': tar, 'jwks.json': jwks }, (folder) => {
      const paths = ['dossier.tar', 'jwks.json'].map((name) => join(folder, name)) as [string, string];
      const { status, stderr } = run({}, [
        ...[paths[0], '--cles', paths[1]],
        ...args.map((arg) => (arg.startsWith('-') ? arg : join(folder, arg))),
      ]);
      const others = readdirSync(folder).filter((name) => !paths.includes(join(folder, name)));
      return [
        status,
        stderr,
        others.map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').length > 0}`),
      ];
    });
  };

  it('write a file for each ranked question, and one of all records', () => {
    expect(written(equal, plain, '--blt', '.', '--cvr', 'cvr.json')).toEqual([
      0,
      '',
      ['00.blt: true', 'cvr.json: true'],
    ]);
    const [status, , files] = written(RESULTS, SAMPLE, '--blt', '.');
    expect([status, files]).toEqual([0, ['03.blt: true', '04.blt: true']]);
  });

  it('write nothing if anything differs', () => {
    const other = { ...equal, tout: { ...equal.tout, titre: 'Autre' } };
    expect(written(other, plain, '--blt', '.', '--cvr', 'cvr.json')).toEqual([1, '', []]);
  });

  it('write nothing, and say why, for weights in records, no ranked question, and a folder that is missing', () => {
    expect(written(RESULTS, SAMPLE, '--cvr', 'cvr.json')).toEqual([
      2,
      expect.stringContaining('Ballots of question 4 have weights'),
      [],
    ]);
    const { resultats, ...unranked } = EMPTY_SEATS;
    expect(written(resultats, unranked, '--blt', '.')).toEqual([
      2,
      expect.stringContaining('The vote has no ranked question'),
      [],
    ]);
    expect(written(equal, plain, '--blt', 'missing')).toEqual([
      2,
      expect.stringContaining('cannot be written (ENOENT)'),
      [],
    ]);
  });
});
