import { randomUUID } from 'node:crypto';
import { baseline } from './employees';
import { bytesOf, millisecondsOf, requestsPerSecond } from './load';
import { say } from './progress';
import { alone, compared, type Goal, milliseconds, perSecond, type Row } from './report';
import { type Effort, PRODUCT, type Work } from './work';
import { expectEqual, type Tenant, type World } from './world';

const BALLOTS = 1_000_000;
const CONNECTIONS = 16;
/** Runs before the measurement. V8 optimizes the product for about 15 s. */
const WARM_UPS = 3;
const SEALING_LIMIT_MS = 30 * 60_000;
const PLAIN = 'bare pg, GROUP BY';
const TWO_STATEMENTS = 'bare pg, the two statements';
const ONE_READ = `${PRODUCT}, one employee by id`;
const ONE_ROW = 'bare pg, one row by id';
/** The union of one ballot in ten. */
const UNION = 'SYN-3';

/** A campaign with its questions: four for or against, and the fifth ranks five options. */
interface Vote {
  readonly campagne: string;
  readonly questions: readonly { readonly id: string; readonly options: readonly string[] }[];
}

/** Creates a campaign with an open or ended vote and this number of voters. */
async function newVote(world: World, { id }: Tenant, voters: number, isOpen: boolean): Promise<Vote> {
  const { database } = world;
  const campagne = randomUUID();
  const questions = [2, 2, 2, 2, 5].map((count) => ({
    id: randomUUID(),
    options: Array.from({ length: count }, () => randomUUID()),
  }));
  await database.query(
    `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
       ordre_reponses_aleatoire, publiee, ouverture_annoncee, fermeture_annoncee, nombre_votants)
     VALUES ($1, $2::uuid, $2::text, $2::text, '2020-01-01Z', $3, false, true, true, true, $4)`,
    [id, campagne, isOpen ? '2099-01-01Z' : '2020-01-02Z', voters],
  );
  for (const [index, question] of questions.entries()) {
    const isRanked = question.options.length > 2;
    await database.query(
      `INSERT INTO question (tenant_id, campagne_id, id_unique, ordre, titre, type, est_preferentiel,
         ordre_reponses_aleatoire, min_reponses, max_reponses, nombre_elus)
       VALUES ($1, $2, $3, $4, 'Question', $5, $6, 0, 1, $7, $8)`,
      [
        id,
        campagne,
        question.id,
        index + 1,
        isRanked ? 'Election' : 'Proposition',
        isRanked,
        isRanked ? 5 : 1,
        isRanked ? 2 : null,
      ],
    );
    await database.query(
      `INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle)
       SELECT $1, $2, id, place, 'Option ' || place FROM unnest($3::uuid[]) WITH ORDINALITY o (id, place)`,
      [id, question.id, question.options],
    );
  }
  await database.query(
    `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true)) SELECT urne_preparer($2) FROM entered`,
    [id, campagne],
  );
  await database.query(
    `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
       a_droit_de_vote, poids)
     SELECT $1, $2, 'Marie-Ève', 'Tremblay', 'SYN-' || n % 10, 'EMP-' || n % 50, true, 1 + n % 3 FROM generate_series(1, $3::int) n`,
    [id, campagne, voters],
  );
  return { campagne, questions };
}

/** Inserts ballots of all voters into the box. */
async function fill(world: World, { id }: Tenant, { campagne }: Vote, ballots: number): Promise<void> {
  await world.database.query(
    `WITH ranked AS (
       SELECT array_agg(a || ',' || b || ',' || c) AS orders
       FROM generate_series(0, 4) a, generate_series(0, 4) b, generate_series(0, 4) c WHERE a <> b AND b <> c AND a <> c
     ), receipts AS (
       INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT $1, $2, sha256(gen_random_uuid()::text::bytea) FROM generate_series(1, $3::int)
     )
     INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
     SELECT $1, $2, 'SYN-' || n % 10, 'EMP-' || n % 50, 1 + n % 3, ARRAY[floor(random() * 2)::text,
       CASE WHEN random() < 0.1 THEN '' ELSE floor(random() * 2)::text END, floor(random() * 2)::text, floor(random() * 2)::text,
       orders[1 + floor(random() * 60)]]
     FROM ranked, generate_series(1, $3::int) n`,
    [id, campagne, ballots],
  );
  await world.database.query('UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2', [
    id,
    campagne,
  ]);
  await world.database.query('VACUUM ANALYZE votant, bulletin, recu, campagne, urne_question, urne_option');
}

/** Returns the tenant with an ended vote of many ballots. */
const counted = new Map<string, Vote>();
async function countedVote(world: World): Promise<{ tenant: Tenant; vote: Vote }> {
  const tenant = await world.readTenant(`a vote of ${BALLOTS.toLocaleString('en')} ballots`, async (made) => {
    const vote = await newVote(world, made, BALLOTS, false);
    await fill(world, made, vote, BALLOTS);
    counted.set(made.id, vote);
  });
  return { tenant, vote: counted.get(tenant.id)! };
}

const FILTERS = { '': '', [`, of one union in ten`]: UNION };

interface Statistics {
  totalVotants: number;
  votantsAyantVote: number;
  questions: { Exprimes: number; Abstentions: number }[];
}

interface Tally {
  voters: number;
  voted: number;
  answers: { place: string; ballots: number }[];
}

function statisticsOf({ key }: Tenant, { campagne }: Vote, syndicat: string) {
  const path = `/b2b/v1/campagnes/${campagne}/stats${syndicat && `?syndicatIdExterne=${syndicat}`}`;
  return { path, request: bytesOf({ method: 'GET', path, headers: { 'X-Api-Key': key } }) };
}

export const VOTES: readonly Work[] = [
  { name: 'votes', isCompared: true, measure: castAll },
  { name: 'receipts', isCompared: true, measure: engage },
  { name: 'stats-live', isCompared: true, measure: countLive },
  { name: 'stats-kept', isCompared: true, measure: readKept },
];

/** Measures ballots of many voters on one campaign. */
async function castAll(world: World, { rounds, seconds }: Effort): Promise<Row[]> {
  const work = 'votes on one campaign, a second';
  const voters = Math.round(2_000 * seconds);
  const tenant = await world.newTenant('Votes');
  const platform = await world.platformKey(tenant);
  const { campagne, questions } = await newVote(world, tenant, voters, true);
  const { rows } = await world.database.query<{ id: string }>(
    'SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY random()',
    [tenant.id, campagne],
  );
  const Reponses = questions.map(({ id, options }) => ({ QuestionId: id, Options: [options[0]] }));
  const requests = (path: string, headers: Record<string, string>): Buffer[] =>
    rows.map(({ id }) => {
      const body = Buffer.from(JSON.stringify({ VotantId: id, Reponses }));
      return bytesOf({ method: 'POST', path, headers, body });
    });
  const ours = requests(`/plateforme/v1/campagnes/${campagne}/bulletins`, { 'X-Api-Key': platform });
  const bare = requests(`/vote/${tenant.id}/${campagne}`, {});
  const clear = async (): Promise<void> => {
    for (const table of ['bulletin', 'recu'])
      await world.database.query(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenant.id]);
    await world.database.query('UPDATE votant SET a_vote = false WHERE tenant_id = $1', [tenant.id]);
    await world.database.query('VACUUM ANALYZE votant, bulletin, recu');
    await world.database.query('CHECKPOINT');
  };
  const contestants = [
    { name: PRODUCT, run: () => requestsPerSecond(world.api.port, ours, voters, CONNECTIONS) },
    { name: TWO_STATEMENTS, run: () => requestsPerSecond(world.floor.port, bare, voters, CONNECTIONS) },
  ];
  say(`${work}: comparing what is written, warming up`);
  for (const { run } of contestants) {
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) {
      await clear();
      await run();
    }
    const { rows: found } = await world.database.query(
      'SELECT count(*)::int AS ballots, (SELECT count(*)::int FROM votant WHERE tenant_id = $1 AND a_vote) AS voted FROM bulletin WHERE tenant_id = $1',
      [tenant.id],
    );
    expectEqual('ballots', found, [{ ballots: voters, voted: voters }]);
  }
  const figures = await world.inTurns(work, contestants, rounds, perSecond, clear);
  return compared(work, figures, { [TWO_STATEMENTS]: { atLeast: 0.6 } }, perSecond);
}

/** New receipts of a round, each on the log of the rounds before. */
const NEW_RECEIPTS = [100_000, 900_000, 1, 1_000_000];

/** Measures rounds of the log of receipts, and proofs of the last one. */
async function engage(world: World, { rounds }: Effort): Promise<Row[]> {
  const tenant = await world.newTenant('Receipts');
  const platform = await world.platformKey(tenant);
  const { campagne } = await newVote(world, tenant, 1, true);
  const found: Row[] = [];
  const own = [tenant.id, campagne];
  let size = 0;
  for (const count of NEW_RECEIPTS) {
    await world.database.query(
      `INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT $1, $2, sha256(gen_random_uuid()::text::bytea) FROM generate_series(1, $3::int)`,
      [...own, count],
    );
    await world.database.query('VACUUM ANALYZE recu, recu_noeud, engagement');
    await world.database.query(
      'UPDATE engagement SET date_creation = $3 WHERE tenant_id = $1 AND campagne_id = $2',
      [...own, new Date(0)],
    );
    await world.database.query('CHECKPOINT');
    size += count;
    const worker = await world.startWorker();
    const start = performance.now();
    const isSigned = async (): Promise<boolean> =>
      (
        await world.database.query(
          'SELECT FROM engagement WHERE tenant_id = $1 AND campagne_id = $2 AND taille = $3',
          [...own, size],
        )
      ).rowCount === 1;
    while (!(await isSigned())) await new Promise((resolve) => setTimeout(resolve, 50));
    const spent = performance.now() - start;
    await worker.stop();
    const work = `checkpoint of ${size.toLocaleString('en')} receipts, ${count.toLocaleString('en')} of them new, time`;
    found.push(alone(work, `${PRODUCT}, one worker`, spent, (value) => `${(value / 1_000).toFixed(1)} s`));
  }
  const { rows } = await world.database.query<{ empreinte: Buffer }>(
    'SELECT empreinte FROM recu WHERE tenant_id = $1 AND campagne_id = $2 AND place % 20011 = 7',
    own,
  );
  const headers = { 'X-Api-Key': platform };
  const requests = rows.map(({ empreinte }) => {
    const path = `/plateforme/v1/campagnes/${campagne}/recus/${empreinte.toString('base64url')}/preuve`;
    return bytesOf({ method: 'GET', path, headers });
  });
  const work = `proof of a receipt among ${size.toLocaleString('en')}, time`;
  const one = async (): Promise<number> =>
    1_000 / (await requestsPerSecond(world.api.port, requests, requests.length, 1));
  await one();
  const figures = await world.inTurns(work, [{ name: PRODUCT, run: one }], rounds, milliseconds);
  return [...found, ...compared(work, figures, {}, milliseconds)];
}

/** Measures statistics of a closed box before the sealing. */
async function countLive(world: World, { rounds }: Effort): Promise<Row[]> {
  const { tenant, vote } = await countedVote(world);
  const found: Row[] = [];
  for (const [what, syndicat] of Object.entries(FILTERS)) {
    const work = `statistics of ${BALLOTS.toLocaleString('en')} ballots, live${what}, time`;
    const { path, request } = statisticsOf(tenant, vote, syndicat);
    const floorPath = `/tally/${tenant.id}/${vote.campagne}${syndicat && `/${syndicat}`}`;
    const floorRequest = bytesOf({ method: 'GET', path: floorPath });
    const contestants = [
      { name: PRODUCT, run: () => millisecondsOf(world.api.port, request) },
      { name: PLAIN, run: () => millisecondsOf(world.floor.port, floorRequest) },
    ];
    say(`${work}: comparing the answers, warming up`);
    const {
      totalVotants: voters,
      votantsAyantVote: voted,
      questions,
    } = await read<Statistics>(world.api.port, path, tenant.key);
    const { answers, ...turnout } = await read<Tally>(world.floor.port, floorPath);
    expectEqual('voters', turnout, { voters, voted });
    const ballots = (place: number): number =>
      answers.reduce((sum, one) => (Number(one.place) === place ? sum + one.ballots : sum), 0);
    questions.forEach(({ Exprimes, Abstentions }, index) =>
      expectEqual('ballots', Exprimes + Abstentions, ballots(index + 1)),
    );
    const figures = await world.inTurns(work, contestants, rounds, milliseconds);
    found.push(...compared(work, figures, { [PLAIN]: { atMost: 1.2 } }, milliseconds));
  }
  return found;
}

/** Measures statistics of a sealed box, compared with a single read. */
async function readKept(world: World, { rounds, seconds }: Effort): Promise<Row[]> {
  const { tenant, vote } = await countedVote(world);
  const found: Row[] = [await sealed(world, tenant, vote)];
  const employes = await world.readTenant('1,000 employees', (made) => world.fill(made, baseline(1_000)));
  const goals: Record<string, Goal>[] = [{ [ONE_READ]: { atLeast: 0.5 } }, {}];
  for (const [what, syndicat] of Object.entries(FILTERS)) {
    const work = `statistics of ${BALLOTS.toLocaleString('en')} ballots, kept${what}, requests a second`;
    const { request } = statisticsOf(tenant, vote, syndicat);
    const headers = { 'X-Api-Key': employes.key };
    const single = bytesOf({ method: 'GET', path: '/b2b/v1/employe/E-0', headers });
    const one = bytesOf({ method: 'GET', path: `/one/${employes.id}/E-0` });
    const contestants = [
      {
        name: PRODUCT,
        run: (count: number) => requestsPerSecond(world.api.port, [request], count, CONNECTIONS),
      },
      {
        name: ONE_READ,
        run: (count: number) => requestsPerSecond(world.api.port, [single], count, CONNECTIONS),
      },
      {
        name: ONE_ROW,
        run: (count: number) => requestsPerSecond(world.floor.port, [one], count, CONNECTIONS),
      },
    ];
    const speeds = [];
    for (const { run } of contestants) speeds.push(await run(1_600));
    const count = Math.max(2, Math.round((Math.min(...speeds) * seconds) / CONNECTIONS)) * CONNECTIONS;
    const runs = contestants.map(({ name, run }) => ({ name, run: () => run(count) }));
    const figures = await world.inTurns(work, runs, rounds, perSecond);
    found.push(...compared(work, figures, goals.shift()!, perSecond));
  }
  return found;
}

/** Starts a worker that seals the box. @returns the duration */
async function sealed(world: World, tenant: Tenant, { campagne }: Vote): Promise<Row> {
  const work = `sealing of ${BALLOTS.toLocaleString('en')} voters and ballots, time`;
  const isSealed = async (): Promise<boolean> => {
    const { rows } = await world.database.query<{ sealed: boolean }>(
      'SELECT urne_scellee AS sealed FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
      [tenant.id, campagne],
    );
    return rows[0]!.sealed;
  };
  const start = performance.now();
  const worker = await world.startWorker();
  while (!(await isSealed())) {
    const spent = performance.now() - start;
    if (spent > SEALING_LIMIT_MS) throw new Error('The box is not sealed.');
    say(`${work}: ${Math.round(spent / 1_000)} s so far`);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
  const spent = performance.now() - start;
  await worker.stop();
  await world.database.query('VACUUM ANALYZE votant, bulletin, recu, depouillement, participation');
  const show = (value: number): string => `${Math.round(value / 1_000)} s`;
  return alone(work, `${PRODUCT}, one worker`, spent, show, { atMost: 60_000 });
}

async function read<T>(port: number, path: string, key?: string): Promise<T> {
  const headers: Record<string, string> = key ? { 'X-Api-Key': key } : {};
  return (await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json()) as T;
}
