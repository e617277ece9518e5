import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { PointRepository } from '../../libs/meeting/src/persistence/point.repository';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, times, walk } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { Meetings, SEANCE } from './support/meetings';
import { letTwoMeet, withoutLock } from './support/race';
import { depth } from '../setup/depth';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const meetings = perTest(() => Meetings.open(app));
let seance: string;
let point: string;

beforeEach(async () => {
  seance = await meetings.seance();
  point = await meetings.point(seance, 2, { titre: 'Budget' });
});
afterEach(() => jest.restoreAllMocks());

const put = (body: object, id = point, headers?: Record<string, string>): Promise<Answer> =>
  meetings.write('PUT', `/${seance}/points/${id}/resultats`, body, headers);
const read = (id = point, headers?: Record<string, string>): Promise<Answer> =>
  meetings.read(`/${seance}/points/${id}/resultats`, headers);
const VOTES = { pour: 5, contre: 3, abstentions: 2 };
const NOTHING = {
  ...{ pour: null, contre: null, abstentions: null },
  ...{ poidsPour: null, poidsContre: null, poidsAbstentions: null, adopte: null },
};

describe('PUT /plateforme/v1/seances/:seanceId/points/:pointId/resultats', () => {
  it('200 with the whole result, which partners read alone and with all results of the meeting', async () => {
    const answer = await put({ ...VOTES, poidsPour: '7.50', poidsAbstentions: 0.0001 });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      JSON.stringify({
        ...{ pointId: point, titre: 'Budget', ordre: 2, typeVote: 'secret', ...VOTES },
        ...{ poidsPour: 7.5, poidsContre: 3, poidsAbstentions: 0.0001, adopte: true, majorite: 'simple' },
      }),
    );
    const alone = await read();
    expect([alone.text, alone.headers.get('etag')]).toEqual([answer.text, answer.headers.get('etag')]);
    expect((await read(point, { 'If-None-Match': alone.headers.get('etag')! })).status).toBe(304);
    expect((await meetings.read(`/${seance}/resultats`)).text).toBe(`[${answer.text}]`);
    expect((await meetings.journal()).at(-1)).toBe(`point.resultats ${point}`);
  });

  it('replaces the whole result; the response of a read may be sent back', async () => {
    await put({ ...VOTES, poidsPour: 100 });
    const replaced = await put({ pour: 1, contre: 4, abstentions: 0 });
    expect(replaced.json).toMatchObject({
      ...{
        pour: 1,
        contre: 4,
        abstentions: 0,
        poidsPour: 1,
        poidsContre: 4,
        poidsAbstentions: 0,
        adopte: false,
      },
    });
    expect((await put({ ...replaced.json, adopte: true })).text).toBe(replaced.text);
  });

  it.each<[majorite: string, votes: object, adopte: boolean]>([
    ['simple', { pour: 0, contre: 0, abstentions: 0 }, false],
    ['simple', { pour: 5, contre: 5, abstentions: 0 }, false],
    ['simple', { pour: 1, contre: 9, abstentions: 0, poidsPour: '9.0001' }, true],
    ['absolue', { pour: 5, contre: 3, abstentions: 2 }, false],
    ['absolue', { pour: 5, contre: 3, abstentions: 2, poidsPour: 5.0001 }, true],
    // As floating-point numbers, 4.1 + 0.1 is less than 4.2.
    [
      'absolue',
      { pour: 9, contre: 1, abstentions: 9, poidsPour: 4.2, poidsContre: 0.1, poidsAbstentions: 4.1 },
      false,
    ],
    ['deuxTiers', { pour: 2, contre: 1, abstentions: 9 }, true],
    ['deuxTiers', { pour: 2, contre: 1, abstentions: 0, poidsContre: 1.0001 }, false],
    ['deuxTiers', { pour: 0, contre: 0, abstentions: 9 }, false],
    ['simple', { pour: 2_147_483_647, contre: 2_147_483_646, abstentions: 2_147_483_647 }, true],
    [
      'simple',
      { pour: 1, contre: 1, abstentions: 0, poidsPour: '9999999999.9999', poidsContre: '10000000000' },
      false,
    ],
  ])('with majority %s, %j is adopted: %s', async (majorite, votes, adopte) => {
    const id = await meetings.point(seance, 9, { majorite });
    expect((await put(votes, id)).json).toMatchObject({ majorite, adopte });
  });

  it('stores and returns every weight exactly, and computes adopte from the shares', async () => {
    const majorites = ['simple', 'absolue', 'deuxTiers'];
    const ids = await Promise.all(
      majorites.map((majorite, n) => meetings.point(seance, 10 + n, { majorite })),
    );
    // Up to four decimals, often small numbers, because the shares must come near to a half and two thirds.
    const units = fc.oneof(fc.bigInt(0n, 6n), fc.bigInt(0n, 40_000n), fc.bigInt(0n, 10n ** 14n));
    await fc.assert(
      fc.asyncProperty(fc.nat(2), units, units, units, async (n, pour, contre, abstentions) => {
        const count = (weight: bigint): number => (weight === 0n ? 0 : 1);
        const answer = await put(
          {
            ...{ pour: count(pour), contre: count(contre), abstentions: count(abstentions) },
            ...{
              poidsPour: decimal(pour),
              poidsContre: decimal(contre),
              poidsAbstentions: decimal(abstentions),
            },
          },
          ids[n],
        );
        const whole = n === 1 ? pour + contre + abstentions : pour + contre;
        // Share above (or at) a fraction, as a difference of cross products of whole numbers.
        const over = n === 2 ? pour * 3n - whole * 2n : pour * 2n - whole;
        const adopte = whole > 0n && (n === 2 ? over >= 0n : over > 0n);
        const [, said] = /("poidsPour":.*"adopte":\w+)/.exec(answer.text) ?? [answer.text];
        expect(said).toBe(
          `"poidsPour":${decimal(pour)},"poidsContre":${decimal(contre)},"poidsAbstentions":${decimal(abstentions)},"adopte":${adopte}`,
        );
      }),
      { numRuns: depth(60, 300) },
    );
  });

  it.each<[object, Record<string, string>]>([
    [
      { ...VOTES, poidsPour: -1, poidsContre: '1e3' },
      { '/poidsPour': 'range', '/poidsContre': 'range' },
    ],
    [
      { ...VOTES, poidsPour: 0.00001, poidsContre: '1.00000' },
      { '/poidsPour': 'range', '/poidsContre': 'range' },
    ],
    [
      { ...VOTES, poidsPour: 10_000_000_000.0001, poidsContre: [] },
      { '/poidsPour': 'range', '/poidsContre': 'type' },
    ],
    [{ ...VOTES, poidsPour: 0 }, { '/poidsPour': 'range' }],
    [{ pour: 0, contre: 0, abstentions: 0, poidsContre: 0.5 }, { '/poidsContre': 'range' }],
  ])('400 %j', async (body, faults) => {
    expectFaults(await put(body), faults);
    // The form is looked at before it is known whether there is such a point.
    expectFaults(await put(body, randomUUID()), faults);
    expect((await read()).json).toMatchObject(NOTHING);
  });

  it('409 Point.NonVotable for a point without a vote', async () => {
    const id = await meetings.point(seance, 1, { votable: false });
    expectProblem(await put(VOTES, id), 409, 'Point.NonVotable');
    expectProblem(await read(id), 404, 'Resultat.NotFound');
  });

  it('404 Point.NotFound for an unknown point, or one of another meeting or tenant', async () => {
    const elsewhere = await meetings.point(await meetings.seance(), 1);
    const other = await Meetings.open(app);
    const foreign = await other.point(await other.seance(), 1);
    const [unknown, unknownRead] = [await put(VOTES, randomUUID()), await read(randomUUID())];
    expectProblem(unknown, 404, 'Point.NotFound');
    expectProblem(unknownRead, 404, 'Point.NotFound');
    for (const id of [elsewhere, foreign, 'inconnu']) {
      expect(comparable(await put(VOTES, id))).toEqual(comparable(unknown));
      expect(comparable(await read(id))).toEqual(comparable(unknownRead));
    }
    const rows = await app.database.query(
      'SELECT FROM point_seance WHERE pour IS NOT NULL AND id_unique = ANY ($1)',
      [[elsewhere, foreign]],
    );
    expect(rows.rowCount).toBe(0);
  });

  it('412 Precondition.Echouee with a stale ETag', async () => {
    const before = (await read()).headers.get('etag')!;
    const first = await put(VOTES, point, { 'If-Match': before });
    expect(first.status).toBe(200);
    expectProblem(
      await put({ ...VOTES, pour: 9 }, point, { 'If-Match': before }),
      412,
      'Precondition.Echouee',
    );
    expect((await read()).text).toBe(first.text);
  });

  describe('at once', () => {
    /** Writes two results with the version that both have read. */
    const race = async (): Promise<number[]> => {
      const held = { 'If-Match': (await read()).headers.get('etag')! };
      letTwoMeet(app, PointRepository.prototype, 'updateResultat');
      const answers = await Promise.all(times(2, (n) => put({ ...VOTES, pour: n + 4 }, point, held)));
      return answers.map(({ status }) => status).sort();
    };

    it('two replacements of the same version: one is rejected', async () => {
      expect(await race()).toEqual([200, 412]);
    });

    it('negative control: without the lock of the point both succeed', async () => {
      withoutLock(PointRepository.prototype);
      expect(await race()).toEqual([200, 200]);
    });

    it('many replacements without If-Match: the last one is stored as a whole', async () => {
      const sent = times(12, (n) => ({ pour: n, contre: 2 * n, abstentions: 3 * n }));
      const answers = await Promise.all(sent.map((body) => put(body)));
      expect(answers.map(({ status }) => status)).toEqual(times(12, () => 200));
      const { json, text } = await read();
      expect(answers.map((answer) => answer.text)).toContain(text);
      const { pour, contre, abstentions, poidsPour, poidsContre, poidsAbstentions } = json;
      expect([contre, abstentions, poidsPour, poidsContre, poidsAbstentions]).toEqual(
        [2, 3, 1, 2, 3].map((times) => times * pour),
      );
      expect((await meetings.journal()).filter((entry) => entry === `point.resultats ${point}`)).toHaveLength(
        12,
      );
    });
  });
});

describe('GET /b2b/v2/seance/:seanceId/resultats', () => {
  it('lists votable points in the order of the agenda, with nulls until there is a result', async () => {
    const last = await meetings.point(seance, 30, { typeVote: 'nominal', majorite: 'absolue' });
    await meetings.point(seance, 1, { votable: false });
    const first = await meetings.point(seance, 3);
    const item = (pointId: string, rest: object) => ({ pointId, ...NOTHING, ...rest });
    expect((await meetings.read(`/${seance}/resultats`)).json).toEqual([
      item(point, { titre: 'Budget', ordre: 2, typeVote: 'secret', majorite: 'simple' }),
      item(first, { titre: 'Point 3', ordre: 3, typeVote: 'secret', majorite: 'simple' }),
      item(last, { titre: 'Point 30', ordre: 30, typeVote: 'nominal', majorite: 'absolue' }),
    ]);
    await put(VOTES, last);
    const { json } = await meetings.read(`/${seance}/resultats`);
    expect(json.map(({ adopte }: { adopte: boolean | null }) => adopte)).toEqual([null, null, false]);
    expect((await read(first)).json).toEqual(json[1]);
  });

  it('is empty of a meeting without a votable point', async () => {
    const id = await meetings.seance();
    await meetings.point(id, 1, { votable: false });
    const { status, text } = await meetings.read(`/${id}/resultats`);
    expect([status, text]).toEqual([200, '[]']);
  });

  it('pages by the place on the agenda', async () => {
    await Promise.all([7, 4, 1, 30].map((ordre) => meetings.point(seance, ordre)));
    const pages = await walk<{ ordre: number }>(
      app,
      meetings.tenant,
      `${SEANCE}/${seance}/resultats?limite=2`,
    );
    expect(pages.map((page) => page.map(({ ordre }) => ordre))).toEqual([[1, 2], [4, 7], [30]]);
  });
});

describe('the tables', () => {
  it.each([
    ['a result of a point without a vote', `votable = false, type_vote = NULL, majorite = NULL`],
    ['half of a result', 'contre = NULL'],
    ['votes without weight', 'poids_pour = 0'],
    ['weight without votes', 'abstentions = 0'],
    ['a fifth decimal', 'poids_pour = 0.00001'],
  ])('refuse %s', async (_what, change) => {
    await put(VOTES);
    await expect(
      meetings.rows(`UPDATE point_seance SET ${change} WHERE tenant_id = $1 AND id_unique = $2`, point),
    ).rejects.toMatchObject({ code: '23514' });
  });
});

/** A decimal number of ten-thousandths, as JSON has it. */
function decimal(units: bigint): string {
  const rest = (units % 10_000n).toString().padStart(4, '0').replace(/0+$/, '');
  return `${units / 10_000n}${rest && `.${rest}`}`;
}
