import { randomUUID } from 'node:crypto';
import { OutcomeUnknown } from '../../libs/platform/src/errors/sql-errors';
import { LifecycleService } from '../../libs/voting/src';
import { BulletinRepository } from '../../libs/voting/src/ballot/persistence/bulletin.repository';
import { eventually, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { depth } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { app, campaigns, spaceOfFile, votes } from './support/scene';
import { ballot, type Vote, type Votes } from './support/votes';

/** Voters that send twenty ballots each. */
const VOTERS = depth(75, 500);

spaceOfFile();

const opened = (voters?: number, question?: object): Promise<Vote> => votes.opened(voters, question);
const cast = (id: string, body: object, headers?: Record<string, string>): Promise<Answer> =>
  votes.cast(id, body, headers);
const boxOf = (id: string): ReturnType<Votes['box']> => votes.box(id);
const aVote = async (id: string): Promise<boolean[]> =>
  (await campaigns.sent('GET', `/${id}/votants`)).json.map(({ AVote }: { AVote: boolean }) => AVote);

describe('POST /plateforme/v1/campagnes/:id/bulletins', () => {
  it('201 with a receipt: the voter has voted, the ballot is in the box and the receipt is known', async () => {
    const vote = await opened(2);
    const { status, json } = await cast(vote.id, ballot(vote));
    expect(status).toBe(201);
    expect(json).toEqual({
      Recu: expect.stringMatching(/^[\w-]{32}$/),
      Attestation: expect.any(String),
    });
    expect(await aVote(vote.id)).toEqual([true, false]);
    expect(await boxOf(vote.id)).toEqual([{ poids: '1', reponses: ['0'], syndicat: null }]);
    const found = await app.send(
      votes.platform,
      'GET',
      `/plateforme/v1/campagnes/${vote.id}/recus/${json.Recu}`,
    );
    expect([found.status, found.json]).toEqual([200, { Recu: json.Recu }]);
  });

  it('stores the current weight, union and employer of the voter', async () => {
    const vote = await opened(1);
    await app.send(campaigns.tenant, 'POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'S' }],
    });
    const change = { VotantId: vote.voters[0], Poids: '12.5', SyndicatIdExterne: 'SYN-1' };
    await campaigns.sent('POST', `/${vote.id}/votants/upsert`, change);
    expect((await cast(vote.id, ballot(vote))).status).toBe(201);
    expect(await boxOf(vote.id)).toEqual([{ poids: '12.5', reponses: ['0'], syndicat: 'SYN-1' }]);
  });

  it('stores unranked choices without their order, which could identify the voter', async () => {
    const Options = ['A', 'B', 'C'].map((Libelle) => ({ Libelle }));
    const vote = await opened(1, { Titre: 'Q', Type: 'ChoixLibre', MaxReponses: 3, Options });
    const [a, b, c] = vote.question.Options.map(({ Id }) => Id);
    expect((await cast(vote.id, ballot(vote, 0, { Options: [c, a, b] }))).status).toBe(201);
    expect((await boxOf(vote.id)).map(({ reponses }) => reponses)).toEqual([['0,1,2']]);
  });

  it('stores ranks in their order, and abstentions', async () => {
    const Options = ['A', 'B', 'C'].map((Libelle) => ({ Libelle }));
    const vote = await opened(2, { Titre: 'Q', Type: 'Election', EstPreferentiel: true, Options });
    const ids = vote.question.Options.map(({ Id }) => Id);
    const ranked = [ids[2], ids[0]!.toUpperCase()];
    expect((await cast(vote.id, ballot(vote, 0, { Options: ranked }))).status).toBe(201);
    expect((await cast(vote.id, ballot(vote, 1, { Options: [], Abstention: true }))).status).toBe(201);
    expect((await boxOf(vote.id)).map(({ reponses }) => reponses)).toEqual([[''], ['2,0']]);
  });

  it('409 Vote.DejaVote for the second ballot of a voter, which changes nothing', async () => {
    const vote = await opened(1);
    await cast(vote.id, ballot(vote));
    expectProblem(
      await cast(vote.id, ballot(vote, 0, { Options: [], Abstention: true })),
      409,
      'Vote.DejaVote',
    );
    expect(await boxOf(vote.id)).toHaveLength(1);
  });

  it('409 Vote.SansDroitDeVote without the right to vote', async () => {
    const vote = await opened(1);
    const body = { VotantIds: vote.voters, ADroitDeVote: false };
    await campaigns.sent('PUT', `/${vote.id}/votants/droit-de-vote`, body);
    expectProblem(await cast(vote.id, ballot(vote)), 409, 'Vote.SansDroitDeVote');
    expect(await boxOf(vote.id)).toEqual([]);
  });

  it('404 Votant.NotFound for a voter of another campaign, 404 Campagne.NotFound for one of another tenant', async () => {
    const [vote, other] = [await opened(1), await opened(1)];
    expectProblem(
      await cast(vote.id, { ...ballot(vote), VotantId: other.voters[0] }),
      404,
      'Votant.NotFound',
    );
    expectProblem(await cast(vote.id, { ...ballot(vote), VotantId: randomUUID() }), 404, 'Votant.NotFound');
    const stranger = await app.platformOf(await app.tenant());
    const path = `/plateforme/v1/campagnes/${vote.id}/bulletins`;
    expectProblem(await app.send(stranger, 'POST', path, ballot(vote)), 404, 'Campagne.NotFound');
    expectProblem(await cast(randomUUID(), ballot(vote)), 404, 'Campagne.NotFound');
    expect(await boxOf(vote.id)).toEqual([]);
  });

  it.each<[etat: string, change: (id: string) => Promise<unknown>]>([
    ['Planifie', (id) => campaigns.pass(id, '-1 year')],
    ['Brouillon', (id) => campaigns.sent('POST', `/${id}/depublier`)],
    ['Termine', (id) => campaigns.sent('POST', `/${id}/fermer`)],
    ['Termine', (id) => campaigns.pass(id, '100 years')],
  ])('409 Vote.CampagneNonOuverte in %s, also for an invalid ballot', async (etat, change) => {
    const vote = await opened(1);
    await change(vote.id);
    expect(await campaigns.etat(vote.id)).toBe(etat);
    for (const body of [ballot(vote), { ...ballot(vote), Reponses: [] }]) {
      expectProblem(await cast(vote.id, body), 409, 'Vote.CampagneNonOuverte');
    }
    expect(await boxOf(vote.id)).toEqual([]);
  });

  it('400 Vote.BulletinInvalide tells everything that is wrong, and nothing of what was chosen', async () => {
    const Options = ['A', 'B', 'C'].map((Libelle) => ({ Libelle }));
    const vote = await opened(1, { Titre: 'Q', Type: 'ChoixLibre', MinReponses: 1, MaxReponses: 2, Options });
    const ids = vote.question.Options.map(({ Id }) => Id);
    const wrong: [reponses: object[], pointers: string[]][] = [
      [[], ['/Reponses']],
      [[{ QuestionId: vote.question.Id }], ['/Reponses/0/Options']],
      [[{ QuestionId: vote.question.Id, Options: ids }], ['/Reponses/0/Options']],
      [[{ QuestionId: vote.question.Id, Options: [randomUUID()] }], ['/Reponses/0/Options']],
      [[{ QuestionId: vote.question.Id, Options: [ids[0]], Abstention: true }], ['/Reponses/0/Options']],
      [[{ QuestionId: randomUUID(), Options: [ids[0]] }], ['/Reponses/0/QuestionId', '/Reponses']],
      [
        [
          { QuestionId: vote.question.Id, Options: [ids[0]] },
          { QuestionId: vote.question.Id, Options: [ids[1]] },
        ],
        ['/Reponses/1/QuestionId'],
      ],
    ];
    for (const [Reponses, pointers] of wrong) {
      const answer = await cast(vote.id, { VotantId: vote.voters[0], Reponses });
      expectProblem(answer, 400, 'Vote.BulletinInvalide');
      expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
      for (const id of ids) expect(answer.text).not.toContain(id);
    }
    expect(await aVote(vote.id)).toEqual([false]);
  });

  it('takes a ballot for the questions of now only, although those of before were cached', async () => {
    const vote = await opened(2);
    await cast(vote.id, { ...ballot(vote), Reponses: [] });
    await campaigns.sent('POST', `/${vote.id}/depublier`);
    await campaigns.sent('DELETE', `/${vote.id}/questions/${vote.question.Id}`);
    await campaigns.question(vote.id, { Titre: 'Une autre' });
    await campaigns.sent('POST', `/${vote.id}/publier`);
    const [question] = (await campaigns.sent('GET', `/${vote.id}/questions`)).json;
    expectProblem(await cast(vote.id, ballot(vote)), 400, 'Vote.BulletinInvalide');
    expect((await cast(vote.id, ballot({ ...vote, question }, 1))).status).toBe(201);
  });

  it('records nothing under an Idempotency-Key: the repetition is 409 Vote.DejaVote', async () => {
    const vote = await opened(1);
    const key = { 'Idempotency-Key': randomUUID() };
    expect((await cast(vote.id, ballot(vote), key)).status).toBe(201);
    expectProblem(await cast(vote.id, ballot(vote), key), 409, 'Vote.DejaVote');
    const records = await campaigns.rows(
      'SELECT FROM idempotency_record WHERE tenant_id = $1 AND idempotency_key = $2',
      key['Idempotency-Key'],
    );
    expect(records).toEqual([]);
  });

  it('counts one ballot of each voter who sends 20 at once', async () => {
    const vote = await opened(VOTERS);
    const statuses: number[] = [];
    // A hundred ballots at once are more than are served at once, and few enough that none waits for 10 s.
    for (let from = 0; from < VOTERS; from += 5) {
      const voters = times(5, (n) => from + n);
      const sent = voters.flatMap((voter) => times(20, () => cast(vote.id, ballot(vote, voter))));
      statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
    }
    const count = (status: number): number => statuses.filter((one) => one === status).length;
    expect([count(201), count(409), statuses.length]).toEqual([VOTERS, 19 * VOTERS, 20 * VOTERS]);
    expect(await boxOf(vote.id)).toHaveLength(VOTERS);
    expect((await aVote(vote.id)).filter(Boolean)).toHaveLength(VOTERS);
  }, 300_000);
});

describe('a vote whose outcome is lost with the connection', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is answered 201 where its receipt is in the box', async () => {
    const vote = await opened(1);
    const { cast: put } = BulletinRepository.prototype;
    jest.spyOn(BulletinRepository.prototype, 'cast').mockImplementation(async function (
      this: BulletinRepository,
      ...args
    ) {
      await put.apply(this, args);
      throw new OutcomeUnknown();
    });
    expect((await cast(vote.id, ballot(vote))).status).toBe(201);
    expect(await boxOf(vote.id)).toHaveLength(1);
  });

  it('503 says that it is not known where the box cannot be asked either', async () => {
    const vote = await opened(1);
    jest.spyOn(BulletinRepository.prototype, 'cast').mockRejectedValue(new OutcomeUnknown());
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    jest.spyOn(BulletinRepository.prototype, 'hasRecu').mockRejectedValue(refused);
    const answer = await cast(vote.id, ballot(vote));
    expectProblem(answer, 503, 'Service.Indisponible');
    expect(answer.json.detail).toContain('may have been made');
  });
});

describe('votes during requests that lock the campaign', () => {
  it('fermer gets its turn among voters who come one after another, and no ballot comes after it', async () => {
    const vote = await opened(900);
    let isClosed = false;
    let next = 0;
    const answers: [answer: Answer, wasClosed: boolean][] = [];
    const lanes = times(6, async () => {
      for (let late = 0; late < 2 && next < vote.voters.length;) {
        const wasClosed = isClosed;
        answers.push([await cast(vote.id, ballot(vote, next++)), wasClosed]);
        if (wasClosed) late++;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await campaigns.send('POST', `/${vote.id}/fermer`)).status).toBe(200);
    isClosed = true;
    await Promise.all(lanes);
    // Some voters had not voted when the vote was closed. The close did not wait for the last of them.
    const late = answers.filter(([, wasClosed]) => wasClosed);
    expect(late.length).toBeGreaterThan(0);
    for (const [answer] of late) expectProblem(answer, 409, 'Vote.CampagneNonOuverte');
    expect(await boxOf(vote.id)).toHaveLength(answers.filter(([{ status }]) => status === 201).length);
  });

  it('a closing that comes while its extension is being written closes nothing', async () => {
    const vote = await opened(1);
    const item = await campaigns.item(vote.id);
    await campaigns.rows(
      `UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() + interval '5 s' WHERE tenant_id = $1 AND id_unique = $2`,
      vote.id,
    );
    const { tellDue } = LifecycleService.prototype;
    const slow = jest.spyOn(LifecycleService.prototype, 'tellDue').mockImplementationOnce(async function (
      this: LifecycleService,
      ...args
    ) {
      await tellDue.apply(this, args);
      await new Promise((resolve) => setTimeout(resolve, 6_000));
    });
    const { titre, ouvertureDuVoteUtc, textePageAccueil, libelleAbstention, ordreReponsesAleatoire } = item;
    const extended = await campaigns.send('PUT', `/${vote.id}`, {
      ...{ titre, ouvertureDuVoteUtc, textePageAccueil, libelleAbstention, ordreReponsesAleatoire },
      fermetureDuVoteUtc: '2099-02-01T00:00:00Z',
    });
    slow.mockRestore();
    expect([extended.status, extended.json.etat]).toEqual([200, 'VoteOuvert']);
    expect(await campaigns.etat(vote.id)).toBe('VoteOuvert');
    expect((await cast(vote.id, ballot(vote))).status).toBe(201);
  });

  it('a request of another tenant does not hold up its voters', async () => {
    const vote = await opened(2);
    const holder = await app.connect();
    await holder.query('BEGIN');
    // A vote in progress holds this lock.
    await holder.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 3))', [
      `${campaigns.tenant.tenantId} ${vote.id}`,
    ]);
    const stranger = await app.tenant();
    expectProblem(
      await app.send(stranger, 'POST', `/b2b/v1/campagnes/${vote.id}/fermer`),
      404,
      'Campagne.NotFound',
    );
    expect((await cast(vote.id, ballot(vote))).status).toBe(201);
    // The control: the own tenant's request waits, and voters behind it.
    const closing = campaigns.send('POST', `/${vote.id}/fermer`);
    const isWaiting = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
    await eventually(async () => (await app.database.query(isWaiting)).rowCount || undefined, 'The wait');
    await holder.query('COMMIT');
    await holder.end();
    expect((await closing).status).toBe(200);
  });
});

describe('GET /plateforme/v1/campagnes/:id/recus/:recu', () => {
  it('404 Recu.NotFound for a receipt of another campaign or of none', async () => {
    const [vote, other] = [await opened(1), await opened(1)];
    const { Recu } = (await cast(vote.id, ballot(vote))).json;
    const read = (id: string, recu: string): Promise<Answer> =>
      app.send(votes.platform, 'GET', `/plateforme/v1/campagnes/${id}/recus/${recu}`);
    expectProblem(await read(other.id, Recu), 404, 'Recu.NotFound');
    expectProblem(await read(vote.id, `${Recu}x`), 404, 'Recu.NotFound');
    expectProblem(await read(randomUUID(), Recu), 404, 'Campagne.NotFound');
  });
});

describe('the application’s role', () => {
  const asApplication = async (text: string, ...values: unknown[]): Promise<unknown> => {
    await app.database.query('BEGIN');
    try {
      await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [campaigns.tenant.tenantId]);
      await app.database.query('SET LOCAL ROLE mandat_app');
      return await app.database.query(text, values);
    } finally {
      await app.database.query('ROLLBACK');
    }
  };

  it.each([
    'SELECT * FROM bulletin',
    'SELECT reponses FROM bulletin',
    'SELECT xmin FROM bulletin',
    'SELECT ctid FROM bulletin',
    'SELECT count(*) FROM bulletin',
    'DELETE FROM bulletin',
    'UPDATE bulletin SET poids = 2',
    `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) SELECT tenant_id, id_unique, 1, '{}' FROM campagne RETURNING id_unique`,
    'SELECT xmin FROM recu',
    'SELECT ctid FROM recu',
    'SELECT xmin FROM votant',
    'SELECT ctid FROM votant',
    'COPY bulletin TO STDOUT',
  ])('may not: %s', async (text) => {
    await expect(asApplication(text)).rejects.toMatchObject({ code: '42501' });
  });

  it.each([
    'UPDATE campagne SET urne_fermee_par = pg_current_xact_id()',
    `INSERT INTO campagne (tenant_id, urne_fermee_par) VALUES (gen_random_uuid(), '1')`,
    `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) SELECT tenant_id, id_unique, 1, '{0}' FROM campagne`,
    `INSERT INTO recu (tenant_id, campagne_id, empreinte) SELECT tenant_id, id_unique, '1' FROM campagne`,
    'UPDATE votant SET a_vote = false',
    'INSERT INTO votant (tenant_id, a_vote) VALUES (gen_random_uuid(), true)',
    'UPDATE campagne SET id_unique = gen_random_uuid()',
    'UPDATE campagne SET tenant_id = gen_random_uuid()',
    'UPDATE urne SET graine_partenaire = NULL',
    'UPDATE campagne SET urne_scellee = true',
    'INSERT INTO participation (tenant_id) VALUES (gen_random_uuid())',
    'SELECT FROM depouillement',
    'DELETE FROM participation',
    `UPDATE campagne SET urne_anomalies = NULL, urne_constat = 'x'`,
  ])('may not close a box by itself, nor write into it or its count: %s', async (text) => {
    await expect(asApplication(text)).rejects.toMatchObject({ code: '42501' });
  });

  it('does not put a campaign in the place of another, whose box is closed', async () => {
    const [vote, other] = [await opened(1), await opened(1)];
    await cast(vote.id, ballot(vote));
    await campaigns.sent('POST', `/${other.id}/fermer`);
    const columns =
      'tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire, publiee';
    const anew = `WITH gone AS (DELETE FROM campagne WHERE id_unique = $1 RETURNING *)
      INSERT INTO campagne (id_unique, ${columns}) SELECT id_unique, ${columns} FROM gone`;
    // The foreign key is RESTRICT: no other row can take its place, not even in the same statement.
    await expect(asApplication(anew, vote.id)).rejects.toMatchObject({ code: '23001' });
  });

  it('does not take a voter off the roll who has voted, to have another vote', async () => {
    const vote = await opened(2);
    await cast(vote.id, ballot(vote));
    const removed = asApplication('DELETE FROM votant WHERE campagne_id = $1', vote.id);
    expect(await removed).toMatchObject({ rowCount: 1 });
  });

  it('does not look into an open box by closing it in a transaction that it undoes', async () => {
    const vote = await opened(1);
    await cast(vote.id, ballot(vote));
    await app.database.query('BEGIN');
    await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [campaigns.tenant.tenantId]);
    await app.database.query('SET LOCAL ROLE mandat_app');
    const look = async (): Promise<number> => {
      await app.database.query('SELECT urne_fermer($1)', [vote.id]);
      return (await app.database.query('SELECT * FROM urne_compter($1)', [vote.id])).rowCount!;
    };
    const looked = [await look()];
    await app.database.query(
      `UPDATE campagne SET fermeture_du_vote_utc = ouverture_du_vote_utc WHERE id_unique = $1`,
      [vote.id],
    );
    looked.push(await look());
    await app.database.query('SAVEPOINT s');
    looked.push(await look());
    await expect(app.database.query('SELECT urne_sceller($1)', [vote.id])).rejects.toThrow('not closed');
    await app.database.query('ROLLBACK');
    expect(looked).toEqual([0, 0, 0]);
    expect(await campaigns.etat(vote.id)).toBe('VoteOuvert');
    // The control: closed by a transaction that has ended, the same is counted.
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(
      (await asApplication('SELECT * FROM urne_compter($1)', vote.id)) as { rowCount: number },
    ).toMatchObject({ rowCount: 1 });
  });

  it('puts nothing into a box that is closed', async () => {
    const vote = await opened(1);
    const put = `SELECT WHERE urne_voter($1, $2, 1, '{0}', sha256('recu'))`;
    await expect(asApplication(put, vote.id, vote.voters[0])).resolves.toMatchObject({ rowCount: 1 });
    // For as many questions as there are.
    const wrong = put.replace('{0}', '{0,0}');
    await expect(asApplication(wrong, vote.id, vote.voters[0])).resolves.toMatchObject({ rowCount: 0 });
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    await expect(asApplication(put, vote.id, vote.voters[0])).resolves.toMatchObject({ rowCount: 0 });
  });

  it('learns nothing of the answers while the vote is open, and counts of them afterwards', async () => {
    const vote = await opened(3);
    const count = `SELECT question, reponse, bulletins::int, poids::text FROM urne_compter($1) ORDER BY 1, 2`;
    const counted = async (): Promise<unknown[]> =>
      ((await asApplication(count, vote.id)) as { rows: unknown[] }).rows;
    await cast(vote.id, ballot(vote, 0));
    await cast(vote.id, ballot(vote, 1, { Options: [], Abstention: true }));
    expect(await counted()).toEqual([]);
    await expect(asApplication('SELECT urne_sceller($1)', vote.id)).rejects.toThrow('not closed');
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await counted()).toEqual([
      { question: 0, reponse: '', bulletins: 1, poids: '1' },
      { question: 0, reponse: '0', bulletins: 1, poids: '1' },
    ]);
  });
});
