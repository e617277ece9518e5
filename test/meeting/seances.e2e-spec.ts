import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, times, walk } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { DATE, Meetings, SEANCE, SEANCES } from './support/meetings';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const meetings = perTest(() => Meetings.open(app));

const titles = ({ json }: { json: { titre: string }[] }): string[] => json.map(({ titre }) => titre);

describe('POST /plateforme/v1/seances', () => {
  it('201 with the meeting, Location and ETag, which both surfaces read back the same', async () => {
    await meetings.unions('SYN-10');
    const titre = 'Assemblée 🗳️ des « 3×8 »';
    const created = await meetings.write('POST', '', {
      ...{ titre: ` ${titre} `, date: '2026-05-14T19:00:00-04:00', syndicatIdExterne: 'SYN-10', quorum: 25 },
    });
    expect(created.status).toBe(201);
    const { seanceId } = created.json;
    expect(seanceId).toMatch(GUID);
    expect(created.text).toBe(
      JSON.stringify({ seanceId, titre, date: DATE, syndicatIdExterne: 'SYN-10', points: [] }),
    );
    const location = created.headers.get('location')!;
    expect(location).toBe(`${SEANCES}/${seanceId}`);
    const etag = created.headers.get('etag')!;
    for (const read of [
      await app.send(meetings.platform, 'GET', location),
      await meetings.read(`/${seanceId}`),
      await meetings.read(`/${seanceId.toUpperCase()}`),
    ]) {
      expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, created.text, etag]);
    }
    expect((await meetings.read()).text).toBe(`[${created.text}]`);
    const unchanged = await meetings.read(`/${seanceId}`, { 'If-None-Match': etag });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect(await meetings.journal()).toEqual([`seance.creer ${seanceId}`]);
  });

  it('201 with only a title and a date; the response of a read can be sent again and creates another meeting', async () => {
    const { json } = await meetings.write('POST', '', { titre: 'Congrès', date: '2026-05-14' });
    expect(json).toEqual({
      ...{ seanceId: expect.any(String), titre: 'Congrès', date: '2026-05-14T00:00:00.000Z' },
      ...{ syndicatIdExterne: null, points: [] },
    });
    const again = await meetings.write('POST', '', json);
    expect([again.status, again.json]).toEqual([201, { ...json, seanceId: expect.any(String) }]);
    expect(again.json.seanceId).not.toBe(json.seanceId);
  });

  it('replays the answer to an Idempotency-Key, and makes one meeting', async () => {
    const send = (titre: string) =>
      meetings.write('POST', '', { titre, date: DATE }, { 'Idempotency-Key': 'K-1' });
    const first = await send('Assemblée');
    const replayed = await send('Assemblée');
    expect([replayed.status, replayed.text]).toEqual([201, first.text]);
    for (const name of ['location', 'etag']) expect(replayed.headers.get(name)).toBe(first.headers.get(name));
    expectProblem(await send('Autre'), 422, 'Idempotence.CleReutilisee');
    expect((await meetings.read()).json).toHaveLength(1);
    expect(await meetings.journal()).toHaveLength(1);
  });

  it.each<[object, Record<string, string>]>([
    [{ titre: 'T', date: DATE, syndicatIdExterne: 'SYN-?' }, { '/syndicatIdExterne': 'reference' }],
  ])('400 %j', async (body, faults) => {
    expectFaults(await meetings.write('POST', '', body), faults);
    expect((await meetings.read()).json).toEqual([]);
  });
});

describe('GET /b2b/v2/seance', () => {
  it('filters by union and by date, inclusively, and combines filters with AND', async () => {
    await meetings.unions('SYN-1', 'SYN-2');
    const day = (n: number) => `2026-05-0${n}T12:00:00.000Z`;
    for (const [titre, n, syndicatIdExterne] of [
      ['A', 3, 'SYN-1'],
      ['B', 1, 'SYN-1'],
      ['C', 2, 'SYN-2'],
      ['D', 2, null],
    ] as const)
      await meetings.seance({ titre, date: day(n), syndicatIdExterne });
    for (const [query, found] of [
      ['', ['A', 'B', 'C', 'D']],
      ['?syndicatIdExterne=SYN-1', ['A', 'B']],
      ['?syndicatIdExterne=SYN-?', []],
      ['?syndicatIdExterne=syn-1', []],
      [`?apres=${day(2)}`, ['A', 'C', 'D']],
      [`?avant=${day(2)}`, ['B', 'C', 'D']],
      [`?apres=${day(2)}&avant=${day(2)}`, ['C', 'D']],
      [`?apres=${day(3)}&syndicatIdExterne=SYN-1`, ['A']],
      [`?avant=2026-05-01`, []],
    ] as const)
      expect([query, titles(await meetings.read(query))]).toEqual([query, found]);
  });

  it.each<[string, Record<string, string>]>([
    ['?depuis=2026-01-01', { '?depuis': 'unknown' }],
    ['?idExterneSyndicat=SYN-1', { '?idExterneSyndicat': 'unknown' }],
    ['?apres=hier&avant=', { '?apres': 'date', '?avant': 'required' }],
    ['?limite=0&curseur=x', { '?limite': 'range' }],
    ['?curseur=x', { '?curseur': 'cursor' }],
  ])('400 %s', async (query, faults) => {
    expectFaults(await meetings.read(query), faults);
  });

  it('lists many meetings whole, and pages them in the order of their creation', async () => {
    await meetings.rows(
      `INSERT INTO seance (tenant_id, titre, date, date_creation)
       SELECT $1, 'Séance ' || n, '2026-05-14Z', '2026-01-01Z'::timestamptz + n / 3 * interval '1 s'
       FROM generate_series(1, 1203) n`,
    );
    const whole = await meetings.read();
    const expected = await meetings.rows<{ id: string }>(
      'SELECT id_unique AS id FROM seance WHERE tenant_id = $1 ORDER BY date_creation, id_unique',
    );
    const ids = (items: { seanceId: string }[]): string[] => items.map(({ seanceId }) => seanceId);
    expect(ids(whole.json)).toEqual(expected.map(({ id }) => id));
    const pages = await walk(app, meetings.tenant, `${SEANCE}?limite=400&apres=2026-01-01`);
    expect(pages.map((page) => page.length)).toEqual([400, 400, 400, 3]);
    expect(pages.flat()).toEqual(whole.json);
  });
});

describe('a meeting that does not exist', () => {
  const routes: [surface: 'read' | 'write', method: string, rest: string, body: object | undefined][] = [
    ['read', 'GET', '', undefined],
    ['read', 'GET', '/resultats', undefined],
    ['read', 'GET', '/participation', undefined],
    ['read', 'GET', `/points/${randomUUID()}/resultats`, undefined],
    ['write', 'GET', '', undefined],
    ['write', 'PUT', '/presences', { inscrits: 1, presents: 1 }],
    ['write', 'POST', '/points', { titre: 'T', ordre: 1, votable: true }],
    ['write', 'PUT', `/points/${randomUUID()}/resultats`, { pour: 1, contre: 0, abstentions: 0 }],
  ];

  it.each(routes)(
    '%s %s …%s: 404 Seance.NotFound, also of another tenant',
    async (surface, method, rest, body) => {
      const other = await Meetings.open(app);
      const foreign = await other.seance();
      const send = (id: string) =>
        surface === 'read' ? meetings.read(`/${id}${rest}`) : meetings.write(method, `/${id}${rest}`, body);
      const unknown = await send(randomUUID());
      expectProblem(unknown, 404, 'Seance.NotFound');
      for (const id of [foreign, 'inconnue', '%F0%9F%97%B3'])
        expect(comparable(await send(id))).toEqual(comparable(unknown));
      expect(await other.journal()).toEqual([`seance.creer ${foreign}`]);
    },
  );
});

describe('access', () => {
  it('partners write nothing: their routes answer reads only', async () => {
    const id = await meetings.seance();
    for (const method of ['POST', 'PUT', 'DELETE'])
      for (const rest of ['', `/${id}`, `/${id}/resultats`])
        expect((await app.send(meetings.tenant, method, SEANCE + rest, {})).status).toBe(405);
    expect((await meetings.read()).json).toHaveLength(1);
  });
});

it('reads an agenda of the greatest length in one statement a page', async () => {
  const ids = await Promise.all(times(3, () => meetings.seance()));
  await meetings.rows(
    `INSERT INTO point_seance (tenant_id, seance_id, titre, ordre, votable)
     SELECT $1, s.id, repeat('🗳', 500), n, false FROM unnest($2::uuid[]) s (id), generate_series(1, 1000) n`,
    ids,
  );
  const { json } = await meetings.read();
  expect(json.map(({ points }: { points: { ordre: number }[] }) => points.map(({ ordre }) => ordre))).toEqual(
    times(3, () => times(1000, (index) => index + 1)),
  );
});
