import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import type { Campaigns } from './support/campaigns';
import { type Barrier, type Item, Replicas, structure, textOf, withoutLock } from './support/structure';

const ROUNDS = 20;

let replicas: Replicas;
let barrier: Barrier;
let both: readonly [Campaigns, Campaigns];
let id: string;

beforeAll(async () => {
  replicas = await Replicas.start();
  barrier = replicas.barrier;
});
afterAll(() => replicas.stop());
beforeEach(async () => {
  both = await replicas.space();
});
afterEach(() => jest.restoreAllMocks());

const choice = (Titre: string, ...labels: string[]) => ({
  ...{ Titre, Type: 'ChoixLibre' },
  Options: labels.map((Libelle) => ({ Libelle })),
});
/** Sends by one replica and the other in turn. */
const send = (index: number, method: string, rest: string, body?: unknown): Promise<Answer> =>
  both[index % 2 ? 1 : 0].send(method, `/${id}/questions${rest}`, body);
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const list = async (): Promise<Item[]> => (await both[0].sent('GET', `/${id}/questions`)).json;
const text = (): Promise<string> => structure(both[0], id);

/** Makes a campaign with questions of these titles, each with the options A, B and C. */
async function draft(...titles: string[]): Promise<Item[]> {
  id = await both[0].draft();
  for (const titre of titles) await both[0].question(id, choice(titre, 'A', 'B', 'C'));
  return list();
}

/** Whether the places of the questions, and of the options of each, are 1 to n: none empty, none taken twice. */
async function isWhole(): Promise<boolean> {
  const rows = await both[0].rows<{ places: number[] | null }>(
    `SELECT array_agg(ordre ORDER BY ordre) AS places FROM question WHERE tenant_id = $1 AND campagne_id = $2
     UNION ALL SELECT array_agg(o.ordre ORDER BY o.ordre) FROM option o JOIN question q USING (tenant_id)
       WHERE o.tenant_id = $1 AND q.campagne_id = $2 AND o.question_id = q.id_unique GROUP BY o.question_id`,
    id,
  );
  return rows.every(({ places }) => (places ?? []).every((place, index) => place === index + 1));
}

describe('writes of one structure at once, over two replicas', () => {
  it(`two orders, ${ROUNDS} times: both are done, and the later one stays, whole`, async () => {
    const questions = await draft('Q', 'R', 'S');
    for (let round = 0; round < ROUNDS; round++) {
      const ids = questions.map(({ Id }) => Id);
      const rotated = [...ids.slice(1), ids[0]!];
      const reversed = ids.toReversed();
      const orders = round % 2 ? [rotated, reversed] : [reversed, rotated];
      const answers = await barrier.together(
        id,
        orders.map((QuestionIds, index) => () => send(round + index, 'PUT', '/ordre', { QuestionIds })),
      );
      expect(statuses(answers)).toEqual([200, 200]);
      const answered = answers.map(({ json }) => (json as Item[]).map(({ Id }) => Id));
      expect(answered).toEqual(orders);
      expect((await list()).map(({ Id }) => Id)).toEqual(orders[1]);
      expect(await isWhole()).toBe(true);
    }
  });

  it(`two orders of options, ${ROUNDS} times: the same`, async () => {
    const [question] = (await draft('Q')) as [Item];
    const ids = question.Options.map((option) => option.Id);
    for (let round = 0; round < ROUNDS; round++) {
      const orders = [ids.toReversed(), [ids[1]!, ids[2]!, ids[0]!]];
      if (round % 2) orders.reverse();
      const answers = await barrier.together(
        id,
        orders.map((OptionIds, index) => () => {
          return send(round + index, 'PUT', `/${question.Id}/options/ordre`, { OptionIds });
        }),
      );
      expect(statuses(answers)).toEqual([200, 200]);
      expect((await list())[0]!.Options.map(({ Id }) => Id)).toEqual(orders[1]);
      expect(await isWhole()).toBe(true);
    }
  });

  it(`two questions added at one place, ${ROUNDS} times: both are there, the later one before the other`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await draft('Q');
      const answers = await barrier.together(
        id,
        ['R', 'S'].map(
          (titre, index) => () => send(round + index, 'POST', '', { ...choice(titre), Ordre: 1 }),
        ),
      );
      expect(statuses(answers)).toEqual([201, 201]);
      expect(answers.map(({ json }) => json.Ordre)).toEqual([1, 1]);
      expect(await text()).toBe('1S() 2R() 3Q(1A 2B 3C)');
      expect(await isWhole()).toBe(true);
    }
  });

  it(`two options added at one place, and two without a place, ${ROUNDS} times: all are there`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [question] = (await draft('Q')) as [Item];
      const bodies = [
        { Libelle: 'D' },
        { Libelle: 'X', Ordre: 2 },
        { Libelle: 'Y', Ordre: 2 },
        { Libelle: 'E' },
      ];
      const answers = await barrier.together(
        id,
        bodies.map((body, index) => () => send(round + index, 'POST', `/${question.Id}/options`, body)),
      );
      expect(statuses(answers)).toEqual([201, 201, 201, 201]);
      // PostgreSQL chooses the order in which the four waiting writes go on.
      expect(await text()).toMatch(/^1Q\(1A 2[XY] 3[XY] 4B 5C 6[DE] 7[DE]\)$/);
      expect(await isWhole()).toBe(true);
    }
  });

  it(`a question deleted while an option is added, ${ROUNDS} times: no option outlives it`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [question] = (await draft('Q', 'R')) as [Item];
      const rest = `/${question.Id}`;
      const remove = (): Promise<Answer> => send(round, 'DELETE', rest);
      const add = (): Promise<Answer> => send(round + 1, 'POST', `${rest}/options`, { Libelle: 'X' });
      const isLate = round % 4 < 2;
      const answers = await barrier.together(id, isLate ? [remove, add] : [add, remove]);
      expect(statuses(answers)).toEqual(isLate ? [204, 404] : [201, 204]);
      if (isLate) expectProblem(answers[1]!, 404, 'Question.NotFound');
      expect(await text()).toBe('1R(1A 2B 3C)');
      const left = await both[0].rows(
        'SELECT FROM option WHERE tenant_id = $1 AND question_id = $2',
        question.Id,
      );
      expect(left).toEqual([]);
    }
  });

  it(`an order while a question is added, ${ROUNDS} times: it names all of them, or is refused`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const questions = await draft('Q', 'R');
      const QuestionIds = questions.map(({ Id }) => Id).reverse();
      const order = (): Promise<Answer> => send(round, 'PUT', '/ordre', { QuestionIds });
      const add = (): Promise<Answer> => send(round + 1, 'POST', '', { ...choice('S'), Ordre: 1 });
      const answers = await barrier.together(id, round % 4 < 2 ? [order, add] : [add, order]);
      if (round % 4 < 2) {
        expect(statuses(answers)).toEqual([200, 201]);
        expect(await text()).toBe('1S() 2R(1A 2B 3C) 3Q(1A 2B 3C)');
      } else {
        expect(statuses(answers)).toEqual([201, 400]);
        expect(await text()).toBe('1S() 2Q(1A 2B 3C) 3R(1A 2B 3C)');
      }
    }
  });

  it('60 of all kinds, unordered: none fails, and no place is empty or taken twice', async () => {
    const questions = await draft('Q', 'R', 'S', 'T');
    const [q, r, s] = questions as [Item, Item, Item];
    const kinds: ((index: number) => Promise<Answer>)[] = [
      (index) => send(index, 'POST', '', { ...choice(`N${index}`, 'A', 'B'), Ordre: 1 + (index % 5) }),
      (index) => send(index, 'POST', `/${q.Id}/options`, { Libelle: `N${index}`, Ordre: 1 + (index % 5) }),
      (index) =>
        send(index, 'PUT', `/${q.Id}`, { Titre: `Q${index}`, Type: 'ChoixLibre', Ordre: 1 + (index % 4) }),
      (index) => send(index, 'PUT', `/${r.Id}`, choice('R', 'A', `N${index}`)),
      (index) =>
        send(index, 'DELETE', index < 30 ? `/${r.Id}/options/${r.Options[index % 3]!.Id}` : `/${s.Id}`),
      (index) => send(index, 'PUT', '/ordre', { QuestionIds: questions.map(({ Id }) => Id).reverse() }),
    ];
    const answers = await Promise.all(times(60, (index) => kinds[index % kinds.length]!(index)));
    expect(statuses(answers).filter((status) => status >= 500)).toEqual([]);
    expect(new Set(statuses(answers.filter((_, index) => index % 6 < 3)))).toEqual(new Set([200, 201]));
    expect(await isWhole()).toBe(true);
    const left = await list();
    expect((await both[1].item(id)).nombreQuestions).toBe(left.length);
    expect(left).toHaveLength(4 + 10 - 1);
    expect(textOf(left.filter(({ Id }) => Id === q.Id))).toMatch(/^\d+Q\d+\(1/);
  });

  it('negative control: without the lock, a deletion and an addition at once leave a place empty', async () => {
    withoutLock();
    let isBroken = false;
    // In a few rounds the addition is done before the deletion has read the rows that are left.
    for (let round = 0; round < ROUNDS && !isBroken; round++) {
      const [question] = (await draft('Q', 'R')) as [Item];
      await barrier.stopping('the write', id, async (release) => {
        const running = [send(0, 'DELETE', `/${question.Id}`), send(1, 'POST', '', choice('S'))];
        await barrier.waiting(2);
        await release();
        await Promise.all(running);
      });
      isBroken = !(await isWhole());
    }
    expect(isBroken).toBe(true);
  });
});
