import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { campaigns, expectLoggedChecks, seal, spaceOfFile, stats, votes } from './support/scene';
import type { Vote } from './support/votes';

spaceOfFile();

/** A closed vote: three of five voters have voted, each for the first option. */
async function closed(): Promise<Vote> {
  const vote = await votes.opened(5);
  for (const voter of times(3, (n) => n)) await votes.voted(vote, voter);
  await campaigns.sent('POST', `/${vote.id}/fermer`);
  return vote;
}

const actions = async ({ id }: Vote): Promise<string[]> =>
  (await campaigns.audited(id)).filter((action) => action.startsWith('urne.'));
const constater = (
  { id }: Pick<Vote, 'id'>,
  body: object = { raison: 'Le vote est à reprendre.' },
): Promise<Answer> => campaigns.administer('POST', `/${id}/urne/constater`, body);

const OWN = 'tenant_id = $1 AND campagne_id = $2';
const ONE = `(SELECT id_unique FROM bulletin WHERE ${OWN} LIMIT 1)`;
const ONE_VOTER = `(SELECT id_unique FROM votant WHERE ${OWN} AND a_vote LIMIT 1)`;

/** Changes of a closed box by an owner of the tables. */
const DROP_BALLOT = `DELETE FROM bulletin WHERE ${OWN} AND id_unique = ${ONE}`;
const setBallot = (change: string): string =>
  `UPDATE bulletin SET ${change} WHERE ${OWN} AND id_unique = ${ONE}`;
const setVoter = (change: string): string =>
  `UPDATE votant SET ${change} WHERE ${OWN} AND id_unique = ${ONE_VOTER}`;
const TAMPERED: [what: string, anomalies: string, ...statements: string[]][] = [
  ['a ballot is dropped', 'bulletins, recus, poids', DROP_BALLOT],
  ['a ballot is dropped with the mark on the roll', 'recus', DROP_BALLOT, setVoter('a_vote = false')],
  ['a ballot is given a weight of 5', 'poids', setBallot('poids = 5')],
  [
    ...(['a ballot is added with its receipt', 'bulletins, poids'] as const),
    `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) VALUES ($1, $2, 1, '{0}')`,
    `INSERT INTO recu (tenant_id, campagne_id, empreinte) VALUES ($1, $2, sha256('another'))`,
  ],
  [
    ...(['a receipt is dropped', 'recus'] as const),
    `DELETE FROM recu WHERE ${OWN} AND empreinte = (SELECT min(empreinte) FROM recu WHERE ${OWN})`,
  ],
  ['a ballot has an unknown option', 'reponses', setBallot(`reponses = '{9}'`)],
  [
    ...(['a ballot has the place after the last option', 'reponses'] as const),
    setBallot(`reponses = (SELECT ARRAY[nombre_options::text] FROM urne_question WHERE ${OWN})`),
  ],
  ['a ballot names an option four times', 'reponses', setBallot(`reponses = '{"0,0,0,0"}'`)],
  ['a ballot answers more questions than there are', 'reponses', setBallot(`reponses = '{0,0}'`)],
  ['a voter loses the right to vote after the ballot', 'droits', setVoter('a_droit_de_vote = false')],
];

describe('a closed ballot box in which something does not agree', () => {
  it.each(TAMPERED)(
    'is not sealed and shows no result, with one entry in the audit trail: %s',
    async (_what, anomalies, ...statements) => {
      const vote = await closed();
      for (const statement of statements) await campaigns.rows(statement, vote.id);
      for (const query of ['', '?syndicatIdExterne=SYN-1']) {
        const { resultatsVisibles, questions } = await stats(vote.id, query);
        expect([resultatsVisibles, questions[0].Options, questions[0].Exprimes]).toEqual([false, [], null]);
      }
      await expectLoggedChecks(vote.id, anomalies.split(', '), async () => {
        for (let attempt = 0; attempt < 2; attempt++)
          await expect(seal(vote.id)).rejects.toThrow(`is not sealed: ${anomalies} do not agree`);
      });
      expect(await actions(vote)).toEqual(['urne.anomalie']);
      expect((await campaigns.item(vote.id)).resultatsVisibles).toBe(false);
    },
  );

  it('is sealed with its result after a correction', async () => {
    const vote = await closed();
    const change = (weight: number): Promise<unknown> =>
      campaigns.rows(`UPDATE bulletin SET poids = $3 WHERE ${OWN} AND id_unique = ${ONE}`, vote.id, weight);
    await change(5);
    expect((await stats(vote.id)).resultatsVisibles).toBe(false);
    await expect(seal(vote.id)).rejects.toThrow('poids do not agree');
    await campaigns.rows(`UPDATE bulletin SET poids = 1 WHERE ${OWN}`, vote.id);
    expect(await seal(vote.id)).toBe(true);
    const { resultatsVisibles, questions } = await stats(vote.id);
    expect([resultatsVisibles, questions[0].Exprimes]).toEqual([true, 3]);
  });

  it('is sealed by an administrator without a result, permanently and with the reason', async () => {
    const vote = await closed();
    await campaigns.rows(`UPDATE bulletin SET reponses = '{9}' WHERE ${OWN} AND id_unique = ${ONE}`, vote.id);
    await expect(seal(vote.id)).rejects.toThrow('reponses');
    expectFaults(await constater(vote, {}), '/raison required');
    const raison = 'Un bulletin ne répond à rien 🗳️';
    const answer = await constater(vote, { raison });
    expect([answer.status, answer.json.resultatsVisibles]).toEqual([200, false]);
    expect(answer.json.raisonConstat).toBe(raison);
    const { resultatsVisibles, raisonConstat, questions, votantsAyantVote } = await stats(vote.id);
    expect([resultatsVisibles, raisonConstat, votantsAyantVote]).toEqual([false, raison, 3]);
    expect(questions[0].Options).toEqual([]);
    expect(await actions(vote)).toEqual(['urne.anomalie', 'urne.constater']);
    // Roll, ballots and receipts were rewritten too, so nothing joins them.
    const written = await campaigns.rows<{ xmin: string }>(
      `SELECT xmin::text FROM votant WHERE ${OWN} UNION SELECT xmin::text FROM bulletin WHERE ${OWN}`,
      vote.id,
    );
    expect(written).toHaveLength(1);
    expect(await seal(vote.id)).toBe(false);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    await campaigns.sent('POST', `/${vote.id}/archiver`);
    expect((await stats(vote.id)).raisonConstat).toBe(raison);
  });
});

describe('POST /admin/v1/…/urne/constater', () => {
  it('409 without a finding; 404 for an unknown campaign', async () => {
    const vote = await closed();
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expect((await stats(vote.id)).resultatsVisibles).toBe(true);
    expect(await seal(vote.id)).toBe(true);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expectProblem(await constater(await votes.opened(1)), 409, 'Urne.NonConstatable');
    expectProblem(await constater({ id: randomUUID() }), 404, 'Campagne.NotFound');
    expect(await actions(vote)).toEqual([]);
  });

  it('409 after a correction of the finding', async () => {
    const vote = await closed();
    await campaigns.rows(`UPDATE bulletin SET poids = 5 WHERE ${OWN} AND id_unique = ${ONE}`, vote.id);
    await expect(seal(vote.id)).rejects.toThrow('poids');
    await campaigns.rows(`UPDATE bulletin SET poids = 1 WHERE ${OWN}`, vote.id);
    expectProblem(await constater(vote), 409, 'Urne.NonConstatable');
    expect(await seal(vote.id)).toBe(true);
  });
});
