import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { CAMPAGNES, ETATS } from './support/campaigns';
import { campaigns, newSpace, spaceOfEachTest, unchanged } from './support/scene';
import { ageLastChange, lastChange } from './support/structure';

const ELECTION = {
  ...{ Titre: 'Qui voulez-vous à la présidence ?', Description: 'Mandat de deux ans.', Type: 'Election' },
  ...{ EstPreferentiel: true, OrdreReponsesAleatoire: 2, MinReponses: 1, MaxReponses: 2, NombreElus: 1 },
};
const PLAIN = {
  ...{ Type: 'Proposition', EstPreferentiel: undefined, MinReponses: undefined, MaxReponses: undefined },
  NombreElus: undefined,
};

interface Item {
  Id: string;
  Libelle: string;
  Ordre: number;
}

let id: string;

spaceOfEachTest();
beforeEach(async () => {
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

/** Adds questions with these titles, each with two options. @returns their ids */
async function made(...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const Titre of titles) ids.push((await sent('POST', '', choice(Titre, 'A', 'B'))).json.Id);
  return ids;
}

/** The rows: titles of the questions and labels of their options, with their places. */
async function stored(campagne = id): Promise<string[]> {
  const rows = await campaigns.rows<{ question: string }>(
    `SELECT concat_ws(' ', q.ordre, q.titre, (SELECT string_agg(o.ordre || o.libelle, ' ' ORDER BY o.ordre)
       FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique)) AS question
     FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 ORDER BY q.ordre`,
    campagne,
  );
  return rows.map(({ question }) => question);
}
/** Entries of the audit trail about a campaign, with their keys. */
const journal = (campagne: string) =>
  campaigns.rows('SELECT cle_id AS cle FROM journal WHERE tenant_id = $1 AND objet_id = $2', campagne);
const modified = () => lastChange(campaigns, id);
const age = () => ageLastChange(campaigns, id);

describe('POST /b2b/v1/campagnes/:id/questions', () => {
  it('201 with the question, Location and ETag, and reads back the same', async () => {
    const Options = [{ Libelle: 'Ariane', Description: 'Trésorière' }, { Libelle: 'Omar' }];
    const created = await send('POST', '', { ...ELECTION, Options });
    expect(created.status).toBe(201);
    const { Id, Options: options } = created.json as { Id: string; Options: Item[] };
    for (const given of [Id, ...options.map((option) => option.Id)]) expect(given).toMatch(GUID);
    const { Titre, Description, Type, ...rest } = ELECTION;
    const [one, two] = [
      { Id: options[0]!.Id, Libelle: 'Ariane', Description: 'Trésorière', Ordre: 1 },
      { Id: options[1]!.Id, Libelle: 'Omar', Description: null, Ordre: 2 },
    ];
    const item = { Id, Titre, Description, Type, Ordre: 1, ...rest, Options: [one, two] };
    expect(created.text).toBe(JSON.stringify(item));
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
    ['Election', { EstPreferentiel: true, NombreElus: 2 }, { MaxReponses: null, NombreElus: 2 }],
    ['ChoixLibre', { MinReponses: 2, MaxReponses: 500 }, { MinReponses: 2, MaxReponses: 500 }],
  ])('201 fills in the defaults of a %s with %j', async (Type, sent, expected) => {
    const { json, status } = await send('POST', '', { Titre: 'T', Type, ...sent });
    expect(status).toBe(201);
    const always = { Titre: 'T', Description: null, Type, OrdreReponsesAleatoire: 0 };
    expect(json).toMatchObject({ ...always, ...expected });
  });

  it('201 gives a Proposition without options Pour and Contre; other types get none', async () => {
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
    for (const [ordres, expected] of [
      ['3 1 2', '1 B, 2 C, 3 A'],
      ['500 7 40', '1 B, 2 C, 3 A'],
      ['1 1 1', '1 A, 2 B, 3 C'],
    ] as const) {
      const Options = ordres.split(' ').map((Ordre, n) => ({ Libelle: 'ABC'[n], Ordre: Number(Ordre) }));
      const made = await sent('POST', '', { Titre: 'T', Type: 'ChoixLibre', Options });
      expect(optionsOf(made).join(', ')).toBe(expected);
    }
  });

  it('201 changes the campaign and its number of questions', async () => {
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

  it.each<[what: string, change: object, faults: string]>([
    ['a place before the first', { Ordre: 0 }, '/Ordre range'],
    ['a place after the last', { Ordre: 201 }, '/Ordre range'],
    ['a minimum above the maximum', { MinReponses: 3 }, '/MaxReponses range'],
    ['seats without an election', { ...PLAIN, Type: 'ChoixLibre', NombreElus: 2 }, '/NombreElus range'],
    ['a Proposition with two answers', { ...PLAIN, MaxReponses: 2 }, '/MaxReponses range'],
    ['a Proposition with at least two answers', { ...PLAIN, MinReponses: 2 }, '/MinReponses range'],
    [
      'unknown properties',
      { Poids: 1, Options: [{ Libelle: 'A', Votes: 1 }] },
      '/Poids unknown, /Options/0/Votes unknown',
    ],
    ['options that are no records', { Options: ['A', null] }, '/Options/0 type, /Options/1 type'],
    [
      'options with faults',
      { Options: [{ Libelle: 'A' }, {}, { Libelle: 'x'.repeat(501), Ordre: 501, Id: 'x' }] },
      '/Options/1/Libelle required, /Options/2/Libelle length, /Options/2/Ordre range, /Options/2/Id uuid',
    ],
    ['501 options', { Options: times(501, () => ({ Libelle: 'A' })) }, '/Options length'],
  ])('400 for %s, on POST and PUT; nothing is written', async (_what, change, faults) => {
    const [question] = await made('T');
    const body = { ...ELECTION, ...change };
    expectFaults(await send('POST', '', body), faults);
    expectFaults(await send('PUT', `/${question}`, body), faults);
    expect(await stored()).toEqual(['1 T 1A 2B']);
  });

  it('400 Question.PreferentielNonSupporte for a ranked Proposition, and nothing is made', async () => {
    const ranked = { Titre: 'T', Type: 'Proposition', EstPreferentiel: true };
    expectProblem(await send('POST', '', ranked), 400, 'Question.PreferentielNonSupporte');
    const [question] = await made('A');
    expectProblem(await send('PUT', `/${question}`, ranked), 400, 'Question.PreferentielNonSupporte');
    expect(await stored()).toEqual(['1 A 1A 2B']);
  });

  it('201 keeps the order of 500 options', async () => {
    const labels = times(500, (n) => `O${(n * 7919) % 500}`);
    const created = await sent('POST', '', choice('T', ...labels));
    expect(optionsOf(created)).toEqual(labels.map((label, index) => `${index + 1} ${label}`));
    expect((await send('GET')).json).toEqual([created.json]);
  });
});

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

  it('200 replaces the options: keeps those with an Id, adds those without, deletes the others', async () => {
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

  it.each<[what: string, labels: string[], change: object, expected: string[]]>([
    ['ChoixLibre without options if Options is empty', ['A', 'B'], { Type: 'ChoixLibre', Options: [] }, []],
    [
      'Proposition with the default options if Options is empty',
      ['A'],
      { Options: [] },
      ['1 Pour', '2 Contre'],
    ],
    ['Proposition with the default options if it had none', [], {}, ['1 Pour', '2 Contre']],
    ['Proposition with its options if Options is absent', ['Oui', 'Non'], {}, ['1 Oui', '2 Non']],
  ])('200 leaves a %s', async (_what, labels, change, expected) => {
    const { json } = await sent('POST', '', choice('T', ...labels));
    const replaced = await sent('PUT', `/${json.Id}`, { Titre: 'T', Type: 'Proposition', ...change });
    expect(optionsOf(replaced)).toEqual(expected);
  });

  it('400 for options with an Id that is unknown, of another question, of another tenant, or twice; nothing changes', async () => {
    const before = await sent('POST', '', choice('T', 'A', 'B'));
    const [a] = idsOf(before);
    const other = await newSpace();
    await other.question(await other.draft());
    const theirs = 'SELECT id_unique AS id FROM option WHERE tenant_id = $1';
    const foreign = (await other.rows<{ id: string }>(theirs))[0]!.id;
    const [elsewhere] = idsOf(await sent('POST', '', choice('Other', 'X')));
    for (const ids of [[randomUUID()], [elsewhere], [foreign], [a, a], [a, a!.toUpperCase()]]) {
      const Options = ids.map((Id) => ({ Id, Libelle: 'changed' }));
      const answer = await send('PUT', `/${before.json.Id}`, { ...choice('changed'), Options });
      expectFaults(answer, '/Options reference');
    }
    expect((await send('GET', `/${before.json.Id}`)).json).toEqual(before.json);
    expect(await stored()).toEqual(['1 T 1A 2B', '2 Other 1X']);
    const rows = await other.rows(`SELECT FROM option WHERE tenant_id = $1 AND libelle = 'changed'`);
    expect(rows).toEqual([]);
  });
});

describe('PUT and DELETE below /b2b/v1/campagnes/:id/questions', () => {
  it('the deletion of a question deletes its options', async () => {
    const [, question] = await made('A', 'B');
    await sent('DELETE', `/${question}`);
    expect(await campaigns.rows('SELECT FROM option WHERE tenant_id = $1')).toHaveLength(2);
  });

  it('a new option changes the ETag of its question', async () => {
    const [question] = await made('A');
    const etag = (await send('GET', `/${question}`)).headers.get('etag')!;
    await sent('POST', `/${question}/options`, { Libelle: 'C' });
    const changed = await send('GET', `/${question}`, undefined, { 'If-None-Match': etag });
    expect([changed.status, optionsOf(changed)]).toEqual([200, ['1 A', '2 B', '3 C']]);
  });

  it('PUT /ordre 200 returns 18 MB of questions they are together', async () => {
    const Description = 'x'.repeat(10_000);
    const Options = times(95, (n) => ({ Libelle: `O${n}`, Description }));
    const ids: string[] = [];
    for (const Titre of times(19, (n) => `Q${n}`)) {
      ids.push((await sent('POST', '', { Titre, Type: 'ChoixLibre', Options })).json.Id);
    }
    const { json } = await sent('PUT', '/ordre', { QuestionIds: ids.reverse() });
    expect(json.map(({ Id }: Item) => Id)).toEqual(ids);
  });
});

describe('the structure of a campaign that is not in Brouillon', () => {
  /** Every write of the structure, in an order in which each succeeds. */
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

  it.each(ETATS.slice(1))(
    'is locked in %s: every write is 409 Campagne.StructureVerrouillee',
    async (etat) => {
      const campagne = await campaigns.in(etat);
      expect(await stored(campagne)).toEqual(['1 Pour ou contre ? 1Pour 2Contre']);
      const requests = await writes(campagne);
      await unchanged(async () => {
        for (const [, ...request] of requests)
          expectProblem(await write(campagne, ...request), 409, 'Campagne.StructureVerrouillee');
      });
    },
  );

  it('is locked when the clock alone has opened or closed the vote', async () => {
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

  it.each(ETATS.slice(1, 3))('is open again once it is unpublished from %s', async (etat) => {
    const campagne = await campaigns.in(etat);
    await campaigns.sent('POST', `/${campagne}/depublier`);
    const entries = (await journal(campagne)).length;
    for (const [status, ...request] of await writes(campagne)) {
      const answer = await write(campagne, ...request);
      expect([...request.slice(0, 2), answer.status]).toEqual([...request.slice(0, 2), status]);
    }
    expect(await stored(campagne)).toEqual(['1 U 1A']);
    const made = (await journal(campagne)).slice(entries);
    expect(made).toEqual(times(8, () => ({ cle: campaigns.tenant.cleId })));
  });
});
