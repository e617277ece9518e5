import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, times, walk } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { CAMPAGNES, Campaigns } from './support/campaigns';
import { ageLastChange, lastChange } from './support/structure';

const ELECTION = {
  Titre: 'Qui voulez-vous à la présidence ?',
  Description: 'Mandat de deux ans.',
  Type: 'Election',
  EstPreferentiel: true,
  OrdreReponsesAleatoire: 2,
  MinReponses: 1,
  MaxReponses: 2,
  NombreElus: 1,
};

let app: TestApp;
let campaigns: Campaigns;
let id: string;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  campaigns = new Campaigns(app, await app.tenant());
  id = await campaigns.draft();
});

const send = (method: string, rest = '', body?: unknown, headers?: Record<string, string>) =>
  campaigns.send(method, `/${id}/questions${rest}`, body, headers);
const sent = (method: string, rest = '', body?: unknown) =>
  campaigns.sent(method, `/${id}/questions${rest}`, body);
const choice = (Titre: string, ...labels: string[]) => ({
  ...{ Titre, Type: 'ChoixLibre' },
  Options: labels.map((Libelle) => ({ Libelle })),
});
const optionsOf = ({ json }: Answer): string[] =>
  json.Options.map(({ Ordre, Libelle }: { Ordre: number; Libelle: string }) => `${Ordre} ${Libelle}`);

/** Adds questions with these titles; answers their ids. */
async function made(...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const Titre of titles) ids.push(await campaigns.question(id, { Titre }));
  return ids;
}

/** Titles of the questions with their places, as they are stored. */
async function stored(): Promise<string[]> {
  const rows = await campaigns.rows<{ ordre: number; titre: string }>(
    'SELECT ordre, titre FROM question WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY ordre',
    id,
  );
  return rows.map(({ ordre, titre }) => `${ordre} ${titre}`);
}
const modified = () => lastChange(campaigns, id);
const age = () => ageLastChange(campaigns, id);

describe('POST /b2b/v1/campagnes/:id/questions', () => {
  it('201 with the question, Location and ETag, and reads back the same', async () => {
    const Options = [{ Libelle: 'Ariane', Description: 'Trésorière' }, { Libelle: 'Omar' }];
    const created = await send('POST', '', { ...ELECTION, Options });
    expect(created.status).toBe(201);
    const { Id, Options: made } = created.json;
    const [one, two] = made.map((option: { Id: string }) => option.Id);
    for (const given of [Id, one, two]) expect(given).toMatch(GUID);
    expect(created.text).toBe(
      JSON.stringify({
        ...{ Id, Titre: ELECTION.Titre, Description: ELECTION.Description, Type: 'Election', Ordre: 1 },
        ...{
          EstPreferentiel: true,
          OrdreReponsesAleatoire: 2,
          MinReponses: 1,
          MaxReponses: 2,
          NombreElus: 1,
        },
        Options: [
          { Id: one, Libelle: 'Ariane', Description: 'Trésorière', Ordre: 1 },
          { Id: two, Libelle: 'Omar', Description: null, Ordre: 2 },
        ],
      }),
    );
    expect(created.headers.get('location')).toBe(`${CAMPAGNES}/${id}/questions/${Id}`);
    expect(created.headers.get('etag')).toMatch(/^"[^"]+"$/);
    const read = await send('GET', `/${Id}`);
    expect([read.status, read.text]).toEqual([200, created.text]);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    expect((await send('GET')).text).toBe(`[${created.text}]`);
  });

  it.each<[string, object, object]>([
    ['Proposition', {}, { MinReponses: 1, MaxReponses: 1, NombreElus: null, EstPreferentiel: false }],
    ['ChoixLibre', {}, { MinReponses: 1, MaxReponses: 1, NombreElus: null, EstPreferentiel: false }],
    ['Election', {}, { MinReponses: 1, MaxReponses: 1, NombreElus: 1, EstPreferentiel: false }],
    ['Election', { NombreElus: 3 }, { MinReponses: 1, MaxReponses: 3, NombreElus: 3 }],
    ['ChoixLibre', { EstPreferentiel: true }, { MinReponses: 1, MaxReponses: null, NombreElus: null }],
    [
      'Election',
      { EstPreferentiel: true, NombreElus: 2 },
      { MinReponses: 1, MaxReponses: null, NombreElus: 2 },
    ],
    ['ChoixLibre', { MinReponses: 2, MaxReponses: 500 }, { MinReponses: 2, MaxReponses: 500 }],
  ])('201 fills in the defaults of a %s with %j', async (Type, sent, expected) => {
    const { json, status } = await send('POST', '', { Titre: 'T', Type, ...sent });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      Titre: 'T',
      Description: null,
      Type,
      OrdreReponsesAleatoire: 0,
      ...expected,
    });
  });

  it('201 gives a Proposition Pour and Contre, unless it has options; other types have none of themselves', async () => {
    const options = async (sent: object): Promise<string[]> =>
      optionsOf(await send('POST', '', { Titre: 'T', ...sent }));
    for (const none of [{}, { Options: null }, { Options: [] }]) {
      expect(await options({ Type: 'Proposition', ...none })).toEqual(['1 Pour', '2 Contre']);
      expect(await options({ Type: 'ChoixLibre', ...none })).toEqual([]);
      expect(await options({ Type: 'Election', ...none })).toEqual([]);
    }
    const Options = [{ Libelle: 'Oui' }, { Libelle: 'Non' }];
    expect(await options({ Type: 'Proposition', Options })).toEqual(['1 Oui', '2 Non']);
  });

  it('201 takes either case of a first letter, trims, and ignores identifiers', async () => {
    const body = {
      ...{ titre: ' Qui ? ', type: ' Election ', estPreferentiel: true, ordreReponsesAleatoire: 1 },
      ...{ minReponses: 2, maxReponses: 3, nombreElus: 2, description: '  ', id: randomUUID() },
      options: [
        { id: randomUUID(), libelle: ' B ', ordre: 2 },
        { libelle: 'A', description: ' d ', ordre: 1 },
      ],
    };
    const { json, status } = await send('POST', '', body);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      ...{ Titre: 'Qui ?', Description: null, Type: 'Election', EstPreferentiel: true },
      ...{ OrdreReponsesAleatoire: 1, MinReponses: 2, MaxReponses: 3, NombreElus: 2 },
      Options: [
        { Libelle: 'A', Description: 'd', Ordre: 1 },
        { Libelle: 'B', Description: null, Ordre: 2 },
      ],
    });
    expect([json.Id, json.Options[1].Id]).not.toContain(body.id);
    expect(json.Options[1].Id).not.toBe(body.options[0]!.id);
  });

  it('201 puts options into the order of their Ordre, with places without gaps', async () => {
    const places: [number[], string[]][] = [
      [
        [3, 1, 2],
        ['1 B', '2 C', '3 A'],
      ],
      [
        [500, 7, 40],
        ['1 B', '2 C', '3 A'],
      ],
      [
        [1, 1, 1],
        ['1 A', '2 B', '3 C'],
      ],
    ];
    for (const [ordres, expected] of places) {
      const Options = ordres.map((Ordre, index) => ({ Libelle: 'ABC'.charAt(index), Ordre }));
      expect(optionsOf(await sent('POST', '', { Titre: 'T', Type: 'ChoixLibre', Options }))).toEqual(
        expected,
      );
    }
  });

  it('201 at the place that Ordre names; behind the others where there is none or fewer are there', async () => {
    await made('A', 'B', 'C');
    for (const [Titre, Ordre, ordre] of [
      ['first', 1, 1],
      ['third', 3, 3],
      ['far', 200, 6],
      ['last', null, 7],
    ] as const) {
      const { json } = await sent('POST', '', { Titre, Type: 'Proposition', Ordre });
      expect(json.Ordre).toBe(ordre);
    }
    expect(await stored()).toEqual(['1 first', '2 A', '3 third', '4 B', '5 C', '6 far', '7 last']);
  });

  it('201 counts in the campaign and is a change of it', async () => {
    const before = await age();
    await made('A', 'B');
    expect((await campaigns.item(id)).nombreQuestions).toBe(2);
    expect((await modified()) > before).toBe(true);
    expect((await campaigns.send('GET')).json[0].nombreQuestions).toBe(2);
  });

  it('201 with a title of 500 emoji and a description of 10,000 characters', async () => {
    const body = { Titre: '🗳'.repeat(500), Description: '“é”\n'.repeat(2_500).trim(), Type: 'ChoixLibre' };
    const Options = [{ Libelle: '👩‍🚀'.repeat(100) }, { Libelle: 'x'.repeat(500) }];
    const { json, status } = await send('POST', '', { ...body, Options });
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...body, Options });
    expect((await send('GET', `/${json.Id}`)).json).toEqual(json);
  });

  it.each<[string, object, Record<string, string>]>([
    ['nothing', {}, { '/Titre': 'required', '/Type': 'required' }],
    ['an empty title', { Titre: ' ', Type: 'Election' }, { '/Titre': 'required' }],
    [
      'texts that are too long',
      { ...ELECTION, Titre: 'x'.repeat(501), Description: 'x'.repeat(10_001) },
      { '/Titre': 'length', '/Description': 'length' },
    ],
    ['501 emoji', { ...ELECTION, Titre: '🗳'.repeat(501) }, { '/Titre': 'length' }],
    ['a type that there is not', { Titre: 'T', Type: 'election' }, { '/Type': 'choice' }],
    ['places that there are not', { ...ELECTION, Ordre: 0 }, { '/Ordre': 'range' }],
    ['a place behind the last', { ...ELECTION, Ordre: 201 }, { '/Ordre': 'range' }],
    [
      'a random order of 3',
      { ...ELECTION, OrdreReponsesAleatoire: 3 },
      { '/OrdreReponsesAleatoire': 'range' },
    ],
    [
      'a random order of -1',
      { ...ELECTION, OrdreReponsesAleatoire: -1 },
      { '/OrdreReponsesAleatoire': 'range' },
    ],
    [
      'a random order of true',
      { ...ELECTION, OrdreReponsesAleatoire: true },
      { '/OrdreReponsesAleatoire': 'type' },
    ],
    [
      'counts of 0',
      { ...ELECTION, MinReponses: 0, MaxReponses: 0, NombreElus: 0 },
      { '/MinReponses': 'range', '/MaxReponses': 'range', '/NombreElus': 'range' },
    ],
    [
      'counts of 501',
      { ...ELECTION, MinReponses: 501, MaxReponses: 501, NombreElus: 501 },
      { '/MinReponses': 'range', '/MaxReponses': 'range', '/NombreElus': 'range' },
    ],
    ['half an answer', { ...ELECTION, MinReponses: 0.5 }, { '/MinReponses': 'type' }],
    ['text for a number', { ...ELECTION, MaxReponses: '2' }, { '/MaxReponses': 'type' }],
    ['text for a boolean', { ...ELECTION, EstPreferentiel: 'true' }, { '/EstPreferentiel': 'type' }],
    ['more at least than at most', { ...ELECTION, MinReponses: 3 }, { '/MaxReponses': 'range' }],
    ['seats of no election', { Titre: 'T', Type: 'ChoixLibre', NombreElus: 2 }, { '/NombreElus': 'range' }],
    [
      'a Proposition with two answers',
      { Titre: 'T', Type: 'Proposition', MaxReponses: 2 },
      { '/MaxReponses': 'range' },
    ],
    [
      'a Proposition with at least two',
      { Titre: 'T', Type: 'Proposition', MinReponses: 2 },
      { '/MinReponses': 'range' },
    ],
    [
      'what is unknown',
      { ...ELECTION, Poids: 1, Options: [{ Libelle: 'A', Votes: 1 }] },
      { '/Poids': 'unknown', '/Options/0/Votes': 'unknown' },
    ],
    ['a property in both cases', { ...ELECTION, titre: 'T' }, { '/titre': 'duplicate' }],
    ['options that are no list', { ...ELECTION, Options: 'A' }, { '/Options': 'type' }],
    [
      'options that are no records',
      { ...ELECTION, Options: ['A', null] },
      { '/Options/0': 'type', '/Options/1': 'type' },
    ],
    [
      'faulty options',
      { ...ELECTION, Options: [{ Libelle: 'A' }, {}, { Libelle: 'x'.repeat(501), Ordre: 501, Id: 'x' }] },
      {
        '/Options/1/Libelle': 'required',
        '/Options/2/Libelle': 'length',
        '/Options/2/Ordre': 'range',
        '/Options/2/Id': 'uuid',
      },
    ],
    ['501 options', { ...ELECTION, Options: times(501, () => ({ Libelle: 'A' })) }, { '/Options': 'length' }],
    [
      'U+0000 and half a pair',
      { ...ELECTION, Titre: 'a\u0000', Description: '\ud83d' },
      { '/Titre': 'characters', '/Description': 'characters' },
    ],
  ])('400 for %s, and nothing is made', async (_what, body, faults) => {
    expectFaults(await send('POST', '', body), faults);
    expect(await stored()).toEqual([]);
  });

  it('400 Question.PreferentielNonSupporte for a ranked Proposition, and nothing is made', async () => {
    const ranked = { Titre: 'T', Type: 'Proposition', EstPreferentiel: true };
    expectProblem(await send('POST', '', ranked), 400, 'Question.PreferentielNonSupporte');
    expect(await stored()).toEqual([]);
    const [question] = await made('A');
    expectProblem(await send('PUT', `/${question}`, ranked), 400, 'Question.PreferentielNonSupporte');
    expect(await stored()).toEqual(['1 A']);
  });
});

describe('GET /b2b/v1/campagnes/:id/questions', () => {
  it('200 in their order, whole or page by page, and takes no other parameter', async () => {
    expect((await send('GET')).json).toEqual([]);
    const ids = await made(...times(7, (n) => `Q${n + 1}`));
    await sent('PUT', '/ordre', { QuestionIds: ids.toReversed() });
    const whole = (await send('GET')).json as { Titre: string; Ordre: number }[];
    expect(whole.map(({ Titre, Ordre }) => `${Ordre} ${Titre}`)).toEqual(
      times(7, (n) => `${n + 1} Q${7 - n}`),
    );
    for (const [limite, sizes] of [
      [3, [3, 3, 1]],
      [7, [7]],
      [1, times(7, () => 1)],
    ] as const) {
      const pages = await walk(app, campaigns.tenant, `${CAMPAGNES}/${id}/questions?limite=${limite}`);
      expect(pages.flat()).toEqual(whole);
      expect(pages.map(({ length }) => length)).toEqual(sizes);
    }
    expectFaults(await send('GET', '?type=Election'), { '?type': 'unknown' });
    expectFaults(await send('GET', '?limite=0'), { '?limite': 'range' });
    expectFaults(await send('GET', '?curseur=x'), { '?curseur': 'cursor' });
  });

  it('200 with an ETag of one question, which its own options change, and 304 where it is the same', async () => {
    const [question] = await made('A');
    const etag = (await send('GET', `/${question}`)).headers.get('etag')!;
    for (const value of [etag, `W/${etag}`, '*']) {
      const answer = await send('GET', `/${question}`, undefined, { 'If-None-Match': value });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
    await sent('POST', `/${question}/options`, { Libelle: 'Peut-être' });
    const changed = await send('GET', `/${question}`, undefined, { 'If-None-Match': etag });
    expect([changed.status, optionsOf(changed)]).toEqual([200, ['1 Pour', '2 Contre', '3 Peut-être']]);
  });
});

describe('what is not there', () => {
  it('is 404 Question.NotFound: unknown, no GUID, of another campaign, deleted', async () => {
    const [gone, kept] = await made('gone', 'kept');
    await sent('DELETE', `/${gone}`);
    const elsewhere = await campaigns.question(await campaigns.draft(), { Titre: 'elsewhere' });
    for (const question of [randomUUID(), 'x', '0', elsewhere, gone, `${kept}0`]) {
      const answers = [
        await send('GET', `/${question}`),
        await send('PUT', `/${question}`, choice('T', 'A')),
        await send('DELETE', `/${question}`),
      ];
      for (const answer of answers) expectProblem(answer, 404, 'Question.NotFound');
    }
    expect(await stored()).toEqual(['1 kept']);
    const rows = await campaigns.rows(`SELECT FROM question WHERE tenant_id = $1 AND titre = 'elsewhere'`);
    expect(rows).toHaveLength(1);
  });

  it('is 404 Campagne.NotFound below a campaign that is unknown, deleted or of another tenant, all the same', async () => {
    const [question] = await made('A');
    const other = new Campaigns(app, await app.tenant());
    const deleted = await other.draft();
    await other.sent('DELETE', `/${deleted}`);
    const requests: [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', '?limite=1'],
      ['GET', `/${question}`],
      ['POST', '', choice('T', 'A')],
      ['PUT', '/ordre', { QuestionIds: [question] }],
      ['PUT', `/${question}`, choice('T', 'A')],
      ['DELETE', `/${question}`],
    ];
    for (const [method, rest, body] of requests) {
      const [foreign, ...others] = await Promise.all(
        [id, randomUUID(), deleted].map((campagne) =>
          other.send(method, `/${campagne}/questions${rest}`, body),
        ),
      );
      expectProblem(foreign!, 404, 'Campagne.NotFound');
      for (const one of others) expect(comparable(one)).toEqual(comparable(foreign!));
      expectProblem(await other.send(method, `/x/questions${rest}`, body), 404, 'Campagne.NotFound');
    }
    expect(await stored()).toEqual(['1 A']);
    // Another tenant's question below one's own campaign is no more there.
    const own = await other.draft();
    expectProblem(await other.send('GET', `/${own}/questions/${question}`), 404, 'Question.NotFound');
    expectProblem(await other.send('DELETE', `/${own}/questions/${question}`), 404, 'Question.NotFound');
    expect(await stored()).toEqual(['1 A']);
  });
});

describe('the most that there may be', () => {
  it('200 questions: the next is 409 Campagne.StructureTropGrande, also at a place in between', async () => {
    await Promise.all(times(200, (n) => send('POST', '', { Titre: `Q${n}`, Type: 'ChoixLibre' })));
    expect((await stored()).map((one) => one.split(' ')[0])).toEqual(times(200, (n) => `${n + 1}`));
    expectProblem(await send('POST', '', choice('T')), 409, 'Campagne.StructureTropGrande');
    expectProblem(await send('POST', '', { ...choice('T'), Ordre: 1 }), 409, 'Campagne.StructureTropGrande');
    const all = (await send('GET')).json as { Id: string }[];
    expect(all).toHaveLength(200);
    const reversed = all.map(({ Id }) => Id).reverse();
    const ordered = await sent('PUT', '/ordre', { QuestionIds: reversed });
    expect((ordered.json as { Id: string }[]).map(({ Id }) => Id)).toEqual(reversed);
    await sent('DELETE', `/${reversed[0]}`);
    expect((await send('POST', '', choice('T'))).status).toBe(201);
    expect((await campaigns.item(id)).nombreQuestions).toBe(200);
  });

  it('500 options with a question, which keep their order', async () => {
    const labels = times(500, (n) => `O${(n * 7919) % 500}`);
    const created = await sent('POST', '', choice('T', ...labels));
    expect(optionsOf(created)).toEqual(labels.map((label, index) => `${index + 1} ${label}`));
    expect((await send('GET')).json).toEqual([created.json]);
  });
});
