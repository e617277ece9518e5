import { randomUUID } from 'node:crypto';
import { expectProblem } from '../http/expect-problem';
import { GUID } from '../membership/synced';
import { CAMPAGNES } from './support/campaigns';
import { QuestionQuery } from '../../libs/voting/src/structure/persistence/question.query';
import { campaigns, expectRefused, spaceOfEachTest } from './support/scene';
import { ageLastChange, lastChange } from './support/structure';

interface Item {
  Id: string;
  Libelle: string;
  Ordre: number;
}

let id: string;
let question: string;

spaceOfEachTest();
beforeEach(async () => {
  id = await campaigns.draft();
  question = await campaigns.question(id, { Type: 'ChoixLibre' });
});

const path = (rest = ''): string => `/${id}/questions/${question}/options${rest}`;
const send = (method: string, rest = '', body?: unknown, headers?: Record<string, string>) =>
  campaigns.send(method, path(rest), body, headers);
const sent = (method: string, rest = '', body?: unknown) => campaigns.sent(method, path(rest), body);

/** Adds options with these labels. @returns their ids */
async function made(...labels: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const Libelle of labels) ids.push((await sent('POST', '', { Libelle })).json.Id);
  return ids;
}

/** Labels of the rows, with their places and descriptions. */
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

  it('201 for two equal labels of 500 emoji, and changes the campaign', async () => {
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
});

describe('the options of a question', () => {
  it('can all be deleted; the campaign then cannot be published', async () => {
    question = await campaigns.question(id, { Type: 'Proposition' });
    for (const { Id } of (await send('GET')).json as Item[]) await sent('DELETE', `/${Id}`);
    expect((await send('GET')).json).toEqual([]);
    await campaigns.votant(id);
    const answer = await campaigns.send('POST', `/${id}/publier`);
    expectProblem(answer, 400, 'Question.OptionsInsuffisantes');
  });

  it('are returned by PUT /ordre, however large they are together', async () => {
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

  it('are 404 Question.NotFound if the question is unknown, no GUID, deleted or of another campaign', async () => {
    const [option] = (await made('A')) as [string];
    const [own, elsewhere] = [id, await campaigns.draft()];
    const requests: [method: string, rest: string, body?: unknown][] = [
      ...[`/${option}`, '', '?limite=1'].map((rest): [string, string] => ['GET', rest]),
      ['PUT', `/${option}`, { Libelle: 'T' }],
      ['DELETE', `/${option}`],
      ['POST', '', { Libelle: 'T' }],
      ['PUT', '/ordre', { OptionIds: [option] }],
    ];
    const deleted = await campaigns.question(own);
    await campaigns.sent('DELETE', `/${own}/questions/${deleted}`);
    for (const [campagne, of] of [
      [own, randomUUID()],
      [own, 'x'],
      [own, deleted],
      [elsewhere, question],
    ]) {
      for (const [method, rest, body] of requests) {
        const answer = await campaigns.send(method, `/${campagne}/questions/${of}/options${rest}`, body);
        expectProblem(answer, 404, 'Question.NotFound');
      }
    }
    expect(await stored()).toEqual(['1 A']);
  });
});

describe('the texts of a question', () => {
  const MOST = 2 * 2 ** 20;
  const GIVEN = { Titre: 'Q', Type: 'ChoixLibre' };

  /** Gives the question options by statements, until its texts have so many bytes, of a title with one. */
  async function fill(bytes: number): Promise<void> {
    await campaigns.rows(
      `WITH few AS (SELECT n, least(9000, $3 - 1 - 9000 * (n - 1)) AS bytes FROM generate_series(1, ceil(($3 - 1) / 9000.0)::int) n)
       INSERT INTO option (tenant_id, question_id, ordre, libelle, description)
       SELECT $1, $2, n, 'O', repeat('x', bytes::int - 1) FROM few`,
      question,
      bytes,
    );
    await sent('PUT', `/../../${question}`, GIVEN);
  }

  const refused = (method: string, rest: string, body: object) =>
    expectRefused(() => send(method, rest, body), 400, 'Campagne.TropVolumineuse');

  it('have at most 2 MiB, to the byte, else 400 Campagne.TropVolumineuse and nothing is written', async () => {
    await fill(MOST - 3);
    const [{ Id }] = (await sent('GET', '?limite=1')).json;
    await refused('POST', '', { Libelle: 'é', Description: 'éé' });
    await refused('PUT', `/${Id}`, { Libelle: 'O', Description: 'x'.repeat(10_000), Ordre: 1 });
    await sent('POST', '', { Libelle: 'AB', Description: 'C' });
    await refused('POST', '', { Libelle: 'A' });
    await refused('PUT', `/../../${question}`, { ...GIVEN, Titre: 'QQ' });
    await sent('PUT', `/../../${question}`, { ...GIVEN, Titre: 'R' });
  });

  it('already larger than the limit: can be read and reduced, but cannot grow', async () => {
    await campaigns.rows(
      `INSERT INTO option (tenant_id, question_id, ordre, libelle, description)
       SELECT $1, $2, n, 'O' || n, repeat('🗳', 10000) FROM generate_series(1, 60) n`,
      question,
    );
    const { text, json } = await sent('GET', '/../../' + question);
    expect(text.length).toBeGreaterThan(1_000_000);
    const [first, second] = json.Options as [Item, Item];
    await sent('PUT', `/${first.Id}`, { Libelle: 'O1' });
    await sent('DELETE', `/${second.Id}`);
    await refused('PUT', `/${first.Id}`, { Libelle: 'O1', Description: 'more' });
    await sent('PUT', `/../../${question}`, { ...GIVEN, Options: json.Options.slice(2, 5) });
  });

  it('are not read for one option', async () => {
    const [option] = await made('A', 'B');
    const read = jest.spyOn(QuestionQuery.prototype, 'one');
    await sent('GET', `/${option}`);
    await sent('PUT', `/${option}`, { Libelle: 'C' });
    await sent('POST', '', { Libelle: 'D' });
    await sent('GET');
    await sent('DELETE', `/${option}`);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });
});
