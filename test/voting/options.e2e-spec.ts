import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, times, walk } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { CAMPAGNES, Campaigns } from './support/campaigns';
import { ageLastChange, lastChange } from './support/structure';

interface Item {
  Id: string;
  Libelle: string;
  Ordre: number;
}

let app: TestApp;
let campaigns: Campaigns;
let id: string;
let question: string;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  campaigns = new Campaigns(app, await app.tenant());
  id = await campaigns.draft();
  question = await campaigns.question(id, { Type: 'ChoixLibre' });
});

const path = (rest = ''): string => `/${id}/questions/${question}/options${rest}`;
const send = (method: string, rest = '', body?: unknown, headers?: Record<string, string>) =>
  campaigns.send(method, path(rest), body, headers);
const sent = (method: string, rest = '', body?: unknown) => campaigns.sent(method, path(rest), body);

/** Adds options with these labels; answers their ids. */
async function made(...labels: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const Libelle of labels) ids.push((await sent('POST', '', { Libelle })).json.Id);
  return ids;
}

/** Labels of the options with their places, as they are stored. */
async function stored(of = question): Promise<string[]> {
  const rows = await campaigns.rows<{ option: string }>(
    `SELECT concat_ws(' ', ordre, libelle, description) AS option FROM option
     WHERE tenant_id = $1 AND question_id = $2 ORDER BY ordre`,
    of,
  );
  return rows.map(({ option }) => option);
}
const modified = () => lastChange(campaigns, id);
const age = () => ageLastChange(campaigns, id);

const FAULTY: readonly [what: string, body: object, faults: Record<string, string>][] = [
  ['nothing', {}, { '/Libelle': 'required' }],
  ['an empty label', { Libelle: '  ' }, { '/Libelle': 'required' }],
  ['a label of 501 emoji', { Libelle: '🗳'.repeat(501) }, { '/Libelle': 'length' }],
  [
    'a description that is too long',
    { Libelle: 'A', Description: 'x'.repeat(10_001) },
    { '/Description': 'length' },
  ],
  ['a place before the first', { Libelle: 'A', Ordre: 0 }, { '/Ordre': 'range' }],
  ['a place behind the last', { Libelle: 'A', Ordre: 501 }, { '/Ordre': 'range' }],
  ['half a place', { Libelle: 'A', Ordre: 1.5 }, { '/Ordre': 'type' }],
  ['what is unknown', { Libelle: 'A', Votes: 3 }, { '/Votes': 'unknown' }],
  ['a property in both cases', { Libelle: 'A', libelle: 'B' }, { '/libelle': 'duplicate' }],
  ['U+0000', { Libelle: 'A\u0000' }, { '/Libelle': 'characters' }],
  ['a list', [{ Libelle: 'A' }], { '': 'type' }],
];

describe('POST /b2b/v1/campagnes/:id/questions/:questionId/options', () => {
  it('201 with the option, Location and ETag, and reads back the same', async () => {
    const created = await send('POST', '', { Libelle: 'Ariane', Description: 'Trésorière' });
    expect(created.status).toBe(201);
    const { Id } = created.json;
    expect(Id).toMatch(GUID);
    expect(created.text).toBe(JSON.stringify({ Id, Libelle: 'Ariane', Description: 'Trésorière', Ordre: 1 }));
    expect(created.headers.get('location')).toBe(CAMPAGNES + path(`/${Id}`));
    expect(created.headers.get('etag')).toMatch(/^"[^"]+"$/);
    const read = await send('GET', `/${Id}`);
    expect([read.status, read.text]).toEqual([200, created.text]);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    expect((await send('GET')).text).toBe(`[${created.text}]`);
    const { json } = await campaigns.sent('GET', `/${id}/questions/${question}`);
    expect(json.Options).toEqual([created.json]);
  });

  it('201 takes either case of a first letter, trims, and ignores an Id', async () => {
    const other = randomUUID();
    const { json } = await sent('POST', '', { libelle: ' Omar ', description: ' ', ordre: 1, id: other });
    expect(json).toEqual({ Id: expect.stringMatching(GUID), Libelle: 'Omar', Description: null, Ordre: 1 });
    expect(json.Id).not.toBe(other);
  });

  it('201 at the place that Ordre names; behind the others where there is none or fewer are there', async () => {
    await made('A', 'B', 'C');
    for (const [Libelle, Ordre, ordre] of [
      ['first', 1, 1],
      ['third', 3, 3],
      ['far', 500, 6],
      ['last', null, 7],
    ] as const) {
      expect((await sent('POST', '', { Libelle, Ordre })).json.Ordre).toBe(ordre);
    }
    expect(await stored()).toEqual(['1 first', '2 A', '3 third', '4 B', '5 C', '6 far', '7 last']);
  });

  it('201 with labels that are alike, of 500 emoji, and is a change of the campaign', async () => {
    const before = await age();
    const Libelle = '🗳'.repeat(500);
    const Description = 'é'.repeat(10_000);
    for (const Ordre of [1, 2]) {
      expect((await sent('POST', '', { Libelle, Description })).json).toMatchObject({
        Libelle,
        Description,
        Ordre,
      });
    }
    expect((await modified()) > before).toBe(true);
    expect((await campaigns.item(id)).nombreQuestions).toBe(1);
  });

  it.each(FAULTY)('400 for %s, and nothing is made', async (_what, body, faults) => {
    expectFaults(await send('POST', '', body), faults);
    expect(await stored()).toEqual([]);
  });

  it('409 Campagne.StructureTropGrande for the 501st option', async () => {
    const Options = times(499, (n) => ({ Libelle: `O${n}` }));
    question = await campaigns.question(id, { Type: 'ChoixLibre', Options });
    expect((await sent('POST', '', { Libelle: 'first', Ordre: 1 })).json.Ordre).toBe(1);
    for (const Ordre of [null, 1]) {
      expectProblem(await send('POST', '', { Libelle: 'T', Ordre }), 409, 'Campagne.StructureTropGrande');
    }
    const all = await stored();
    expect([all.length, all[0], all[499]]).toEqual([500, '1 first', '500 O498']);
    const ids = ((await send('GET')).json as Item[]).map(({ Id }) => Id);
    const ordered = await sent('PUT', '/ordre', { OptionIds: ids.toReversed() });
    expect((ordered.json as Item[]).map(({ Id }) => Id)).toEqual(ids.toReversed());
    await sent('DELETE', `/${ids[0]}`);
    expect((await send('POST', '', { Libelle: 'T' })).status).toBe(201);
  });
});

describe('GET /b2b/v1/campagnes/:id/questions/:questionId/options', () => {
  it('200 in their order, whole or page by page, and takes no other parameter', async () => {
    expect((await send('GET')).json).toEqual([]);
    const ids = await made(...times(7, (n) => `O${n + 1}`));
    await sent('PUT', '/ordre', { OptionIds: ids.toReversed() });
    const whole = (await send('GET')).json as Item[];
    expect(whole.map(({ Libelle, Ordre }) => `${Ordre} ${Libelle}`)).toEqual(
      times(7, (n) => `${n + 1} O${7 - n}`),
    );
    for (const [limite, sizes] of [
      [3, [3, 3, 1]],
      [7, [7]],
      [1, times(7, () => 1)],
    ] as const) {
      const pages = await walk(app, campaigns.tenant, `${CAMPAGNES}${path()}?limite=${limite}`);
      expect(pages.flat()).toEqual(whole);
      expect(pages.map(({ length }) => length)).toEqual(sizes);
    }
    expectFaults(await send('GET', '?libelle=A'), { '?libelle': 'unknown' });
    expectFaults(await send('GET', '?limite=1001'), { '?limite': 'range' });
  });

  it('304 for If-None-Match with the ETag of one, until it changes', async () => {
    const [option] = await made('A');
    const etag = (await send('GET', `/${option}`)).headers.get('etag')!;
    for (const value of [etag, `W/${etag}`, '*']) {
      const answer = await send('GET', `/${option}`, undefined, { 'If-None-Match': value });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
    // Its place is part of it.
    await sent('POST', '', { Libelle: 'B', Ordre: 1 });
    const changed = await send('GET', `/${option}`, undefined, { 'If-None-Match': etag });
    expect([changed.status, changed.json.Ordre]).toEqual([200, 2]);
  });
});

describe('PUT /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId', () => {
  it('200 replaces every property and clears what is absent; the place stays', async () => {
    await made('A');
    const { json: before } = await sent('POST', '', { Libelle: 'B', Description: 'D' });
    await made('C');
    const old = await age();
    const replaced = await sent('PUT', `/${before.Id}`, { Libelle: 'B′' });
    expect(replaced.json).toEqual({ Id: before.Id, Libelle: 'B′', Description: null, Ordre: 2 });
    const read = await send('GET', `/${before.Id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([replaced.text, replaced.headers.get('etag')]);
    expect(await stored()).toEqual(['1 A', '2 B′', '3 C']);
    expect((await modified()) > old).toBe(true);
    expect((await sent('PUT', `/${before.Id}`, before)).json).toEqual(before);
  });

  it.each([
    [1, 'B A C D'],
    [2, 'A B C D'],
    [3, 'A C B D'],
    [4, 'A C D B'],
    [500, 'A C D B'],
    [null, 'A B C D'],
  ])('200 moves an option to place %s, however the path writes it', async (Ordre, expected) => {
    const [, option] = await made('A', 'B', 'C', 'D');
    const order = expected.split(' ');
    for (const written of [option!, option!.toUpperCase()]) {
      const { json } = await sent('PUT', `/${written}`, { Libelle: 'B', Ordre });
      expect(json).toEqual({ Id: option, Libelle: 'B', Description: null, Ordre: order.indexOf('B') + 1 });
      expect(await stored()).toEqual(order.map((libelle, index) => `${index + 1} ${libelle}`));
      await sent('PUT', `/${option}`, { Libelle: 'B', Ordre: 2 });
    }
  });

  it.each(FAULTY)('400 for %s, and nothing changes', async (_what, body, faults) => {
    const [option] = await made('kept');
    expectFaults(await send('PUT', `/${option}`, body), faults);
    expect(await stored()).toEqual(['1 kept']);
  });

  it('412 Precondition.Echouee for a stale If-Match; the ETag passes', async () => {
    const [option] = await made('A');
    const stale = (await send('GET', `/${option}`)).headers.get('etag')!;
    await sent('PUT', `/${option}`, { Libelle: 'B' });
    const put = (ifMatch: string) => send('PUT', `/${option}`, { Libelle: 'C' }, { 'If-Match': ifMatch });
    expectProblem(await put(stale), 412, 'Precondition.Echouee');
    expect(await stored()).toEqual(['1 B']);
    expect((await put((await send('GET', `/${option}`)).headers.get('etag')!)).status).toBe(200);
    expect(await stored()).toEqual(['1 C']);
  });
});

describe('DELETE /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId', () => {
  it('204: those behind it move up', async () => {
    const [, b, , d] = await made('A', 'B', 'C', 'D');
    const old = await age();
    const answer = await send('DELETE', `/${b}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await stored()).toEqual(['1 A', '2 C', '3 D']);
    expect((await modified()) > old).toBe(true);
    expect((await send('DELETE', `/${d!.toUpperCase()}`)).status).toBe(204);
    expect(await stored()).toEqual(['1 A', '2 C']);
    expectProblem(await send('DELETE', `/${b}`), 404, 'Option.NotFound');
  });

  it('204 for every option of a question, which then keeps the campaign from being published', async () => {
    question = await campaigns.question(id, { Type: 'Proposition' });
    for (const { Id } of (await send('GET')).json as Item[]) await sent('DELETE', `/${Id}`);
    expect((await send('GET')).json).toEqual([]);
    await campaigns.votant(id);
    const answer = await campaigns.send('POST', `/${id}/publier`);
    expectProblem(answer, 400, 'Question.OptionsInsuffisantes');
  });

  it('412 Precondition.Echouee for a stale If-Match; the ETag passes', async () => {
    const [option] = await made('A');
    const remove = (ifMatch: string) => send('DELETE', `/${option}`, undefined, { 'If-Match': ifMatch });
    expectProblem(await remove('"stale"'), 412, 'Precondition.Echouee');
    expect(await stored()).toEqual(['1 A']);
    expect((await remove((await send('GET', `/${option}`)).headers.get('etag')!)).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});

describe('PUT /b2b/v1/campagnes/:id/questions/:questionId/options/ordre', () => {
  it('200 with all options in the new order, as they are listed', async () => {
    const [a, b, c] = (await made('A', 'B', 'C')) as [string, string, string];
    const old = await age();
    for (const [body, expected] of [
      [{ OptionIds: [c, a, b] }, 'C A B'],
      [{ OptionIds: [b.toUpperCase(), ` ${c} `, a] }, 'B C A'],
      [{ optionIds: [a, b, c] }, 'A B C'],
    ] as const) {
      const answer = await send('PUT', '/ordre', body);
      expect([answer.status, answer.text]).toEqual([200, (await send('GET')).text]);
      expect(await stored()).toEqual(expected.split(' ').map((libelle, index) => `${index + 1} ${libelle}`));
    }
    expect((await modified()) > old).toBe(true);
  });

  it('200 with all of them, however large they are together', async () => {
    await campaigns.rows(
      `INSERT INTO option (tenant_id, question_id, ordre, libelle, description)
       SELECT $1, $2, n, 'O' || n, repeat('🗳', 10000) FROM generate_series(1, 500) n`,
      question,
    );
    const ids = ((await send('GET')).json as Item[]).map(({ Id }) => Id);
    expect(ids).toHaveLength(500);
    const ordered = await sent('PUT', '/ordre', { OptionIds: ids.toReversed() });
    expect((ordered.json as Item[]).map(({ Id }) => Id)).toEqual(ids.toReversed());
  });

  it('400 unless it names each option exactly once: the order stays', async () => {
    const [a, b] = (await made('A', 'B')) as [string, string];
    const { json: other } = await campaigns.sent('POST', `/${id}/questions`, {
      Titre: 'T',
      Type: 'Proposition',
    });
    const elsewhere = other.Options[0].Id as string;
    for (const ids of [[a], [], [a, randomUUID()], [b, a, elsewhere], [b, elsewhere]]) {
      expectFaults(await send('PUT', '/ordre', { OptionIds: ids }), { '/OptionIds': 'reference' });
    }
    for (const again of [a, a.toUpperCase()]) {
      expectFaults(await send('PUT', '/ordre', { OptionIds: [b, a, again] }), { '/OptionIds': 'duplicate' });
    }
    expectFaults(await send('PUT', '/ordre', {}), { '/OptionIds': 'required' });
    expectFaults(await send('PUT', '/ordre', { OptionIds: [b, 'x'] }), { '/OptionIds/1': 'uuid' });
    expectFaults(await send('PUT', '/ordre', { OptionIds: times(501, () => randomUUID()) }), {
      '/OptionIds': 'length',
    });
    expect(await stored()).toEqual(['1 A', '2 B']);
    expect(await stored(other.Id)).toEqual(['1 Pour', '2 Contre']);
  });
});

describe('what is not there', () => {
  const requests = (option: string): [method: string, rest: string, body?: unknown][] => [
    ['GET', `/${option}`],
    ['PUT', `/${option}`, { Libelle: 'T' }],
    ['DELETE', `/${option}`],
  ];
  const all = (option: string): ReturnType<typeof requests> => [
    ...requests(option),
    ['GET', ''],
    ['GET', '?limite=1'],
    ['POST', '', { Libelle: 'T' }],
    ['PUT', '/ordre', { OptionIds: [option] }],
  ];

  it('is 404 Option.NotFound: unknown, no GUID, of another question, deleted', async () => {
    const [gone, kept] = await made('gone', 'kept');
    await sent('DELETE', `/${gone}`);
    const { json: other } = await campaigns.sent('POST', `/${id}/questions`, {
      Titre: 'T',
      Type: 'Proposition',
    });
    for (const option of [randomUUID(), 'x', `${kept}0`, gone!, other.Options[0].Id as string]) {
      for (const [method, rest, body] of requests(option)) {
        expectProblem(await send(method, rest, body), 404, 'Option.NotFound');
      }
    }
    expect([await stored(), await stored(other.Id)]).toEqual([['1 kept'], ['1 Pour', '2 Contre']]);
  });

  it('is 404 Question.NotFound below a question that is unknown, no GUID, deleted or of another campaign', async () => {
    const [option] = (await made('A')) as [string];
    const [own, elsewhere] = [id, await campaigns.draft()];
    const deleted = await campaigns.question(own);
    await campaigns.sent('DELETE', `/${own}/questions/${deleted}`);
    for (const [campagne, of] of [
      [own, randomUUID()],
      [own, 'x'],
      [own, deleted],
      [elsewhere, question],
    ]) {
      for (const [method, rest, body] of all(option)) {
        const answer = await campaigns.send(method, `/${campagne}/questions/${of}/options${rest}`, body);
        expectProblem(answer, 404, 'Question.NotFound');
      }
    }
    expect(await stored()).toEqual(['1 A']);
  });

  it('is 404 Campagne.NotFound below a campaign that is unknown or of another tenant, both the same', async () => {
    const [option] = (await made('A')) as [string];
    const other = new Campaigns(app, await app.tenant());
    const ofOther = (campagne: string, method: string, rest: string, body: unknown): Promise<Answer> =>
      other.send(method, `/${campagne}/questions/${question}/options${rest}`, body);
    const own = await other.draft();
    for (const [method, rest, body] of all(option)) {
      const foreign = await ofOther(id, method, rest, body);
      expectProblem(foreign, 404, 'Campagne.NotFound');
      expect(comparable(await ofOther(randomUUID(), method, rest, body))).toEqual(comparable(foreign));
      expectProblem(await ofOther('x', method, rest, body), 404, 'Campagne.NotFound');
      expectProblem(await ofOther(own, method, rest, body), 404, 'Question.NotFound');
    }
    expect(await stored()).toEqual(['1 A']);
  });
});
