import { say } from './progress';
import { alone, compared, milliseconds, perSecond, type Row } from './report';
import { PRODUCT, type Work } from './work';
import { expectEqual, type Server, type Tenant, type World } from './world';

const EVENTS = 10_000;
/** Cards that are signed one after the other to measure the delay. */
const CARDS = 600;
const CARDS_A_SECOND = 50;
const PATIENCE_MS = 120_000;
const RATE_GOAL = { atLeast: 0.45 };

/** Deliveries seen by the receiver, with times in milliseconds since 1970. */
interface Seen {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly arrivals: [string, number][];
}

/** Measures deliveries a second, and the delay from the beginning of an event's transaction to its arrival. */
export const DELIVERIES: readonly Work[] = [
  { name: 'deliveries-rate', isCompared: true, measure: rate },
  { name: 'deliveries-delay', measure: delay },
];

async function rate(world: World, { rounds }: { rounds: number }): Promise<Row[]> {
  const work = `${EVENTS.toLocaleString('en')} deliveries to one endpoint, a second`;
  const { receiver, worker } = await start(world);
  const tenant = await world.newTenant('Deliveries');
  await fillEvents(world, tenant);
  const endpoint = await register(world, tenant, receiver);
  const run = (begin: () => Promise<unknown>) => async (): Promise<number> => {
    await fetch(urlOf(receiver), { method: 'DELETE' });
    await begin();
    const { first, last } = await seen(receiver, EVENTS);
    return (EVENTS / (last - first)) * 1_000;
  };
  const replay = () =>
    world.call(`/b2b/v2/webhook/${endpoint}/recuperer`, tenant.key, { depuis: '2020-01-01' });
  const loop = () =>
    fetch(`http://127.0.0.1:${world.floor.port}/deliver/${tenant.id}/${receiver.port}`, { method: 'POST' });
  const figures = await world.inTurns(
    work,
    [
      { name: PRODUCT, run: run(replay) },
      { name: 'bare loop, not signed', run: run(loop) },
    ],
    rounds,
    perSecond,
    () => settled(world, tenant),
  );
  await settled(world, tenant);
  await worker.stop();
  await receiver.stop();
  return compared(work, figures, { 'bare loop, not signed': RATE_GOAL }, perSecond);
}

async function delay(world: World): Promise<Row[]> {
  const work = `from the signing's transaction to the arrival, ${CARDS_A_SECOND} cards a second`;
  const { receiver, worker } = await start(world);
  const tenant = await world.newTenant('Delays');
  await register(world, tenant, receiver);
  await world.call('/b2b/v2/sync', tenant.key, {
    Syndicats: [{ IdentifiantExterne: 'SYN-0', Nom: 'Syndicat' }],
    Employes: [{ IdExterne: 'E-0', Prenom: 'Zoé', Nom: 'Tremblay' }],
  });
  const platform = await world.platformKey(tenant);
  const begun = performance.now();
  for (let card = 0; card < CARDS; card++) {
    const wait = begun + (card * 1_000) / CARDS_A_SECOND - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await world.call('/plateforme/v1/adhesions', platform, {
      employeIdExterne: 'E-0',
      syndicatIdExterne: 'SYN-0',
      prenom: 'Zoé',
      nom: 'Tremblay',
      courriel: 'zoe@example.org',
    });
    if (card % 100 === 99) say(`${work}: ${card + 1} of ${CARDS}`);
  }
  const { arrivals } = await seen(receiver, CARDS);
  const { rows } = await world.database.query<{ id: string; at: number }>(
    `SELECT id_unique AS id, extract(epoch FROM date_creation)::float8 * 1000 AS at FROM evenement
     WHERE tenant_id = $1 AND type = 'adhesion.signee'`,
    [tenant.id],
  );
  const cameAt = new Map(arrivals);
  const delays = rows.map(({ id, at }) => cameAt.get(id)! - at).sort((a, b) => a - b);
  expectEqual('events that came', delays.length, CARDS);
  await worker.stop();
  await receiver.stop();
  const at = (share: number): number => delays[Math.floor((delays.length - 1) * share)]!;
  return [
    alone(work, `${PRODUCT}, p50`, at(0.5), milliseconds),
    alone(work, `${PRODUCT}, p99`, at(0.99), milliseconds),
  ];
}

async function start(world: World): Promise<{ receiver: Server; worker: Server }> {
  return { receiver: await world.startReceiver(), worker: await world.startWorker() };
}

function register(world: World, tenant: Tenant, receiver: Server): Promise<string> {
  const body = { url: urlOf(receiver), types: ['adhesion.signee'] };
  return world.call<{ id: string }>('/b2b/v2/webhook', tenant.key, body).then(({ id }) => id);
}

/** Creates events with a card each, as signings do. */
async function fillEvents({ database }: World, { id }: Tenant): Promise<void> {
  await database.query(
    `INSERT INTO evenement (tenant_id, type, data)
     SELECT $1, 'adhesion.signee', json_build_object('dateSignature', '2026-03-02T14:05:09.120Z',
       'idUniqueAdhesion', gen_random_uuid(), 'transactionId', 'TX-' || n, 'aSignatureManuscripte', true,
       'syndicatIdExterne', 'SYN-10', 'syndicatNom', 'Syndicat des aciéristes', 'employeIdExterne', 'E-' || n,
       'employeIdUnique', gen_random_uuid(), 'employePrenom', 'Marie-Ève', 'employeNom', 'L''Écuyer',
       'courriel', 'marie-eve.lecuyer@example.org', 'telephonePrincipal', '418 555-0142', 'adresse1', '125, rue Saint-Jean',
       'ville', 'Trois-Rivières', 'province', 'QC', 'codePostal', 'G9A 1B2', 'valeursChampUtilisateur', '[]'::json)
     FROM generate_series(1, $2::int) n`,
    [id, EVENTS],
  );
  await database.query('VACUUM ANALYZE evenement');
}

/** Waits until all outcomes are written, then runs VACUUM as autovacuum would. */
async function settled({ database }: World, { id }: Tenant): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await database.query<{ left: number }>(
      `SELECT (SELECT count(*)::int FROM livraison WHERE tenant_id = $1 AND etat = 'EnAttente')
         + (SELECT count(*)::int FROM pgboss.job WHERE name = 'livraison') AS left`,
      [id],
    );
    if (rows[0]!.left === 0) break;
    if (Date.now() > end) throw new Error(`${rows[0]!.left} deliveries were not written.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await database.query('VACUUM livraison');
  await database.query('VACUUM pgboss.job_common');
}

async function seen(receiver: Server, count: number): Promise<Seen> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = (await (await fetch(urlOf(receiver))).json()) as Seen;
    if (found.count >= count) {
      expectEqual('deliveries', found.count, count);
      return found;
    }
    if (Date.now() > end) throw new Error(`${found.count} of ${count} deliveries came.`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function urlOf({ port }: Server): string {
  return `http://127.0.0.1:${port}/`;
}
