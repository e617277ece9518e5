import { createHash, randomUUID } from 'node:crypto';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { Intruder } from './support/intruder';
import { app, campaigns, newSpace, seal, spaceOfFile, stats, votes } from './support/scene';
import { type Vote } from './support/votes';

const OPTIONS = ['A', 'B', 'C', 'D'].map((Libelle) => ({ Libelle }));

const QUESTIONS = {
  choice: { Titre: 'Q', Type: 'ChoixLibre', MinReponses: 2, MaxReponses: 3, Options: OPTIONS },
  ranking: { Titre: 'Q', Type: 'Election', EstPreferentiel: true, Options: OPTIONS },
};

let intruder: Intruder;

spaceOfFile();
beforeAll(async () => {
  intruder = await Intruder.of(app, campaigns);
});
afterAll(() => intruder.end());

/** Libelle and Votes of each option. */
async function counted({ id }: Vote): Promise<[string, number][]> {
  const { questions } = await stats(id);
  return questions[0].Options.map(({ Libelle, Votes }: Answer['json']) => [Libelle, Votes]);
}

async function votedSevenToTwo(): Promise<Vote> {
  const vote = await votes.opened(9);
  for (const voter of times(9, (n) => n)) await votes.voted(vote, voter, voter < 7 ? 0 : 1);
  return vote;
}

/** Sessions that wait for this one. */
const AWAITED = `SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;

const copies = ({ id }: Vote): Promise<{ question_id: string }[]> =>
  campaigns.rows('SELECT * FROM urne_question WHERE tenant_id = $1 AND campagne_id = $2', id);

describe('the content of a published campaign', () => {
  it.each([
    ['the order of options', 'UPDATE option SET ordre = 3 - ordre WHERE question_id = $1'],
    ['their labels', `UPDATE option SET libelle = 'C' WHERE question_id = $1`],
    ['options, by removing them', 'DELETE FROM option WHERE question_id = $1'],
    [
      'the question',
      `UPDATE question SET titre = 'C', type = 'ChoixLibre', max_reponses = 2 WHERE id_unique = $1`,
    ],
    ['the campaign, by removing the question', 'DELETE FROM question WHERE id_unique = $1'],
  ])('cannot be changed by the role of the processes: %s', async (_what, statement) => {
    const vote = await votedSevenToTwo();
    expect(await intruder.query(statement, vote.question.Id)).toMatchObject({ rowCount: 0 });
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await counted(vote)).toEqual([
      ['Pour', 7],
      ['Contre', 2],
    ]);
  });

  it.each([
    `INSERT INTO option (tenant_id, question_id, ordre, libelle) SELECT tenant_id, question_id, 3, 'C' FROM option WHERE question_id = $1`,
    'DELETE FROM urne_question WHERE question_id = $1',
    'UPDATE urne_option SET place = 1 - place WHERE $1::text IS NOT NULL',
    `INSERT INTO urne_option (tenant_id) SELECT gen_random_uuid() WHERE $1::text IS NOT NULL`,
  ])('cannot be added to, nor its copy be written: %s', async (statement) => {
    const vote = await votes.opened(1);
    await expect(intruder.query(statement, vote.question.Id)).rejects.toMatchObject({ code: '42501' });
  });

  it('cannot be copied again or removed from the box after a vote', async () => {
    const vote = await votedSevenToTwo();
    for (const publiee of [true, false]) {
      await intruder.query('UPDATE campagne SET publiee = $2 WHERE id_unique = $1', vote.id, publiee);
      for (const name of ['urne_preparer', 'urne_liberer'])
        await expect(intruder.query(`SELECT ${name}($1)`, vote.id)).rejects.toThrow('has ballots');
    }
  });

  it.each([
    ['labels', `UPDATE option SET libelle = 'Z' || ordre WHERE question_id = $1`],
    [
      'an option, added',
      `INSERT INTO option (tenant_id, question_id, ordre, libelle) SELECT tenant_id, question_id, 3, 'Z' FROM option WHERE question_id = $1 LIMIT 1`,
    ],
    [
      'a question, added',
      `WITH added AS (
         INSERT INTO question (tenant_id, campagne_id, ordre, titre, type, est_preferentiel, ordre_reponses_aleatoire, min_reponses, max_reponses)
         SELECT tenant_id, campagne_id, 2, 'Z', type, est_preferentiel, ordre_reponses_aleatoire, min_reponses, max_reponses
         FROM question WHERE id_unique = $1 RETURNING *
       ) INSERT INTO option (tenant_id, question_id, ordre, libelle) SELECT tenant_id, id_unique, 1, 'Z' FROM added`,
    ],
    ['an option, removed', 'DELETE FROM option WHERE question_id = $1 AND ordre = 1'],
  ])(
    'is what is shown, where a write of it has not ended at the publication: %s',
    async (_what, statement) => {
      const id = await campaigns.ready();
      const [{ Id }] = (await campaigns.sent('GET', `/${id}/questions`)).json;
      await intruder.query('BEGIN');
      expect(await intruder.query(statement, Id)).not.toMatchObject({ rowCount: 0 });
      const publication = campaigns.send('POST', `/${id}/publier`);
      await eventually(async () => (await intruder.query(AWAITED)).rows[0], 'A wait for the write');
      await intruder.query('COMMIT');
      expect((await publication).status).toBe(200);
      expect(await asked(id)).toEqual(await shown(id));
    },
  );

  /** Libelles of the options of each question, as the box and as voters have them. */
  const asked = async (id: string): Promise<string[]> =>
    (
      await campaigns.rows<{ labels: string }>(
        `SELECT string_agg(libelle, ' ' ORDER BY o.place) AS labels FROM urne_question q
         LEFT JOIN urne_option o USING (tenant_id, campagne_id) WHERE o.question = q.place AND tenant_id = $1 AND campagne_id = $2
         GROUP BY q.place ORDER BY q.place`,
        id,
      )
    ).map(({ labels }) => labels);
  const shown = async (id: string): Promise<string[]> =>
    (await campaigns.sent('GET', `/${id}/questions`)).json.map(
      ({ Options }: { Options: { Libelle: string }[] }) => Options.map(({ Libelle }) => Libelle).join(' '),
    );

  it('can be changed again once it is unpublished, and is then copied again', async () => {
    const vote = await votes.opened(1);
    await campaigns.sent('POST', `/${vote.id}/depublier`);
    expect(await copies(vote)).toEqual([]);
    await campaigns.sent('DELETE', `/${vote.id}/questions/${vote.question.Id}`);
    const id = await campaigns.question(vote.id, QUESTIONS.choice);
    await campaigns.sent('POST', `/${vote.id}/publier`);
    expect(await copies(vote)).toMatchObject([
      { place: 0, question_id: id, min_reponses: 2, max_reponses: 3, nombre_options: 4 },
    ]);
  });
});

const setOfClient = (seuilAnonymat: number): Promise<void> => campaigns.setFlags({ seuilAnonymat });
const setOfCampaign = (id: string, body: object, environnement?: string): Promise<Answer> =>
  campaigns.administer('PUT', `/${id}/seuil-anonymat`, body, environnement);

describe('the texts of a campaign', () => {
  /** A text of so many bytes, with four in each character. */
  const textOf = (bytes: number): string => '𝄞'.repeat(bytes / 4);
  const options = (...bytes: number[]): object[] =>
    bytes.map((each, n) => ({ Libelle: String.fromCodePoint(0x1d11e + n), Description: textOf(each) }));
  const question = (Titre: string, Options: object[]): object => ({
    ...{ Titre, Description: 'é', Type: 'ChoixLibre', Options },
  });

  it('larger than 2 MiB by one byte: 400 Campagne.TropVolumineuse, which the validation lists; then shortened and published', async () => {
    const id = await campaigns.draft();
    for (let number = 0; number < 3; number++)
      await campaigns.question(id, question(textOf(4), options(...times(20, () => 34_000))));
    // Titles and descriptions of questions and options: 3 × (4 + 2 + 20 × 34,004) bytes, and the rest in the last question.
    const rest = 2 * 2 ** 20 - 3 * (6 + 20 * 34_004) - 6;
    const last = options(30_000, rest - 30_000 - 8);
    const questionId = await campaigns.question(id, question('Quoi?', last));
    const { json } = await campaigns.sent('GET', `/${id}/validation`);
    expect(json).toEqual({
      valide: false,
      erreurs: [
        { code: 'Campagne.TropVolumineuse', detail: expect.stringMatching(/2097153 bytes.*2097152/) },
        { code: 'Vote.AucunVotant', detail: expect.any(String) },
      ],
    });
    await campaigns.votant(id);
    expectProblem(await campaigns.send('POST', `/${id}/publier`), 400, 'Campagne.TropVolumineuse');
    await campaigns.sent('PUT', `/${id}/questions/${questionId}`, question('Quoi', last));
    await campaigns.sent('POST', `/${id}/publier`);
  });
});

describe('the threshold of anonymity', () => {
  afterEach(() => setOfClient(1));

  /** Three of the first union chose one way, nine of the second the other. */
  async function closedVote(): Promise<Vote> {
    const Syndicats = ['A', 'B'].map((name) => ({ IdentifiantExterne: `SYN-${name}`, Nom: name }));
    await synced(app, campaigns.tenant, { Syndicats });
    const union = (n: number): string => (n < 3 ? 'SYN-A' : 'SYN-B');
    const vote = await votes.opened(12, {}, (n) => ({ SyndicatIdExterne: union(n) }));
    for (const voter of times(12, (n) => n)) await votes.voted(vote, voter, voter < 3 ? 0 : 1);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    return vote;
  }
  const tells = async ({ id }: Vote): Promise<boolean> =>
    (await stats(id, '?syndicatIdExterne=SYN-A')).resultatsVisibles as boolean;

  it('is the client’s at the first publication: lowered after the close, it reveals nothing', async () => {
    await setOfClient(5);
    const vote = await closedVote();
    expect(await tells(vote)).toBe(false);
    await setOfClient(1);
    expect(await tells(vote)).toBe(false);
    expect((await campaigns.item(vote.id)).seuilAnonymat).toBe(5);
    await seal(vote.id);
    expect(await tells(vote)).toBe(false);
  });

  it('stays that of the first publication when the campaign is published again', async () => {
    await setOfClient(4);
    const id = await campaigns.ready();
    for (let voters = 1; voters < 4; voters++) await campaigns.votant(id);
    expect((await campaigns.item(id)).seuilAnonymat).toBe(null);
    await campaigns.sent('POST', `/${id}/publier`);
    await setOfClient(1);
    await campaigns.sent('POST', `/${id}/depublier`);
    await campaigns.sent('POST', `/${id}/publier`);
    expect((await campaigns.item(id)).seuilAnonymat).toBe(4);
  });

  it('is set by an administrator for one draft, with a reason, and audited', async () => {
    await setOfClient(5);
    const id = await campaigns.ready();
    const body = { seuilAnonymat: 1, raison: 'Vote des délégués 🗳️' };
    const answer = await setOfCampaign(id, body);
    expect([answer.status, answer.json]).toEqual([200, await campaigns.item(id)]);
    await campaigns.sent('POST', `/${id}/publier`);
    expect(await campaigns.item(id)).toMatchObject({ seuilAnonymat: 1, raisonSeuilAnonymat: body.raison });
    const entries = await campaigns.rows<{ action: string }>(
      `SELECT action FROM journal WHERE tenant_id = $1 AND objet_id = $2 AND action LIKE '%seuil%'`,
      id,
    );
    expect(entries).toEqual([{ action: 'campagne.seuilAnonymat' }]);
  });

  it('published campaign returns 409, unknown one 404, invalid input 400, partner key 403', async () => {
    const body = { seuilAnonymat: 2, raison: 'Essai' };
    const id = await campaigns.ready();
    const faults = '/raison required, /seuilAnonymat range';
    expectFaults(await setOfCampaign(id, { seuilAnonymat: 0 }), faults);
    expectProblem(await setOfCampaign(id, body, 'production'), 404, 'Campagne.NotFound');
    expectProblem(await setOfCampaign(id, body, 'elsewhere'), 404, 'Campagne.NotFound');
    expectProblem(await setOfCampaign(randomUUID(), body), 404, 'Campagne.NotFound');
    await campaigns.sent('POST', `/${id}/publier`);
    expectProblem(await setOfCampaign(id, body), 409, 'Campagne.ModificationNonPermise');
    const stranger = await (await newSpace()).ready();
    expectProblem(await setOfCampaign(stranger, body), 404, 'Campagne.NotFound');
    const path = `/admin/v1/clients/${campaigns.tenant.clientId}/environnements/staging/campagnes/${id}/seuil-anonymat`;
    expectProblem(await app.send(campaigns.tenant, 'PUT', path, body), 403, 'Cle.RoleInsuffisant');
  });

  it('is not for the role of the processes to write', async () => {
    const vote = await votes.opened(1);
    const lowered = 'UPDATE campagne SET seuil_anonymat = 1 WHERE id_unique = $1';
    await expect(intruder.query(lowered, vote.id)).rejects.toMatchObject({ code: '42501' });
    const fixed = `SELECT urne_fixer_seuil($1, 1, 'x') AS fixed`;
    expect((await intruder.query(fixed, vote.id)).rows).toEqual([{ fixed: false }]);
    // Nor by taking the publication back in the rows.
    await intruder.query('UPDATE campagne SET publiee = false WHERE id_unique = $1', vote.id);
    expect((await intruder.query(fixed, vote.id)).rows).toEqual([{ fixed: false }]);
  });
});

describe('the seeds of draws', () => {
  const BYTES = Buffer.alloc(32, 7);
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const bring = (id: string, graine = BYTES.toString('base64')): Promise<Answer> =>
    campaigns.send('PUT', `/${id}/graine-partenaire`, { graine });
  const digests = async (id: string): Promise<(string | null)[]> => {
    const item = await campaigns.item(id);
    return [item.empreinteGraineDepartage, item.empreinteGrainePartenaire];
  };

  it('a publication makes a new service seed and drops the partner’s; only digests are shown before the close', async () => {
    const id = await campaigns.ready();
    expect(await digests(id)).toEqual([null, null]);
    await campaigns.sent('POST', `/${id}/publier`);
    const [first] = await digests(id);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect((await bring(id)).json).toMatchObject({
      empreinteGraineDepartage: first,
      empreinteGrainePartenaire: sha256(BYTES),
      ...{ graineDepartage: null, grainePartenaire: null },
    });
    // The options do not change the seed. A new seed is made only by a publication.
    await campaigns.sent('POST', `/${id}/depublier`);
    expect(await digests(id)).toEqual([null, null]);
    await campaigns.sent('POST', `/${id}/publier`);
    const [second, partner] = await digests(id);
    expect([second === first, partner]).toEqual([false, null]);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    expect((await campaigns.item(id)).graineDepartage).toBe(null);
    const { graineDepartage } = (await campaigns.sent('POST', `/${id}/fermer`)).json;
    expect(sha256(Buffer.from(graineDepartage as string, 'hex'))).toBe(second);
  });

  it('the partner’s is taken in Planifie only, and 32 bytes in base64', async () => {
    const draft = await campaigns.ready();
    for (const id of [draft, await campaigns.opened(), await campaigns.closed(), await campaigns.archived()])
      expectProblem(await bring(id), 409, 'Campagne.ModificationNonPermise');
    const id = await campaigns.scheduled();
    for (const graine of ['', 'AAAA', BYTES.toString('hex'), `${'A'.repeat(42)}B=`, `${'é'.repeat(44)}`])
      expectProblem(await bring(id, graine), 400, 'Requete.Invalide');
    expectProblem(await bring(randomUUID()), 404, 'Campagne.NotFound');
    expect((await bring(id)).status).toBe(200);
    const other = Buffer.alloc(32, 8);
    expect((await bring(id, other.toString('base64'))).json.empreinteGrainePartenaire).toBe(sha256(other));
    // The clock opens the vote, whether a worker runs or not.
    await campaigns.rows(
      'UPDATE campagne SET ouverture_du_vote_utc = clock_timestamp() WHERE tenant_id = $1 AND id_unique = $2',
      id,
    );
    expect(await campaigns.etat(id)).toBe('VoteOuvert');
    expectProblem(await bring(id), 409, 'Campagne.ModificationNonPermise');
  });

  it('both break a tie, and are shown after the vote', async () => {
    const id = await campaigns.draft();
    const Options = ['A', 'B', 'C'].map((Libelle) => ({ Libelle }));
    await campaigns.question(id, { Titre: 'Q', Type: 'Election', EstPreferentiel: true, Options });
    const voters = times(3, () => campaigns.votant(id));
    await Promise.all(voters);
    await campaigns.sent('POST', `/${id}/publier`);
    await bring(id);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    const [question] = (await campaigns.sent('GET', `/${id}/questions`)).json;
    const vote: Vote = { id, question, voters: await Promise.all(voters) };
    for (const voter of times(3, (n) => n)) await votes.voted(vote, voter, voter);
    await campaigns.sent('POST', `/${id}/fermer`);
    const item = await campaigns.item(id);
    expect(item.grainePartenaire).toBe(BYTES.toString('base64'));
    const graine = `${item.graineDepartage}:${item.grainePartenaire}`;
    const [asked] = (await stats(id)).questions;
    const { Departage } = asked.Tours[0];
    const drawn = vote.question.Options.map(({ Id }) => Id).toSorted((one, other) =>
      digestOf(`${graine}:${asked.QuestionId}:1:${one}`) <
      digestOf(`${graine}:${asked.QuestionId}:1:${other}`)
        ? -1
        : 1,
    );
    expect([Departage.Graine, Departage.Choisi]).toEqual([graine, drawn[0]]);
  });
  const digestOf = (text: string): string => sha256(Buffer.from(text));

  it('are hidden from the role of the processes until the box is closed by a transaction that has ended', async () => {
    const vote = await votes.opened(1);
    await expect(intruder.query('SELECT graine FROM urne')).rejects.toMatchObject({ code: '42501' });
    const seeds = async (): Promise<number | null> =>
      (await intruder.query('SELECT * FROM urne_graines($1)', vote.id)).rowCount;
    expect(await seeds()).toBe(0);
    await intruder.query('BEGIN');
    await intruder.query(
      'UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() WHERE id_unique = $1',
      vote.id,
    );
    await intruder.query('SELECT urne_fermer($1)', vote.id);
    expect(await seeds()).toBe(0);
    await intruder.query('ROLLBACK');
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seeds()).toBe(1);
  });
});

describe('the roll of a vote', () => {
  it('after a vote, the role of the processes can correct the voter’s name, but not change weight or right', async () => {
    const vote = await votes.opened(2);
    await votes.voted(vote, 0);
    const change = (column: string): string => `UPDATE votant SET ${column} WHERE id_unique = $1`;
    for (const column of ['poids = 2', 'a_droit_de_vote = false', 'poids = 2, a_droit_de_vote = false']) {
      await expect(intruder.query(change(column), vote.voters[0])).rejects.toMatchObject({ code: '42501' });
      expect(await intruder.query(change(column), vote.voters[1])).toMatchObject({ rowCount: 1 });
    }
    expect(await intruder.query(change(`nom = 'Côté', poids = 1.0`), vote.voters[0])).toMatchObject({
      rowCount: 1,
    });
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seal(vote.id)).toBe(true);
  });
});

describe('a ballot that the role of the processes writes', () => {
  const put = ({ id, voters }: Vote, answers: (string | null)[]): Promise<{ rowCount: number | null }> =>
    intruder.query(
      `SELECT WHERE urne_voter($1, $2, 1, $3, sha256(gen_random_uuid()::text::bytea))`,
      ...[id, voters[0], answers],
    );

  const TEXTS =
    '0 / 0,1,2,3 / 1,1 / 1,1,1 / 2,1 / 0,4 / 9,10 / 0,01 / 0, 1 / 0,-1 / 0, / , / a,b / 0,99999999999'.split(
      ' / ',
    );
  it.each<[question: keyof typeof QUESTIONS, refused: (string | null)[][], taken: string[]]>([
    ['choice', [[], [null], ['0,1', '0,1'], ...TEXTS.map((text) => [text])], ['0,1']],
    ['choice', [], ['']],
    ['ranking', [['4'], ['2,2'], ['0,1,2,3,0'], ['3,2,1,0,4']], ['3,0,2,1']],
  ])('is refused where it is none to the question: %s', async (question, refused, taken) => {
    const vote = await votes.opened(1, QUESTIONS[question]);
    for (const answers of refused)
      expect([answers, (await put(vote, answers)).rowCount]).toEqual([answers, 0]);
    expect(await votes.aVote(vote.id)).toBe(0);
    expect((await put(vote, taken)).rowCount).toBe(1);
    expect((await votes.box(vote.id)).map(({ reponses }) => reponses)).toEqual([taken]);
  });

  it('answers every question of several', async () => {
    const id = await campaigns.ready();
    await campaigns.question(id, QUESTIONS.choice);
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    const [voter] = (await campaigns.sent('GET', `/${id}/votants`)).json;
    const vote = { id, voters: [voter.VotantId] } as unknown as Vote;
    for (const answers of [['0'], ['0', null], ['0', '0'], ['0,1', '0'], ['0', '0,1', '']])
      expect((await put(vote, answers)).rowCount).toBe(0);
    expect((await put(vote, ['0', '0,1'])).rowCount).toBe(1);
  });
});
