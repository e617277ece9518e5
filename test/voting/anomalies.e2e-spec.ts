import { randomUUID } from 'node:crypto';
import { SealingService } from '../../libs/voting/src';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import type { Campaigns } from './support/campaigns';
import { type Vote, Votes } from './support/votes';

let app: TestApp;
let votes: Votes;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
  votes = await Votes.of(app);
  ({ campaigns } = votes);
});
afterAll(() => app.stop());

/** A closed vote: three of five voters have voted, each for the first option. */
async function closed(): Promise<Vote> {
  const vote = await votes.opened(5);
  for (const voter of times(3, (n) => n)) await votes.voted(vote, voter);
  await campaigns.sent('POST', `/${vote.id}/fermer`);
  return vote;
}

const seal = ({ id }: Vote): Promise<boolean> =>
  app.app.get(SealingService).seal(campaigns.tenant.tenantId, id);
const stats = async ({ id }: Vote, query = ''): Promise<Answer['json']> =>
  (await campaigns.sent('GET', `/${id}/stats${query}`)).json;
const actions = async ({ id }: Vote): Promise<string[]> =>
  (
    await campaigns.rows<{ action: string }>(
      `SELECT action FROM journal WHERE tenant_id = $1 AND objet_id = $2 AND action LIKE 'urne.%' ORDER BY numero`,
      id,
    )
  ).map(({ action }) => action);
const constater = (
  { id }: Pick<Vote, 'id'>,
  body: object = { raison: 'Le vote est à reprendre.' },
): Promise<Answer> => {
  const path = `/admin/v1/clients/${campaigns.tenant.clientId}/environnements/staging/campagnes/${id}/urne/constater`;
  return app.send(app.adminKey, 'POST', path, body);
};

const OWN = 'tenant_id = $1 AND campagne_id = $2';
const ONE = `(SELECT id_unique FROM bulletin WHERE ${OWN} LIMIT 1)`;
const ONE_VOTER = `(SELECT id_unique FROM votant WHERE ${OWN} AND a_vote LIMIT 1)`;

/** What an owner of the tables does to a closed box. */
const TAMPERED: [what: string, anomalies: string[], statements: string[]][] = [
  [
    'a ballot is dropped',
    ['bulletins', 'recus', 'poids'],
    [`DELETE FROM bulletin WHERE ${OWN} AND id_unique = ${ONE}`],
  ],
  [
    'a ballot is dropped with the mark on the roll',
    ['recus'],
    [
      `DELETE FROM bulletin WHERE ${OWN} AND id_unique = ${ONE}`,
      `UPDATE votant SET a_vote = false WHERE ${OWN} AND id_unique = ${ONE_VOTER}`,
    ],
  ],
  [
    'a ballot is given a weight of 5',
    ['poids'],
    [`UPDATE bulletin SET poids = 5 WHERE ${OWN} AND id_unique = ${ONE}`],
  ],
  [
    'a ballot is added with its receipt',
    ['bulletins', 'poids'],
    [
      `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) VALUES ($1, $2, 1, '{0}')`,
      `INSERT INTO recu (tenant_id, campagne_id, empreinte) VALUES ($1, $2, '1')`,
    ],
  ],
  [
    'a receipt is dropped',
    ['recus'],
    [`DELETE FROM recu WHERE ${OWN} AND empreinte = (SELECT min(empreinte) FROM recu WHERE ${OWN})`],
  ],
  [
    'a ballot answers nothing that is asked',
    ['reponses'],
    [`UPDATE bulletin SET reponses = '{9}' WHERE ${OWN} AND id_unique = ${ONE}`],
  ],
  [
    'a ballot answers twenty times',
    ['reponses'],
    [`UPDATE bulletin SET reponses = '{"0,0,0,0"}' WHERE ${OWN} AND id_unique = ${ONE}`],
  ],
  [
    'a ballot answers more than is asked',
    ['reponses'],
    [`UPDATE bulletin SET reponses = '{0,0}' WHERE ${OWN} AND id_unique = ${ONE}`],
  ],
  [
    'a voter who has voted loses the right to vote',
    ['droits'],
    [`UPDATE votant SET a_droit_de_vote = false WHERE ${OWN} AND id_unique = ${ONE_VOTER}`],
  ],
];

describe('a closed ballot box in which something does not agree', () => {
  it.each(TAMPERED)(
    'is not sealed and tells no result, and the audit trail says so once: %s',
    async (_what, anomalies, statements) => {
      const vote = await closed();
      for (const statement of statements) await campaigns.rows(statement, vote.id);
      for (const query of ['', '?syndicatIdExterne=SYN-1']) {
        const { resultatsVisibles, questions } = await stats(vote, query);
        expect([resultatsVisibles, questions[0].Options, questions[0].Exprimes]).toEqual([false, [], null]);
      }
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(seal(vote)).rejects.toThrow(`is not sealed: ${anomalies.join(', ')} do not agree`);
      expect(await actions(vote)).toEqual(['urne.anomalie']);
      expect((await campaigns.item(vote.id)).resultatsVisibles).toBe(false);
    },
  );

  it('is sealed with its result once it is put right', async () => {
    const vote = await closed();
    const change = (weight: number): Promise<unknown> =>
      campaigns.rows(`UPDATE bulletin SET poids = $3 WHERE ${OWN} AND id_unique = ${ONE}`, vote.id, weight);
    await change(5);
    expect((await stats(vote)).resultatsVisibles).toBe(false);
    await expect(seal(vote)).rejects.toThrow('poids do not agree');
    await campaigns.rows(`UPDATE bulletin SET poids = 1 WHERE ${OWN}`, vote.id);
    expect(await seal(vote)).toBe(true);
    const { resultatsVisibles, questions } = await stats(vote);
    expect([resultatsVisibles, questions[0].Exprimes]).toEqual([true, 3]);
  });

  it('is sealed by an administrator without a result, for good and with the reason', async () => {
    const vote = await closed();
    await campaigns.rows(`UPDATE bulletin SET reponses = '{9}' WHERE ${OWN} AND id_unique = ${ONE}`, vote.id);
    await expect(seal(vote)).rejects.toThrow('reponses');
    expectFaults(await constater(vote, {}), { '/raison': 'required' });
    const raison = 'Un bulletin ne répond à rien 🗳️';
    const answer = await constater(vote, { raison });
    expect([answer.status, answer.json.resultatsVisibles, answer.json.raisonConstat]).toEqual([
      200,
      false,
      raison,
    ]);
    const { resultatsVisibles, raisonConstat, questions, votantsAyantVote } = await stats(vote);
    expect([resultatsVisibles, raisonConstat, votantsAyantVote]).toEqual([false, raison, 3]);
    expect(questions[0].Options).toEqual([]);
    expect(await actions(vote)).toEqual(['urne.anomalie', 'urne.constater']);
    // Roll, ballots and receipts were written anew all the same: nothing joins them.
    const written = await campaigns.rows<{ xmin: string }>(
      `SELECT xmin::text FROM votant WHERE ${OWN} UNION SELECT xmin::text FROM bulletin WHERE ${OWN}`,
      vote.id,
    );
    expect(written).toHaveLength(1);
    expect(await seal(vote)).toBe(false);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    await campaigns.sent('POST', `/${vote.id}/archiver`);
    expect((await stats(vote)).raisonConstat).toBe(raison);
  });
});

describe('POST /admin/v1/…/urne/constater', () => {
  it('is refused where nothing was found, and for what is not there', async () => {
    const vote = await closed();
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expect((await stats(vote)).resultatsVisibles).toBe(true);
    expect(await seal(vote)).toBe(true);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expectProblem(await constater(await votes.opened(1)), 409, 'Urne.NonConstatable');
    expectProblem(await constater({ id: randomUUID() }), 404, 'Campagne.NotFound');
    expect(await actions(vote)).toEqual([]);
  });

  it('is refused where what was found has been put right', async () => {
    const vote = await closed();
    await campaigns.rows(`UPDATE bulletin SET poids = 5 WHERE ${OWN} AND id_unique = ${ONE}`, vote.id);
    await expect(seal(vote)).rejects.toThrow('poids');
    await campaigns.rows(`UPDATE bulletin SET poids = 1 WHERE ${OWN}`, vote.id);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expect(await seal(vote)).toBe(true);
  });
});
