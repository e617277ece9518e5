import fc from 'fast-check';
import type { Logger } from 'pino';
import { LOGGER } from '../../libs/platform/src/ops/logger';
import { largeResults } from '../../libs/platform/src/limits/list-parts';
import { Threads } from '../../libs/platform/src/limits/threads';
import { SealingService } from '../../libs/voting/src';
import { CountingService } from '../../libs/voting/src/count/application/counting.service';
import { StatisticsService } from '../../libs/voting/src/count/application/statistics.service';
import { MOST_OPTIONS, MOST_QUESTIONS } from '../../libs/voting/src/structure/domain/question.fields';
import { MOST_RESULT } from '../../libs/voting/src/campagne/domain/result-size';
import * as statistics from '../../libs/voting/src/count/domain/statistics';
import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { depth, IS_WHOLE } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { LargeVote, type Shape, told } from './support/large';
import { Votes } from './support/votes';

let app: TestApp;
let votes: Votes;
/** Counts of the main thread. */
let counts: jest.SpyInstance;

beforeAll(async () => {
  app = await TestApp.own('volume');
  votes = await Votes.of(app);
});
beforeEach(() => {
  counts = jest.spyOn(statistics, 'countedQuestion');
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => app.stop());

const stats = (id: string, query = ''): Promise<Answer> =>
  votes.campaigns.send('GET', `/${id}/stats${query}`);
const seal = (id: string): Promise<boolean> =>
  app.app.get(SealingService).seal(votes.campaigns.tenant.tenantId, id);

/** Another replica, which has counted nothing yet. */
async function replica<T>(work: (of: TestApp) => Promise<T>): Promise<T> {
  const { databaseUrl, secretsKey } = app.config;
  const other = await TestApp.start({ databaseUrl, secretsKey });
  return work(other).finally(() => other.stop());
}

const ranked = (options: number, seats?: number): Shape => ({
  ...{ options, isRanked: true },
  ...(seats === undefined ? {} : { seats }),
});
const chosen = (options: number, seats?: number): Shape => ({ ...ranked(options, seats), isRanked: false });

/** The size of a result, as the contract of the publication says it. */
const sizeOf = (shapes: readonly Shape[]): number =>
  shapes
    .map(({ options, isRanked, seats }) => options * (isRanked ? options : Math.min(options, seats ?? 1)))
    .reduce((one, other) => one + other, 0);

/** Campaigns that are as large as they may be, by their largest part. */
const LARGEST: readonly [what: string, shapes: readonly Shape[]][] = [
  ['options of ranked questions', times(2, () => ranked(MOST_OPTIONS, 2))],
  ['questions', times(MOST_QUESTIONS, (n) => (n % 2 ? ranked(50, 1 + (n % 50)) : ranked(50)))],
  ['seats of elections that are not ranked', times(2, () => chosen(MOST_OPTIONS, MOST_OPTIONS - 1))],
  ['seats of ranked elections', times(2, () => ranked(MOST_OPTIONS, MOST_OPTIONS / 2))],
  ['options of questions without rounds', times(MOST_QUESTIONS, () => chosen(MOST_OPTIONS))],
];

/** Random questions that together have the size of the bound. */
const atTheBound: fc.Arbitrary<readonly Shape[]> = fc
  .array(
    fc.record({
      options: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: MOST_OPTIONS })),
      isRanked: fc.boolean(),
      seats: fc.option(fc.integer({ min: 1, max: MOST_OPTIONS }), { nil: undefined }),
    }),
    { minLength: 40, maxLength: 150, size: 'max' },
  )
  .map((drawn) => {
    const shapes: Shape[] = [];
    let left = MOST_RESULT;
    for (const { options, isRanked, seats } of drawn) {
      const shape = isRanked ? ranked(options, seats) : chosen(options, seats);
      if (sizeOf([shape]) > left || shapes.length === MOST_QUESTIONS - 45) continue;
      shapes.push(shape);
      left -= sizeOf([shape]);
    }
    // Uses the size that is left, in as few questions as possible.
    while (left > 0) {
      const options = Math.min(MOST_OPTIONS, Math.floor(Math.sqrt(left)));
      shapes.push(ranked(options));
      left -= options ** 2;
    }
    return shapes;
  });

/** Publishes, votes, closes, counts and seals; the result must be that of the ballots, before the sealing and after it. */
async function run(shapes: readonly Shape[], voters: number): Promise<void> {
  const vote = await LargeVote.draft(votes, shapes, voters);
  await votes.campaigns.sent('POST', `/${vote.id}/publier`);
  await votes.campaigns.sent('POST', `/${vote.id}/ouvrir`);
  // A request holds as many choices as 1 MB has room for.
  await vote.vote(Math.floor(20_000 / shapes.length));
  await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
  await check(vote);
}

async function check(vote: LargeVote): Promise<void> {
  const closed = await stats(vote.id);
  expect(closed.status).toBe(200);
  const { graineDepartage } = await votes.campaigns.item(vote.id);
  const [as, expected] = [told(closed.json.questions), vote.expected(graineDepartage as string)];
  // There are half a million figures, so only the first question that differs is compared figure by figure.
  const wrong = expected.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(as[index]));
  expect(as[wrong]).toEqual(expected[wrong]);
  expect([wrong, as.length]).toEqual([-1, expected.length]);
  expect(closed.json).toMatchObject({ resultatsVisibles: true, votantsAyantVote: vote.ballots.length });
  expect(await seal(vote.id)).toBe(true);
  expect((await stats(vote.id)).text).toBe(closed.text);
  const anew = await replica((other) =>
    other.send(votes.campaigns.tenant, 'GET', `/b2b/v1/campagnes/${vote.id}/stats`),
  );
  expect(anew.text).toBe(closed.text);
}

describe('a campaign at the bound of the size of its result', () => {
  it.each(IS_WHOLE ? LARGEST : LARGEST.slice(0, 3))(
    'is published, counted beside the main thread, and sealed: most %s',
    async (_, shapes) => {
      expect(sizeOf(shapes)).toBeLessThanOrEqual(MOST_RESULT);
      await run(shapes, depth(3, 20));
      const counted = (counts.mock.calls as Parameters<typeof statistics.countedQuestion>[]).map(
        ([one]) => one,
      );
      expect(counted.filter(({ options }) => options.length > MOST_OPTIONS)).toEqual([]);
      if (shapes.every((shape) => sizeOf([shape]) > MOST_OPTIONS)) expect(counted).toEqual([]);
    },
    600_000,
  );

  it('is counted rightly, whatever its questions are', async () => {
    await fc.assert(
      fc.asyncProperty(atTheBound, async (shapes) => {
        expect(sizeOf(shapes)).toBe(MOST_RESULT);
        await run(shapes, depth(2, 10));
      }),
      { numRuns: depth(1, 15), endOnFailure: true },
    );
  }, 3_600_000);

  it('is refused where it is larger by one, with the size, the limit and what to do', async () => {
    const refused = async (id: string): Promise<string> => {
      const answer = await votes.campaigns.send('POST', `/${id}/publier`);
      expectProblem(answer, 400, 'Campagne.TropVolumineuse');
      return answer.json.detail as string;
    };
    const { id } = await LargeVote.draft(votes, [...LARGEST[0]![1], chosen(1)], 1);
    expect(await refused(id)).toMatch(/500001.*500000.*fewer options.*several campaigns/);
    const [, , last] = (await votes.campaigns.sent('GET', `/${id}/questions`)).json;
    await votes.campaigns.sent('DELETE', `/${id}/questions/${last.Id}`);
    await votes.campaigns.sent('POST', `/${id}/publier`);
  });

  it('the validation lists it with the other errors, between those of questions and voters', async () => {
    const id = await votes.campaigns.draft();
    for (let n = 0; n < 3; n++) {
      const Options = times(MOST_OPTIONS, (place) => ({ Libelle: `${place}` }));
      await votes.campaigns.question(id, { Type: 'ChoixLibre', EstPreferentiel: true, Options });
    }
    await votes.campaigns.question(id, { Type: 'ChoixLibre', Options: [] });
    const { json } = await votes.campaigns.sent('GET', `/${id}/validation`);
    expect(json.erreurs.map(({ code }: { code: string }) => code)).toEqual([
      'Question.OptionsInsuffisantes',
      'Campagne.TropVolumineuse',
      'Vote.AucunVotant',
    ]);
    expect(json.erreurs[1].detail).toContain('750000');
  });
});

describe('a campaign that was published before there was a bound', () => {
  it('is counted and sealed as well: each caller has it counted, and a part of it at a time', async () => {
    const vote = await LargeVote.draft(
      votes,
      times(depth(3, 45), () => ranked(MOST_OPTIONS, 2)),
      2,
    );
    await vote.publishUnbounded();
    await vote.vote();
    await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
    const items = jest.spyOn(app.app.get(CountingService), 'items');
    await check(vote);
    // Before the sealing and after it; the other replica has its own.
    expect(items).toHaveBeenCalledTimes(2 * vote.shapes.length);
    expect(counts).not.toHaveBeenCalled();
  }, 900_000);

  it('with texts of more than 2 MiB is counted for each caller and not kept', async () => {
    const vote = await LargeVote.draft(
      votes,
      times(3, () => chosen(MOST_OPTIONS)),
      2,
    );
    await votes.campaigns.rows(
      `UPDATE option SET libelle = repeat('𝄞', 490) || ordre
       WHERE tenant_id = $1 AND question_id IN (SELECT id_unique FROM question WHERE tenant_id = $1 AND campagne_id = $2)`,
      vote.id,
    );
    await vote.publishUnbounded();
    await vote.vote();
    await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
    const items = jest.spyOn(app.app.get(CountingService), 'items');
    const service = app.app.get<unknown, { wholes: { bytes: number } }>(StatisticsService);
    const before = service.wholes.bytes;
    await check(vote);
    expect(service.wholes.bytes - before).toBe(1);
    // Before the sealing and after it.
    expect(items).toHaveBeenCalledTimes(2 * vote.shapes.length);
  });
});

describe('the count of a result', () => {
  /** A closed vote whose count needs a thread. */
  async function closed(of = votes, options = 40): Promise<LargeVote> {
    const vote = await LargeVote.draft(of, [ranked(options, 2)], 4);
    await of.campaigns.sent('POST', `/${vote.id}/publier`);
    await of.campaigns.sent('POST', `/${vote.id}/ouvrir`);
    await vote.vote();
    await of.campaigns.sent('POST', `/${vote.id}/fermer`);
    return vote;
  }

  it('is done once for all who ask at a time, and then kept', async () => {
    const { id } = await closed();
    const items = jest.spyOn(app.app.get(CountingService), 'items');
    const answers = await Promise.all(times(5, () => stats(id)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await stats(id);
    expect(items).toHaveBeenCalledTimes(1);
    expect(counts).not.toHaveBeenCalled();
  });

  it('has one thread of the client at a time, whichever of its data spaces asks', async () => {
    const { id, space } = await closed();
    const run = jest.spyOn(Threads.prototype, 'run');
    await stats(id);
    expect(run.mock.calls.map(([key]) => key)).toEqual([space.tenant.clientId]);
    run.mockRestore();
  });

  it('waits, if it is large, until readers of the client have taken others; small ones do not', async () => {
    const [large, small] = [await closed(votes, 101), await closed()];
    const { clientId } = large.space.tenant;
    const takers = times(2, () => Promise.withResolvers<void>());
    for (const { promise } of takers) void largeResults.run(clientId, () => promise);
    let isAnswered = false;
    const answer = stats(large.id).finally(() => (isAnswered = true));
    await stats(small.id);
    await stats(large.id, '?syndicatIdExterne=SYN-1');
    expect(isAnswered).toBe(false);
    takers[0]!.resolve();
    expect((await answer).json.resultatsVisibles).toBe(true);
    // It has given its place back.
    await stats(large.id);
    takers[1]!.resolve();
  });

  it('is kept as long as the bytes of all results have room', async () => {
    const service = app.app.get<unknown, { wholes: { bytes: number; mostBytes: number } }>(StatisticsService);
    const before = service.wholes.bytes;
    const { id } = await closed();
    const { text } = await stats(id);
    const questions = text.slice(text.indexOf('"questions":[') + '"questions":['.length, -2);
    expect(service.wholes.bytes - before).toBe(Buffer.byteLength(questions) + 1);
    expect(service.wholes.mostBytes).toBe(64 * 2 ** 20);
  });

  it('stays on the main thread where it is short, as that of a filter is', async () => {
    const vote = await LargeVote.draft(votes, [ranked(5, 2), chosen(3)], 3);
    await votes.campaigns.sent('POST', `/${vote.id}/publier`);
    await votes.campaigns.sent('POST', `/${vote.id}/ouvrir`);
    await vote.vote();
    await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
    await stats(vote.id);
    expect(counts).toHaveBeenCalledTimes(2);
    await stats(vote.id, '?syndicatIdExterne=SYN-1');
    expect(counts).toHaveBeenCalledTimes(4);
  });

  it.each([
    ['time', { timeMs: 0 }],
    ['memory', { memoryMb: 8 }],
  ])(
    'is ended at a limit of %s: 503, a line in the log, and no other attempt for 5 minutes; others go on',
    async (limit, limits) => {
      const shapes = limit === 'memory' ? times(2, () => ranked(MOST_OPTIONS, 2)) : [ranked(40)];
      const vote = await LargeVote.draft(votes, shapes, 1);
      await votes.campaigns.sent('POST', `/${vote.id}/publier`);
      await votes.campaigns.sent('POST', `/${vote.id}/ouvrir`);
      await vote.vote(40);
      await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
      const strangers = await closed(await Votes.of(app));
      const { databaseUrl, secretsKey } = app.config;
      const other = await TestApp.start({ databaseUrl, secretsKey });
      try {
        const counting = other.app.get(CountingService);
        const { threads } = counting as unknown as { threads: { limits: object } };
        const sound = { ...threads.limits };
        const lines = jest.spyOn(other.app.get<Logger>(LOGGER), 'error');
        const items = jest.spyOn(counting, 'items');
        const ask = (): Promise<Answer> =>
          other.send(votes.campaigns.tenant, 'GET', `/b2b/v1/campagnes/${vote.id}/stats`);
        Object.assign(threads.limits, limits);
        const answer = await ask();
        expectProblem(answer, 503, 'Service.Indisponible');
        expect(answer.headers.get('retry-after')).toBe('300');
        expect(answer.json.detail).toContain('limit of time or memory');
        expect(lines.mock.calls).toContainEqual([
          expect.objectContaining({ campagneId: vote.id, limit }),
          'the count of a result passed a limit and was ended',
        ]);
        Object.assign(threads.limits, sound);
        expectProblem(await ask(), 503, 'Service.Indisponible');
        expect(items).toHaveBeenCalledTimes(1);
        const { tenant } = strangers.space;
        const path = `/b2b/v1/campagnes/${strangers.id}/stats`;
        expect((await other.send(tenant, 'GET', path)).status).toBe(200);
        // The box is sealed all the same.
        expect(await seal(vote.id)).toBe(true);
      } finally {
        await other.stop();
      }
    },
    120_000,
  );
});
