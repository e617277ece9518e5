import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, times, walk } from '../membership/synced';
import { CAMPAGNES, Campaigns } from './support/campaigns';
import { app, campaigns, spaceOfEachTest } from './support/scene';
import { ageLastChange, lastChange } from './support/structure';

/** Lists whose items have the places 1 to n. */
const LISTS = [
  { what: 'Question', path: 'questions', name: 'Titre', most: 200, rows: 'titre question campagne_id' },
  {
    ...({ what: 'Option', path: 'questions/:questionId/options', name: 'Libelle' } as const),
    ...{ most: 500, rows: 'libelle option question_id' },
  },
] as const;

interface Item {
  Id: string;
  Ordre: number;
  Titre?: string;
  Libelle?: string;
}

spaceOfEachTest();

describe.each(LISTS)('/b2b/v1/campagnes/:id/$path', ({ what, path, name, most, rows }) => {
  const ids = `${what}Ids`;
  const isQuestion = what === 'Question';
  const [column, table, parent] = rows.split(' ');
  let id: string;
  /** The campaign of the questions, or the question of the options. */
  let owner: string;
  let below: string;

  beforeEach(async () => {
    id = await campaigns.draft();
    owner = isQuestion ? id : await campaigns.question(id, { Type: 'ChoixLibre' });
    below = path.replace(':questionId', owner);
  });

  const send = (method: string, rest = '', body?: unknown, headers?: Record<string, string>) =>
    campaigns.send(method, `/${id}/${below}${rest}`, body, headers);
  const sent = (method: string, rest = '', body?: unknown) =>
    campaigns.sent(method, `/${id}/${below}${rest}`, body);
  const named = (text: string, Ordre?: number | null) => ({
    ...{ [name]: text, ...(isQuestion ? { Type: 'ChoixLibre' } : {}) },
    ...(Ordre === undefined ? {} : { Ordre }),
  });
  const tagOf = async (item: string): Promise<string> => (await send('GET', `/${item}`)).headers.get('etag')!;
  const inOrder = (names: string): string[] => names.split(' ').map((one, index) => `${index + 1} ${one}`);

  /** Adds items with these names. @returns their ids */
  async function made(...names: string[]): Promise<string[]> {
    const items: string[] = [];
    for (const one of names) items.push((await sent('POST', '', named(one))).json.Id);
    return items;
  }

  /** Places and names of the rows. */
  async function stored(): Promise<string[]> {
    const found = await campaigns.rows<{ item: string }>(
      `SELECT ordre || ' ' || ${column} AS item FROM ${table} WHERE tenant_id = $1 AND ${parent} = $2 ORDER BY ordre`,
      owner,
    );
    return found.map(({ item }) => item);
  }

  /** Ids that the list does not have: an item of a similar list, and one of the other kind. */
  async function strangers(): Promise<[string, string]> {
    const of = isQuestion ? await campaigns.draft() : id;
    const question = await campaigns.question(of);
    const option = (await campaigns.sent('GET', `/${of}/questions/${question}`)).json.Options[0].Id as string;
    return isQuestion ? [question, option] : [option, question];
  }

  it('GET 200 returns the items in their order, whole or in pages', async () => {
    expect((await send('GET')).json).toEqual([]);
    const items = await made(...times(7, (n) => `N${n + 1}`));
    await sent('PUT', '/ordre', { [ids]: items.toReversed() });
    const whole = (await send('GET')).json as Item[];
    expect(whole.map((item) => `${item.Ordre} ${item[name]}`)).toEqual(inOrder('N7 N6 N5 N4 N3 N2 N1'));
    for (const [limite, sizes] of [
      [3, [3, 3, 1]],
      [7, [7]],
      [1, times(7, () => 1)],
    ] as const) {
      const pages = await walk(app, campaigns.tenant, `${CAMPAGNES}/${id}/${below}?limite=${limite}`);
      expect(pages.flat()).toEqual(whole);
      expect(pages.map(({ length }) => length)).toEqual(sizes);
    }
    expectFaults(await send('GET', '?type=Election'), '?type unknown');
    for (const limite of [0, 1001]) expectFaults(await send('GET', `?limite=${limite}`), '?limite range');
    expectFaults(await send('GET', '?curseur=x'), '?curseur cursor');
  });

  it('GET 304 with the ETag of an item until its place changes', async () => {
    const [item] = (await made('A')) as [string];
    const etag = await tagOf(item);
    for (const value of [etag, `W/${etag}`, '*']) {
      const answer = await send('GET', `/${item}`, undefined, { 'If-None-Match': value });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
    await sent('POST', '', named('B', 1));
    const changed = await send('GET', `/${item}`, undefined, { 'If-None-Match': etag });
    expect([changed.status, changed.json.Ordre]).toEqual([200, 2]);
  });

  it('POST 201 inserts at Ordre; without Ordre, or beyond the end, it appends', async () => {
    await made('A', 'B', 'C');
    for (const [text, Ordre, ordre] of [
      ['first', 1, 1],
      ['third', 3, 3],
      ['far', most, 6],
      ['last', null, 7],
    ] as const) {
      expect((await sent('POST', '', named(text, Ordre))).json.Ordre).toBe(ordre);
    }
    expect(await stored()).toEqual(inOrder('first A third B C far last'));
  });

  it(`POST 409 Campagne.StructureTropGrande if the list has ${most} items`, async () => {
    const labels = times(most - 1, (n) => `N${n}`);
    if (isQuestion) await made(...labels);
    else {
      const Options = labels.map((Libelle) => ({ Libelle }));
      await campaigns.sent('PUT', `/${id}/questions/${owner}`, { Titre: 'Q', Type: 'ChoixLibre', Options });
    }
    expect((await sent('POST', '', named('first', 1))).json.Ordre).toBe(1);
    for (const Ordre of [null, 1])
      expectProblem(await send('POST', '', named('T', Ordre)), 409, 'Campagne.StructureTropGrande');
    expect((await stored()).map((item) => item.split(' ')[0])).toEqual(times(most, (n) => `${n + 1}`));
    const reversed = ((await send('GET')).json as Item[]).map(({ Id }) => Id).reverse();
    const ordered = await sent('PUT', '/ordre', { [ids]: reversed });
    expect((ordered.json as Item[]).map(({ Id }) => Id)).toEqual(reversed);
    await sent('DELETE', `/${reversed[0]}`);
    expect((await send('POST', '', named('T'))).status).toBe(201);
    expect((await campaigns.item(id)).nombreQuestions).toBe(isQuestion ? most : 1);
  });

  it.each([
    [1, 'B A C D'],
    [2, 'A B C D'],
    [3, 'A C B D'],
    [4, 'A C D B'],
    [most, 'A C D B'],
    [null, 'A B C D'],
  ])('PUT 200 moves an item to place %s, with its id in either case', async (Ordre, expected) => {
    const [, item] = await made('A', 'B', 'C', 'D');
    for (const written of [item!, item!.toUpperCase()]) {
      const { json } = await sent('PUT', `/${written}`, named('B', Ordre));
      expect([json.Id, json.Ordre]).toEqual([item, expected.split(' ').indexOf('B') + 1]);
      expect(await stored()).toEqual(inOrder(expected));
      await sent('PUT', `/${item}`, named('B', 2));
    }
  });

  it('PUT and DELETE 412 Precondition.Echouee for a stale If-Match; the ETag passes', async () => {
    const [item] = (await made('A')) as [string];
    const stale = await tagOf(item);
    await sent('PUT', `/${item}`, named('B'));
    const put = (etag: string) => send('PUT', `/${item}`, named('C'), { 'If-Match': etag });
    const remove = (etag: string) => send('DELETE', `/${item}`, undefined, { 'If-Match': etag });
    for (const write of [put, remove]) expectProblem(await write(stale), 412, 'Precondition.Echouee');
    expect(await stored()).toEqual(['1 B']);
    expect((await put(await tagOf(item))).status).toBe(200);
    expect(await stored()).toEqual(['1 C']);
    expect((await remove(await tagOf(item))).status).toBe(204);
    expect(await stored()).toEqual([]);
  });

  it('DELETE 204 moves the items behind it up, and changes the campaign', async () => {
    const [, b, , d] = await made('A', 'B', 'C', 'D');
    const old = await ageLastChange(campaigns, id);
    const answer = await send('DELETE', `/${b}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await stored()).toEqual(inOrder('A C D'));
    expect((await campaigns.item(id)).nombreQuestions).toBe(isQuestion ? 3 : 1);
    expect((await lastChange(campaigns, id)) > old).toBe(true);
    expect((await send('DELETE', `/${d!.toUpperCase()}`)).status).toBe(204);
    expect(await stored()).toEqual(inOrder('A C'));
    expectProblem(await send('DELETE', `/${b}`), 404, `${what}.NotFound`);
  });

  it('PUT /ordre 200 returns the list in the new order, and changes the campaign', async () => {
    expect((await sent('PUT', '/ordre', { [ids]: [] })).json).toEqual([]);
    const [a, b, c] = (await made('A', 'B', 'C')) as [string, string, string];
    const old = await ageLastChange(campaigns, id);
    for (const [property, order, expected] of [
      [ids, [c, a, b], 'C A B'],
      [ids, [b.toUpperCase(), ` ${c} `, a], 'B C A'],
      [ids[0]!.toLowerCase() + ids.slice(1), [a, b, c], 'A B C'],
    ] as const) {
      const answer = await send('PUT', '/ordre', { [property]: order });
      expect([answer.status, answer.text]).toEqual([200, (await send('GET')).text]);
      expect(await stored()).toEqual(inOrder(expected));
    }
    expect((await lastChange(campaigns, id)) > old).toBe(true);
  });

  it('PUT /ordre 400 unless it names each item once; the order stays', async () => {
    const [a, b] = (await made('A', 'B')) as [string, string];
    const [similar, other] = await strangers();
    const before = await stored();
    for (const order of [[a], [], [a, randomUUID()], [b, a, similar], [b, similar], [b, other]])
      expectFaults(await send('PUT', '/ordre', { [ids]: order }), `/${ids} reference`);
    for (const again of [a, a.toUpperCase()])
      expectFaults(await send('PUT', '/ordre', { [ids]: [b, a, again] }), `/${ids} duplicate`);
    expectFaults(await send('PUT', '/ordre', {}), `/${ids} required`);
    expectFaults(await send('PUT', '/ordre', { [ids]: b }), `/${ids} type`);
    expectFaults(await send('PUT', '/ordre', { [ids]: [b, 'x'] }), `/${ids}/1 uuid`);
    expectFaults(await send('PUT', '/ordre', { [ids]: [b, a], Ordre: 1 }), '/Ordre unknown');
    const many = times(most + 1, () => randomUUID());
    expectFaults(await send('PUT', '/ordre', { [ids]: many }), `/${ids} length`);
    expect(await stored()).toEqual(before);
  });

  it(`404 ${what}.NotFound for an id that is unknown, no GUID, of another list, or deleted`, async () => {
    const [gone, kept] = (await made('gone', 'kept')) as [string, string];
    await sent('DELETE', `/${gone}`);
    const others = await strangers();
    const before = await stored();
    for (const item of [randomUUID(), 'x', '0', gone, `${kept}0`, ...others]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await send(method, `/${item}`, method === 'PUT' ? named('T') : undefined);
        expectProblem(answer, 404, `${what}.NotFound`);
      }
    }
    expect(await stored()).toEqual(before);
  });

  it('404 Campagne.NotFound for a campaign that is unknown, deleted or of another tenant, all alike', async () => {
    const [item] = (await made('A')) as [string];
    const other = new Campaigns(app, await app.tenant());
    const [own, deleted] = [await other.draft(), await other.draft()];
    await other.sent('DELETE', `/${deleted}`);
    const requests: [method: string, rest: string, body?: unknown][] = [
      ['GET', ''],
      ['GET', '?limite=1'],
      ['GET', `/${item}`],
      ['POST', '', named('T')],
      ['PUT', '/ordre', { [ids]: [item] }],
      ['PUT', `/${item}`, named('T')],
      ['DELETE', `/${item}`],
    ];
    for (const [method, rest, body] of requests) {
      const foreign = await other.send(method, `/${id}/${below}${rest}`, body);
      expectProblem(foreign, 404, 'Campagne.NotFound');
      for (const unknown of [randomUUID(), deleted]) {
        const answer = await other.send(method, `/${unknown}/${below}${rest}`, body);
        expect(comparable(answer)).toEqual(comparable(foreign));
      }
      expectProblem(await other.send(method, `/x/${below}${rest}`, body), 404, 'Campagne.NotFound');
      if (isQuestion && !rest.endsWith(item)) continue;
      const inOwn = await other.send(method, `/${own}/${below}${rest}`, body);
      expectProblem(inOwn, 404, 'Question.NotFound');
    }
    expect(await stored()).toEqual(['1 A']);
  });
});
