import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';
import { ageLastChange, lastChange } from './support/structure';

interface Item {
  Id: string;
  Libelle: string;
  Ordre: number;
}

/** How a campaign gets into each state in which its structure is locked. */
const LOCKED: readonly [etat: string, make: () => Promise<string>][] = [
  ['Planifie', () => campaigns.scheduled()],
  ['VoteOuvert', () => campaigns.opened()],
  ['Termine', () => campaigns.closed()],
  ['Archive', () => campaigns.archived()],
];

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
  json.Options.map(({ Ordre, Libelle }: Item) => `${Ordre} ${Libelle}`);
const idsOf = ({ json }: Answer): string[] => json.Options.map(({ Id }: Item) => Id);

/** Adds questions with these titles, each with an option or two; answers their ids. */
async function made(...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const Titre of titles) ids.push((await sent('POST', '', choice(Titre, 'A', 'B'))).json.Id);
  return ids;
}

/** Titles of the questions and labels of their options with their places, as they are stored. */
async function stored(campagne = id): Promise<string[]> {
  const rows = await campaigns.rows<{ question: string }>(
    `SELECT concat_ws(' ', q.ordre, q.titre, (SELECT string_agg(o.ordre || o.libelle, ' ' ORDER BY o.ordre)
       FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique)) AS question
     FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 ORDER BY q.ordre`,
    campagne,
  );
  return rows.map(({ question }) => question);
}
/** What the audit trail has of a campaign, and with which key. */
const journal = (campagne: string) =>
  campaigns.rows<{ cle: string }>(
    'SELECT cle_id AS cle FROM journal WHERE tenant_id = $1 AND objet_id = $2',
    campagne,
  );
const modified = () => lastChange(campaigns, id);
const age = () => ageLastChange(campaigns, id);

describe('PUT /b2b/v1/campagnes/:id/questions/:questionId', () => {
  it('200 replaces every property and clears what is absent; place and options stay', async () => {
    await made('first');
    const { json: before } = await sent('POST', '', {
      ...{ Titre: 'Qui ?', Description: 'D', Type: 'Election', EstPreferentiel: true },
      ...{ OrdreReponsesAleatoire: 2, MinReponses: 2, MaxReponses: 3, NombreElus: 2 },
      Options: [{ Libelle: 'Ariane', Description: 'Trésorière' }, { Libelle: 'Omar' }],
    });
    await made('last');
    const old = await age();
    const replaced = await sent('PUT', `/${before.Id}`, { Titre: 'Quoi ?', Type: 'ChoixLibre' });
    expect(replaced.json).toEqual({
      ...{ Id: before.Id, Titre: 'Quoi ?', Description: null, Type: 'ChoixLibre', Ordre: 2 },
      ...{ EstPreferentiel: false, OrdreReponsesAleatoire: 0, MinReponses: 1, MaxReponses: 1 },
      ...{ NombreElus: null, Options: before.Options },
    });
    const read = await send('GET', `/${before.Id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([replaced.text, replaced.headers.get('etag')]);
    expect(await stored()).toEqual(['1 first 1A 2B', '2 Quoi ? 1Ariane 2Omar', '3 last 1A 2B']);
    expect((await modified()) > old).toBe(true);
  });

  it('200 changes nothing when what was read is sent back', async () => {
    const bodies = [
      choice('T', 'A', 'B'),
      { Titre: 'T', Type: 'Proposition' },
      { Titre: 'T', Type: 'Election', EstPreferentiel: true, NombreElus: 3, Description: 'D' },
      { Titre: 'T', Type: 'ChoixLibre', EstPreferentiel: true, MinReponses: 2 },
    ];
    for (const body of bodies) await sent('POST', '', body);
    const { json: before } = await send('GET');
    for (const question of before) {
      const again = await sent('PUT', `/${question.Id}`, question);
      expect(again.json).toEqual(question);
    }
    expect((await send('GET')).json).toEqual(before);
  });

  it('200 replaces the options where they are given: those with an Id stay what they are, others are new or go', async () => {
    const before = await sent('POST', '', choice('T', 'A', 'B', 'C'));
    const [a, b, c] = idsOf(before);
    const replaced = await sent('PUT', `/${before.json.Id}`, {
      ...{ Titre: 'T', Type: 'ChoixLibre' },
      Options: [
        { Libelle: 'new', Description: 'n' },
        { Id: c!.toUpperCase(), Libelle: 'C' },
        { Id: a, Libelle: 'A′' },
      ],
    });
    expect(optionsOf(replaced)).toEqual(['1 new', '2 C', '3 A′']);
    const [made, ...kept] = idsOf(replaced);
    expect(kept).toEqual([c, a]);
    expect([a, b, c]).not.toContain(made);
    expect(replaced.json.Options[0].Description).toBe('n');
    expectProblem(await send('GET', `/${before.json.Id}/options/${b}`), 404, 'Option.NotFound');
    expect(await stored()).toEqual(['1 T 1new 2C 3A′']);
  });

  it('200 puts the options that it gives into the order of their Ordre', async () => {
    const before = await sent('POST', '', choice('T', 'A', 'B', 'C'));
    const Options = before.json.Options.map((option: Item) => ({ ...option, Ordre: 4 - option.Ordre }));
    const replaced = await sent('PUT', `/${before.json.Id}`, { Titre: 'T', Type: 'ChoixLibre', Options });
    expect(optionsOf(replaced)).toEqual(['1 C', '2 B', '3 A']);
    expect(idsOf(replaced)).toEqual(idsOf(before).reverse());
  });

  it('200 with an empty list removes all options; a Proposition is left with Pour and Contre', async () => {
    const { json } = await sent('POST', '', choice('T', 'A', 'B'));
    const none = await sent('PUT', `/${json.Id}`, { Titre: 'T', Type: 'ChoixLibre', Options: [] });
    expect(optionsOf(none)).toEqual([]);
    const both = await sent('PUT', `/${json.Id}`, { Titre: 'T', Type: 'Proposition', Options: [] });
    expect(optionsOf(both)).toEqual(['1 Pour', '2 Contre']);
  });

  it('200 gives Pour and Contre to a question that becomes a Proposition and has no options', async () => {
    const { json } = await sent('POST', '', choice('T'));
    expect(optionsOf(await sent('PUT', `/${json.Id}`, { Titre: 'T', Type: 'Proposition' }))).toEqual([
      '1 Pour',
      '2 Contre',
    ]);
  });

  it('200 keeps the options of a question that becomes a Proposition', async () => {
    const { json } = await sent('POST', '', choice('T', 'Oui', 'Non'));
    const replaced = await sent('PUT', `/${json.Id}`, { Titre: 'T', Type: 'Proposition' });
    expect(optionsOf(replaced)).toEqual(['1 Oui', '2 Non']);
  });

  it.each([
    [1, 'C A B D'],
    [2, 'A C B D'],
    [3, 'A B C D'],
    [4, 'A B D C'],
    [200, 'A B D C'],
    [null, 'A B C D'],
  ])('200 moves a question to place %s', async (Ordre, expected) => {
    const [, , question] = await made('A', 'B', 'C', 'D');
    const body = { ...choice('C'), Options: null, Ordre };
    const { json } = await sent('PUT', `/${question}`, body);
    const order = expected.split(' ');
    expect(json.Ordre).toBe(order.indexOf('C') + 1);
    expect(await stored()).toEqual(order.map((titre, index) => `${index + 1} ${titre} 1A 2B`));
  });

  it.each([
    [1, 'A B C'],
    [2, 'B A C'],
    [3, 'B C A'],
  ])('200 moves a question that the path names in capitals to place %s', async (Ordre, expected) => {
    const [question] = await made('A', 'B', 'C');
    const answer = await send('PUT', `/${question!.toUpperCase()}`, { ...choice('A', 'A', 'B'), Ordre });
    expect([answer.status, answer.json.Id, answer.json.Ordre]).toEqual([200, question, Ordre]);
    const order = expected.split(' ');
    expect(await stored()).toEqual(order.map((titre, index) => `${index + 1} ${titre} 1A 2B`));
  });

  it('400 for options with an Id that is unknown, of another question, of another tenant, or twice: nothing changes', async () => {
    const before = await sent('POST', '', choice('T', 'A', 'B'));
    const [a] = idsOf(before);
    const other = new Campaigns(app, await app.tenant());
    const theirs = await other.question(await other.draft());
    const [{ id: foreign }] = (await other.rows<{ id: string }>(
      'SELECT id_unique AS id FROM option WHERE tenant_id = $1 AND question_id = $2',
      theirs,
    )) as [{ id: string }];
    const [elsewhere] = idsOf(await sent('POST', '', choice('Other', 'X')));
    for (const ids of [[randomUUID()], [elsewhere], [foreign], [a, a], [a, a!.toUpperCase()]]) {
      const Options = ids.map((Id) => ({ Id, Libelle: 'changed' }));
      const answer = await send('PUT', `/${before.json.Id}`, { ...choice('changed'), Options });
      expectFaults(answer, { '/Options': 'reference' });
    }
    expect((await send('GET', `/${before.json.Id}`)).json).toEqual(before.json);
    expect(await stored()).toEqual(['1 T 1A 2B', '2 Other 1X']);
    const rows = await other.rows(`SELECT FROM option WHERE tenant_id = $1 AND libelle = 'changed'`);
    expect(rows).toEqual([]);
  });

  it('400 for a body that could not be made either, and nothing changes', async () => {
    const [question] = await made('T');
    const faulty: [object, Record<string, string>][] = [
      [{}, { '/Titre': 'required', '/Type': 'required' }],
      [{ ...choice('U'), NombreElus: 1 }, { '/NombreElus': 'range' }],
      [{ ...choice('U'), MinReponses: 3, MaxReponses: 2 }, { '/MaxReponses': 'range' }],
      [
        { ...choice('U'), Ordre: 0, Poids: 1 },
        { '/Ordre': 'range', '/Poids': 'unknown' },
      ],
      [choice('U', ...times(501, () => 'A')), { '/Options': 'length' }],
      [choice('U', 'A', ' '), { '/Options/1/Libelle': 'required' }],
    ];
    for (const [body, faults] of faulty) expectFaults(await send('PUT', `/${question}`, body), faults);
    expect(await stored()).toEqual(['1 T 1A 2B']);
  });

  it('412 Precondition.Echouee for a stale If-Match; the ETag passes', async () => {
    const [question] = await made('T');
    const stale = (await send('GET', `/${question}`)).headers.get('etag')!;
    await sent('POST', `/${question}/options`, { Libelle: 'C' });
    const put = (ifMatch: string) => send('PUT', `/${question}`, choice('U', 'A'), { 'If-Match': ifMatch });
    expectProblem(await put(stale), 412, 'Precondition.Echouee');
    expect(await stored()).toEqual(['1 T 1A 2B 3C']);
    const fresh = (await send('GET', `/${question}`)).headers.get('etag')!;
    expect((await put(fresh)).status).toBe(200);
    expect(await stored()).toEqual(['1 U 1A']);
  });
});

describe('DELETE /b2b/v1/campagnes/:id/questions/:questionId', () => {
  it('204 with its options; those behind it move up, and the campaign has one less', async () => {
    const [, b, , d] = await made('A', 'B', 'C', 'D');
    const old = await age();
    const answer = await send('DELETE', `/${b}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await stored()).toEqual(['1 A 1A 2B', '2 C 1A 2B', '3 D 1A 2B']);
    expect((await campaigns.item(id)).nombreQuestions).toBe(3);
    expect((await modified()) > old).toBe(true);
    const left = await campaigns.rows('SELECT FROM option WHERE tenant_id = $1 AND question_id = $2', b);
    expect(left).toEqual([]);
    expect((await send('DELETE', `/${d!.toUpperCase()}`)).status).toBe(204);
    expect(await stored()).toEqual(['1 A 1A 2B', '2 C 1A 2B']);
    expectProblem(await send('DELETE', `/${b}`), 404, 'Question.NotFound');
  });

  it('412 Precondition.Echouee for a stale If-Match; the ETag passes', async () => {
    const [question] = await made('T');
    const remove = (ifMatch: string) => send('DELETE', `/${question}`, undefined, { 'If-Match': ifMatch });
    expectProblem(await remove('"stale"'), 412, 'Precondition.Echouee');
    expect(await stored()).toEqual(['1 T 1A 2B']);
    expect((await remove((await send('GET', `/${question}`)).headers.get('etag')!)).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});

describe('PUT /b2b/v1/campagnes/:id/questions/ordre', () => {
  it('200 with all questions in the new order, as they are listed', async () => {
    const [a, b, c] = (await made('A', 'B', 'C')) as [string, string, string];
    const old = await age();
    for (const [QuestionIds, expected] of [
      [[c, a, b], 'C A B'],
      [[b.toUpperCase(), ` ${c} `, a], 'B C A'],
      [[a, b, c], 'A B C'],
    ] as const) {
      const answer = await send('PUT', '/ordre', { QuestionIds });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe((await send('GET')).text);
      expect(await stored()).toEqual(
        expected.split(' ').map((titre, index) => `${index + 1} ${titre} 1A 2B`),
      );
    }
    expect((await modified()) > old).toBe(true);
  });

  it('200 with the first letter small, and without any question', async () => {
    expect((await sent('PUT', '/ordre', { questionIds: [] })).json).toEqual([]);
    const [a, b] = await made('A', 'B');
    await sent('PUT', '/ordre', { questionIds: [b, a] });
    expect(await stored()).toEqual(['1 B 1A 2B', '2 A 1A 2B']);
  });

  it('200 with all of them, however large they are together', async () => {
    const Description = 'x'.repeat(10_000);
    const Options = times(95, (n) => ({ Libelle: `O${n}`, Description }));
    const ids: string[] = [];
    for (const Titre of times(19, (n) => `Q${n}`)) {
      ids.push((await sent('POST', '', { Titre, Type: 'ChoixLibre', Options })).json.Id);
    }
    const { json } = await sent('PUT', '/ordre', { QuestionIds: ids.reverse() });
    expect(json.map(({ Id }: Item) => Id)).toEqual(ids);
  });

  it('400 unless it names each question exactly once: the order stays', async () => {
    const [a, b] = (await made('A', 'B')) as [string, string];
    const elsewhere = await campaigns.question(await campaigns.draft());
    const option = (await send('GET', `/${a}`)).json.Options[0].Id as string;
    for (const ids of [[a], [], [a, randomUUID()], [b, a, elsewhere], [b, elsewhere], [b, option]]) {
      expectFaults(await send('PUT', '/ordre', { QuestionIds: ids }), { '/QuestionIds': 'reference' });
    }
    for (const again of [a, a.toUpperCase()]) {
      expectFaults(await send('PUT', '/ordre', { QuestionIds: [b, a, again] }), {
        '/QuestionIds': 'duplicate',
      });
    }
    expectFaults(await send('PUT', '/ordre', {}), { '/QuestionIds': 'required' });
    expectFaults(await send('PUT', '/ordre', { QuestionIds: b }), { '/QuestionIds': 'type' });
    expectFaults(await send('PUT', '/ordre', { QuestionIds: [b, 'x'] }), { '/QuestionIds/1': 'uuid' });
    expectFaults(await send('PUT', '/ordre', { QuestionIds: [b, a], Ordre: 1 }), { '/Ordre': 'unknown' });
    const many = await send('PUT', '/ordre', { QuestionIds: times(201, () => randomUUID()) });
    expectFaults(many, { '/QuestionIds': 'length' });
    expect(await stored()).toEqual(['1 A 1A 2B', '2 B 1A 2B']);
  });
});

describe('the structure of a campaign that is not in Brouillon', () => {
  /** Every write of the structure, in an order in which each can be done. */
  async function writes(
    campagne: string,
  ): Promise<[status: number, method: string, rest: string, body?: unknown][]> {
    const [question] = (await campaigns.sent('GET', `/${campagne}/questions`)).json;
    const one = `/${question.Id}`;
    const OptionIds = question.Options.map(({ Id }: Item) => Id).reverse();
    return [
      [200, 'PUT', '/ordre', { QuestionIds: [question.Id] }],
      [200, 'PUT', `${one}/options/ordre`, { OptionIds }],
      [200, 'PUT', `${one}/options/${OptionIds[0]}`, { Libelle: 'T' }],
      [204, 'DELETE', `${one}/options/${OptionIds[0]}`],
      [201, 'POST', `${one}/options`, { Libelle: 'T' }],
      [200, 'PUT', one, choice('T', 'A')],
      [201, 'POST', '', choice('U', 'A')],
      [204, 'DELETE', one],
    ];
  }
  const write = (campagne: string, method: string, rest: string, body?: unknown) =>
    campaigns.send(method, `/${campagne}/questions${rest}`, body);

  it.each(LOCKED)('is locked in %s: every write is 409 Campagne.StructureVerrouillee', async (etat, make) => {
    const campagne = await make();
    expect(await campaigns.etat(campagne)).toBe(etat);
    const all = () =>
      Promise.all([
        campaigns.item(campagne),
        stored(campagne),
        campaigns.events(campagne),
        journal(campagne),
      ]);
    const before = await all();
    expect(before[1]).toEqual(['1 Pour ou contre ? 1Pour 2Contre']);
    for (const [, ...request] of await writes(campagne)) {
      expectProblem(await write(campagne, ...request), 409, 'Campagne.StructureVerrouillee');
    }
    expect(await all()).toEqual(before);
  });

  it('is locked once the clock alone has opened or closed the vote', async () => {
    const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    const window = { ouvertureDuVoteUtc: inHours(1), fermetureDuVoteUtc: inHours(3) };
    const campagne = await campaigns.scheduled(window);
    for (const etat of ['VoteOuvert', 'Termine']) {
      await campaigns.pass(campagne, '2 hours');
      expect(await campaigns.etat(campagne)).toBe(etat);
      const answer = await write(campagne, 'POST', '', choice('T', 'A'));
      expectProblem(answer, 409, 'Campagne.StructureVerrouillee');
    }
  });

  it('is locked in a draft that was archived', async () => {
    await made('T');
    await campaigns.sent('POST', `/${id}/archiver`);
    expectProblem(await send('POST', '', choice('U')), 409, 'Campagne.StructureVerrouillee');
    expect(await stored()).toEqual(['1 T 1A 2B']);
  });

  it.each(LOCKED.slice(0, 2))('is open again once it is unpublished from %s', async (_etat, make) => {
    const campagne = await make();
    await campaigns.sent('POST', `/${campagne}/depublier`);
    const entries = (await journal(campagne)).length;
    for (const [status, ...request] of await writes(campagne)) {
      const answer = await write(campagne, ...request);
      expect([...request.slice(0, 2), answer.status]).toEqual([...request.slice(0, 2), status]);
    }
    expect(await stored(campagne)).toEqual(['1 U 1A']);
    // Each of the eight is in the audit trail, with who did it.
    const made = (await journal(campagne)).slice(entries);
    expect(made).toEqual(times(8, () => ({ cle: campaigns.tenant.cleId })));
  });
});
