import { expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { depth } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, sign, type OpenTenant } from './support/cards';
import { DataSpace, type LinkKind, LINKS } from './support/data-space';

const RACES = depth(30, 150);
const AT_ONCE = 10;
const KINDS: LinkKind[] = ['paiements', 'autorisations-paiement'];

let app: TestApp;
let replica: TestApp;
let cards: DataSpace;
let elsewhere: DataSpace;

beforeAll(async () => {
  app = await TestApp.start();
  const { databaseUrl, secretsKey } = app.config;
  replica = await TestApp.start({ databaseUrl, secretsKey });
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});
beforeEach(async () => {
  const open: OpenTenant = await openTenant(app);
  cards = new DataSpace(app, open);
  elsewhere = new DataSpace(replica, open);
});

const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();
const isFailure = ({ status }: Answer): boolean => status >= 500;

/**
 * Runs races some at a time. The order and the lead change from race to race: one of the two needs less time before
 * they meet, and would always win if both were sent together.
 */
async function race<T>(
  count: number,
  one: (index: number) => Promise<T>,
  other: (index: number) => Promise<T>,
): Promise<[T, T][]> {
  const done: [T, T][] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = times(Math.min(AT_ONCE, count - from), (offset): Promise<[T, T]> => {
      const index = from + offset;
      const lead = (Math.floor(index / 2) % 5) * 10;
      const late = async (send: typeof one): Promise<T> => {
        await new Promise((resolve) => setTimeout(resolve, lead));
        return send(index);
      };
      return index % 2 ? Promise.all([late(one), other(index)]) : Promise.all([one(index), late(other)]);
    });
    done.push(...(await Promise.all(some)));
  }
  return done;
}

/** Returns the winner of the race for a card, if both responses and the remaining rows agree. */
async function winner(
  id: string,
  kind: LinkKind,
  linked: Pick<Answer, 'status'>,
  deleted: Pick<Answer, 'status'>,
): Promise<string> {
  const { rows } = await app.database.query<{ cards: number; links: number }>(
    `SELECT (SELECT count(*)::int FROM adhesion WHERE id_unique = $1) AS cards,
       (SELECT count(*)::int FROM ${LINKS[kind].table} WHERE adhesion_id = $1) AS links`,
    [id],
  );
  const seen = `link ${linked.status}, deletion ${deleted.status}, ${rows[0]!.cards} card, ${rows[0]!.links} link`;
  if (seen === 'link 201, deletion 409, 1 card, 1 link') return 'the link';
  if (seen === 'link 404, deletion 204, 0 card, 0 link') return 'the deletion';
  return seen;
}

describe.each(KINDS)('%s and the deletion of the card at once', (kind) => {
  it(`${RACES} times over two replicas: exactly one of the two wins, without an error`, async () => {
    // Deletions of one employee's cards wait for each other, and would not meet the links.
    const Employes = times(AT_ONCE, (index) => ({ IdExterne: `R-${index}`, Prenom: 'P', Nom: 'N' }));
    await synced(app, cards.open.partenaire, { Employes });
    const ids: string[] = [];
    for (let index = 0; index < RACES; index++) {
      ids.push(await cards.sign({ employeIdExterne: `R-${index % AT_ONCE}` }));
    }
    const results = await race(
      RACES,
      (index) => cards.link(ids[index]!, kind),
      (index) => elsewhere.delete(ids[index]!),
    );
    const winners: string[] = [];
    for (const [index, [linked, deleted]] of results.entries()) {
      winners.push(await winner(ids[index]!, kind, linked, deleted));
      if (linked.status === 404) expectProblem(linked, 404, 'Adhesion.NotFound');
      if (deleted.status === 409) expectProblem(deleted, 409, LINKS[kind].code);
    }
    // Both must win sometimes: races that one side always wins would prove nothing.
    expect([...new Set(winners)].sort()).toEqual(['the deletion', 'the link']);
    const deletions = winners.filter((one) => one === 'the deletion').length;
    expect(await cards.events('adhesion.supprimee')).toHaveLength(deletions);
    expect(await cards.journal()).toHaveLength(deletions);
  });

  it('the same 30 times with the deletion of all cards of the member', async () => {
    const winners: string[] = [];
    for (let index = 0; index < 30; index++) {
      const id = await cards.sign();
      const [[linked, deleted]] = (await race(
        1,
        () => (index % 2 ? cards.link(id, kind) : elsewhere.delete('membre/E-1')),
        () => (index % 2 ? elsewhere.delete('membre/E-1') : cards.link(id, kind)),
      )) as [[Answer, Answer]];
      const [link, deletion] = index % 2 ? [linked, deleted] : [deleted, linked];
      const status = deletion.status === 200 ? 204 : deletion.status;
      winners.push(await winner(id, kind, link, { status }));
      // A remaining card would block the deletion in the next round.
      await app.database.query(`DELETE FROM ${LINKS[kind].table} WHERE adhesion_id = $1`, [id]);
      await app.database.query('DELETE FROM adhesion WHERE id_unique = $1', [id]);
    }
    expect(winners.filter((one) => !['the link', 'the deletion'].includes(one))).toEqual([]);
  });

  it('negative control: without the lock of the deletion, both win, and the check finds it', async () => {
    const id = await cards.sign();
    // Foreign keys would protect the row; the check must work without them.
    const careless = await app.connect('-c session_replication_role=replica');
    await careless.query('BEGIN');
    const { rows } = await careless.query(`SELECT FROM ${LINKS[kind].table} WHERE adhesion_id = $1`, [id]);
    expect(rows).toEqual([]);
    const linked = await cards.link(id, kind);
    await careless.query('DELETE FROM adhesion WHERE id_unique = $1', [id]);
    await careless.query('COMMIT');
    await careless.end();
    expect(await winner(id, kind, linked, { status: 204 })).toBe('link 201, deletion 204, 0 card, 1 link');
  });
});

describe('two deletions of a card at once', () => {
  it('40 times: one 204, one 404; one event and one entry each', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 40; index++) ids.push(await cards.sign());
    const results = await race(
      ids.length,
      (index) => cards.delete(ids[index]!),
      (index) => elsewhere.delete(ids[index]!),
    );
    for (const answers of results) expect(statuses(answers)).toEqual([204, 404]);
    const events = await cards.events('adhesion.supprimee');
    expect(events.map(({ idUniqueAdhesion }) => idUniqueAdhesion).sort()).toEqual([...ids].sort());
    expect((await cards.journal()).map(({ objet_id }) => objet_id).sort()).toEqual([...ids].sort());
  });

  it('by its id and by the member: it is counted once', async () => {
    for (let index = 0; index < 20; index++) {
      const id = await cards.sign();
      const [one, all] = await Promise.all([cards.delete(id), elsewhere.delete('membre/E-1')]);
      expect(all.status).toBe(200);
      expect([one.status, all.json.nombreSupprime]).toEqual(one.status === 204 ? [204, 0] : [404, 1]);
    }
    expect(await cards.events('adhesion.supprimee')).toHaveLength(20);
  });
});

describe('signings during deletions', () => {
  it('deletions of the cards of the same member: every card is either stored or counted as deleted', async () => {
    let deletedCards = 0;
    const made: string[] = [];
    for (let round = 0; round < depth(5, 12); round++) {
      const answers = await Promise.all([
        ...times(4, (index) =>
          sign(index % 2 ? app : replica, cards.open.plateforme, { transactionId: `${round} ${index}` }),
        ),
        ...times(2, () => elsewhere.delete('membre/E-1')),
      ]);
      expect(answers.filter(isFailure)).toEqual([]);
      const [signings, deletions] = [answers.slice(0, 4), answers.slice(4)];
      expect(statuses(signings)).toEqual([201, 201, 201, 201]);
      expect(statuses(deletions)).toEqual([200, 200]);
      made.push(...signings.map(({ json }) => json.idUniqueAdhesion));
      for (const { json } of deletions) deletedCards += json.nombreSupprime;
    }
    const left = await cards.ids();
    expect(left.length + deletedCards).toBe(made.length);
    const gone = (await cards.events('adhesion.supprimee')).map(({ idUniqueAdhesion }) => idUniqueAdhesion);
    expect([...left, ...gone].sort()).toEqual([...made].sort());
    expect(await cards.events('adhesion.signee')).toHaveLength(made.length);
  });

  it('a deletion of the employee: it is rejected because of the card, or the signing becomes a request', async () => {
    const ROUNDS = 60;
    const Employes = times(ROUNDS, (index) => ({ IdExterne: `R-${index}`, Prenom: 'P', Nom: 'N' }));
    await synced(app, cards.open.partenaire, { Employes });
    const results = await race(
      ROUNDS,
      (index) => sign(app, cards.open.plateforme, { employeIdExterne: `R-${index}` }),
      (index) => replica.send(cards.open.partenaire, 'DELETE', `/b2b/v1/employe/R-${index}`),
    );
    const outcomes = results.map(([signing, deletion]) => {
      expect(signing.status).toBe(201);
      if (deletion.status === 409) expectProblem(deletion, 409, 'Employe.LieAdhesions');
      return `${signing.json.statut ?? 'card'} ${deletion.status}`;
    });
    expect([...new Set(outcomes)].sort()).toEqual(['ATransferer 204', 'card 409']);
    const held = outcomes.filter((outcome) => outcome === 'card 409').length;
    expect(await cards.ids()).toHaveLength(held);
    expect(await cards.events('adhesion.signee')).toHaveLength(held);
    expect(await cards.events('conciliation.demandee')).toHaveLength(ROUNDS - held);
  });
});
