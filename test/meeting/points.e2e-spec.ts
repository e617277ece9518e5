import { randomUUID } from 'node:crypto';
import { SeanceRepository } from '../../libs/meeting/src/persistence/seance.repository';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, times } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { Meetings, SEANCES } from './support/meetings';
import { letTwoMeet, withoutLock } from './support/race';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const meetings = perTest(() => Meetings.open(app));
let seance: string;

afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  seance = await meetings.seance();
});

const add = (body: object, headers?: Record<string, string>) =>
  meetings.write('POST', `/${seance}/points`, body, headers);
const agenda = async (): Promise<object[]> => (await meetings.read(`/${seance}`)).json.points;

describe('POST /plateforme/v1/seances/:seanceId/points', () => {
  it('201 with the point and the Location of its meeting, whose agenda then has it in its place', async () => {
    const before = (await meetings.read(`/${seance}`)).headers.get('etag');
    const second = await add({ titre: 'Cotisation 💶', ordre: 2, votable: true, majorite: 'absolue' });
    expect(second.status).toBe(201);
    const { pointId } = second.json;
    expect(pointId).toMatch(GUID);
    expect(second.text).toBe(
      JSON.stringify({
        ...{
          pointId,
          titre: 'Cotisation 💶',
          ordre: 2,
          votable: true,
          typeVote: 'secret',
          majorite: 'absolue',
        },
      }),
    );
    expect(second.headers.get('location')).toBe(`${SEANCES}/${seance}`);
    const first = await add({ titre: 'Ouverture', ordre: 1, votable: false });
    expect(first.json).toEqual({
      ...{ pointId: expect.any(String), titre: 'Ouverture', ordre: 1, votable: false },
      ...{ typeVote: null, majorite: null },
    });
    expect(await agenda()).toEqual([
      { pointId: first.json.pointId, titre: 'Ouverture', ordre: 1, votable: false },
      { pointId, titre: 'Cotisation 💶', ordre: 2, votable: true },
    ]);
    expect((await meetings.read(`/${seance}`)).headers.get('etag')).not.toBe(before);
    expect(await meetings.journal()).toEqual([
      `seance.creer ${seance}`,
      `point.creer ${pointId}`,
      `point.creer ${first.json.pointId}`,
    ]);
  });

  it.each<[object, object]>([
    [{}, { typeVote: 'secret', majorite: 'simple' }],
    [
      { typeVote: null, majorite: null },
      { typeVote: 'secret', majorite: 'simple' },
    ],
    [
      { typeVote: 'nominal', majorite: 'deuxTiers' },
      { typeVote: 'nominal', majorite: 'deuxTiers' },
    ],
  ])('201 a votable point with %j has %j', async (sent, expected) => {
    expect((await add({ titre: 'T', ordre: 1000, votable: true, ...sent })).json).toMatchObject(expected);
  });

  it.each<[object, Record<string, string>]>([
    [{ titre: 'T', ordre: 1, votable: false, typeVote: 'secret' }, { '/typeVote': 'range' }],
    [
      { titre: 'T', ordre: 1, votable: false, typeVote: 'nominal', majorite: 'simple' },
      { '/typeVote': 'range', '/majorite': 'range' },
    ],
  ])('400 %j', async (body, faults) => {
    expectFaults(await add(body), faults);
    expect(await agenda()).toEqual([]);
  });

  it('409 Point.OrdreDejaUtilise for a used place; each meeting has its own places', async () => {
    await meetings.point(seance, 1);
    expectProblem(await add({ titre: 'T', ordre: 1, votable: false }), 409, 'Point.OrdreDejaUtilise');
    const other = await meetings.seance();
    await meetings.point(other, 1);
    expect(await agenda()).toHaveLength(1);
    expect((await meetings.journal()).filter((entry) => entry.startsWith('point.'))).toHaveLength(2);
  });

  it('many requests at once for one place: exactly one point is added', async () => {
    const answers = await Promise.all(times(8, (n) => add({ titre: `T${n}`, ordre: 7, votable: true })));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers)
      if (answer !== made[0]) expectProblem(answer, 409, 'Point.OrdreDejaUtilise');
    expect(await agenda()).toEqual([
      { pointId: made[0]!.json.pointId, titre: made[0]!.json.titre, ordre: 7, votable: true },
    ]);
  });
});

describe('PUT /plateforme/v1/seances/:seanceId/presences', () => {
  const put = (body: object, id = seance, headers?: Record<string, string>) =>
    meetings.write('PUT', `/${id}/presences`, body, headers);
  const participation = (id = seance) => meetings.read(`/${id}/participation`);

  it('200 with zeros before presences are recorded, and with the recorded values afterwards', async () => {
    const withQuorum = await meetings.seance({ quorum: 25 });
    const none = { inscrits: 0, presents: 0, votants: 0, tauxParticipation: 0 };
    expect((await participation()).text).toBe(JSON.stringify({ ...none, quorum: null, quorumAtteint: null }));
    expect((await participation(withQuorum)).json).toEqual({ ...none, quorum: 25, quorumAtteint: false });

    const put1 = await put({ inscrits: 120, presents: 87, votants: 84 }, withQuorum);
    expect(put1.status).toBe(200);
    expect(put1.text).toBe(
      JSON.stringify({
        ...{
          inscrits: 120,
          presents: 87,
          votants: 84,
          tauxParticipation: 70,
          quorum: 25,
          quorumAtteint: true,
        },
      }),
    );
    const read = await participation(withQuorum);
    expect([read.text, read.headers.get('etag')]).toEqual([put1.text, put1.headers.get('etag')]);
    const held = { 'If-None-Match': read.headers.get('etag')! };
    expect((await meetings.read(`/${withQuorum}/participation`, held)).status).toBe(304);
    expect((await meetings.journal()).at(-1)).toBe(`seance.presences ${withQuorum}`);
    // The response of a read can be sent back, and changes nothing.
    expect((await put(read.json, withQuorum)).text).toBe(read.text);
  });

  it.each<[object, number | null, object]>([
    [{ inscrits: 3, presents: 2, votants: 1 }, 33.33, { quorumAtteint: true }],
    [{ inscrits: 3, presents: 2, votants: 2 }, 66.67, { quorumAtteint: true }],
    [{ inscrits: 800, presents: 1, votants: 1 }, 0.13, { quorumAtteint: false }],
    [{ inscrits: 2, presents: 2 }, null, { votants: null, quorumAtteint: true }],
    [{ inscrits: 2, presents: 1, votants: null }, null, { votants: null, quorumAtteint: false }],
    [{ inscrits: 0, presents: 0, votants: 0 }, 0, { quorumAtteint: false }],
    [{ inscrits: 2_147_483_647, presents: 2_147_483_647, votants: 2_147_483_647 }, 100, {}],
  ])('of %j the rate is %s', async (body, tauxParticipation, rest) => {
    const id = await meetings.seance({ quorum: 2 });
    await put({ inscrits: 9, presents: 9, votants: 9 }, id);
    expect((await put(body, id)).json).toMatchObject({ ...body, tauxParticipation, ...rest });
    expect((await participation(id)).json).toMatchObject({ tauxParticipation, ...rest });
  });

  it.each<[object, Record<string, string>]>([
    [{ inscrits: 9, presents: 10 }, { '/presents': 'range' }],
    [{ inscrits: 10, presents: 9, votants: 10 }, { '/votants': 'range' }],
    [
      { inscrits: 1, presents: 2, votants: 3 },
      { '/presents': 'range', '/votants': 'range' },
    ],
  ])('400 %j', async (body, faults) => {
    expectFaults(await put(body), faults);
    // The form is checked before the meeting is looked up.
    expectFaults(await put(body, randomUUID()), faults);
    expect((await participation()).json.inscrits).toBe(0);
  });

  it('412 Precondition.Echouee with a stale ETag', async () => {
    const stale = (await participation()).headers.get('etag')!;
    const now = await put({ inscrits: 2, presents: 1 }, seance, { 'If-Match': stale });
    expect(now.status).toBe(200);
    expectProblem(
      await put({ inscrits: 2, presents: 2 }, seance, { 'If-Match': stale }),
      412,
      'Precondition.Echouee',
    );
    expect((await participation()).text).toBe(now.text);
    const fresh = { 'If-Match': now.headers.get('etag')! };
    expect((await put({ inscrits: 2, presents: 2 }, seance, fresh)).status).toBe(200);
  });

  it.each([
    ['two replacements of the same version at once: one is rejected', true, [200, 412]],
    ['negative control: without the lock of the meeting both succeed', false, [200, 200]],
  ] as const)('%s', async (_what, isLocked, statuses) => {
    const held = { 'If-Match': (await participation()).headers.get('etag')! };
    if (!isLocked) withoutLock(SeanceRepository.prototype);
    letTwoMeet(app, SeanceRepository.prototype, 'updatePresences');
    const answers = await Promise.all(times(2, (n) => put({ inscrits: 9, presents: n + 1 }, seance, held)));
    expect(answers.map(({ status }) => status).sort()).toEqual(statuses);
  });
});
