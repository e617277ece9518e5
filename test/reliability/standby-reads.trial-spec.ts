import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { Wire } from '../http/wire';
import { ReplicatedPostgres, serviceUrlOf } from './support/standby';
import { Fleet, type FleetOptions, type FleetSpace } from './support/fleet';
import { openVote } from './support/steady';
import { employee, employer, job, union } from '../sync/support';
import { Receiver, until } from '../webhooks/support/receiver';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

/** So long that a standby whose replay is paused serves reads until the end of a test. */
const NEVER_LATE_MS = '60000';

let pair: ReplicatedPostgres;
/** Two replicas of the API and a worker, for which a paused standby is not late. */
let fleet: Fleet;
let space: FleetSpace;
const open: Fleet[] = [];

/** The encryption of secrets is the same for all processes, because they share the database. */
const SECRETS_KEY = randomBytes(32).toString('base64');

/** Starts processes that read from the standby, unless other variables say so. */
async function started(lagMs: string, { env, ...options }: FleetOptions): Promise<Fleet> {
  const made = await Fleet.start(primaryUrl(), {
    ...options,
    env: { DATABASE_READ_URLS: standbyUrl(), DATABASE_READ_MAX_LAG_MS: lagMs, SECRETS_KEY, ...env },
  });
  open.push(made);
  return made;
}

const primaryUrl = (database = 'mandat'): string => asService(pair.primary.url, database);
const standbyUrl = (database = 'mandat'): string => asService(pair.standby.url, database);

function asService(serverUrl: string, database: string): string {
  const url = new URL(serviceUrlOf(serverUrl));
  url.pathname = database;
  url.search = '';
  return url.href;
}

beforeAll(async () => {
  pair = await ReplicatedPostgres.start({ synchronous: false });
  fleet = await started(NEVER_LATE_MS, { apis: 2, workers: 1 });
  space = await fleet.space();
}, 120_000);
afterAll(async () => {
  for (const one of open) await one.stop();
  await pair.stop();
});

async function migrate(url: string): Promise<void> {
  await promisify(execFile)(process.execPath, [CLI, 'migrate'], {
    env: { ...process.env, DATABASE_URL: url },
  });
}

/** Sends requests with the partner's key to a replica. */
const by = (replica: number, of = fleet, { partner } = space) =>
  of.asker(() => of.apis[replica]!.url(), partner);

let number = 0;
/** An employer that the API has created, named `Avant`, which the standby serves through both replicas. */
async function served(): Promise<string> {
  const id = `EMP-${++number}`;
  await by(0)('POST', '/b2b/v1/employeur', { idExterne: id, nom: 'Avant' });
  await caughtUp();
  for (const replica of [0, 1]) await fromStandby(id, replica);
  return id;
}

/** Waits until the standby has everything, and the processes know it. */
async function caughtUp(): Promise<void> {
  const [row] = await pair.primary.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
  await until('the standby has replayed the log', async () => {
    const text = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done';
    return (await pair.standby.query<{ done: boolean }>(text, [row!.lsn]))[0]!.done;
  });
}

/** Waits until a replica reads the employer from the standby, whose replay is running. */
async function fromStandby(id: string, replica: number, of = fleet): Promise<void> {
  await until('the standby serves reads', async () => {
    const before = await readsOfStandby();
    await by(replica, of)('GET', `/b2b/v1/employeur/${id}`);
    return (await readsOfStandby()) > before;
  });
}

/** Number of statements that connections of the API have begun on the standby; those of its watch are not counted. */
async function readsOfStandby(): Promise<number> {
  const [row] = await pair.standby.query<{ changed: string }>(
    `SELECT coalesce(max(extract(epoch FROM query_start)), 0)::text AS changed FROM pg_stat_activity
     WHERE application_name = 'mandat api' AND query LIKE '%FROM employeur%'`,
  );
  return Number(row!.changed);
}

const pause = (): Promise<unknown> => pair.standby.query('SELECT pg_wal_replay_pause()');
const resume = (): Promise<unknown> => pair.standby.query('SELECT pg_wal_replay_resume()');

/** Changes the name on the primary past the API, so no position is stored. */
const renamed = (id: string, nom: string): Promise<unknown> =>
  pair.primary.query('UPDATE employeur SET nom = $2 WHERE id_externe = $1', [id, nom]);

const nameBy = async (replica: number, id: string, of = fleet): Promise<string> =>
  ((await by(replica, of)('GET', `/b2b/v1/employeur/${id}`)) as { nom: string }).nom;

describe('Reads of partners', () => {
  afterEach(resume);

  it('go to the standby: lists and single ones, through each replica', async () => {
    const id = await served();
    await pause();
    await renamed(id, 'Après');
    for (const replica of [0, 1]) {
      expect(await nameBy(replica, id)).toBe('Avant');
      const list = (await by(replica)('GET', '/b2b/v1/employeur')) as { idExterne: string; nom: string }[];
      expect(list.find(({ idExterne }) => idExterne === id)!.nom).toBe('Avant');
    }
  });

  it('after a write of their tenant, they come from the primary on each replica, until the standby has the write', async () => {
    const id = await served();
    const other = await fleet.space();
    await pause();
    await by(0)('PUT', '/b2b/v1/employeur', { idExterne: id, nom: 'Écrit' });
    for (const replica of [1, 0]) expect(await nameBy(replica, id)).toBe('Écrit');
    // Another data space has nothing to do with it; its key was made by administrators.
    await renamed(id, 'Autrement');
    for (const replica of [1, 0]) expect(await nameBy(replica, id)).toBe('Autrement');
    expect(await by(1, fleet, other)('GET', '/b2b/v1/employeur')).toEqual([]);
    // Without the position of the write, the old value would be seen.
    await pair.primary.query(`UPDATE derniere_ecriture SET position = '0/0'`);
    for (const replica of [1, 0]) expect(await nameBy(replica, id)).toBe('Avant');
  });

  it('see what a task of the worker has written, once they see its end', async () => {
    await served();
    await pause();
    const body = {
      Syndicats: [union('SYN-T', [employer('EMP-T')])],
      Employes: [employee('E-T', { Emplois: [job('J-T', 'EMP-T')] })],
    };
    const headers = { prefer: 'respond-async' };
    const url = await fleet.apis[0]!.url();
    const { json } = await fleet.send(url, space.partner, 'POST', '/b2b/v2/sync', body, headers);
    await until('the task has ended', async () => {
      const task = (await by(1)('GET', `/b2b/v2/tache/${json.id}`)) as { etat: string };
      return task.etat === 'Reussie';
    });
    for (const replica of [0, 1]) await by(replica)('GET', '/b2b/v2/employe/E-T');
  });

  it('see what an administrator has changed in the settings', async () => {
    const id = await served();
    await pause();
    const url = await fleet.apis[0]!.url();
    const path = `/admin/v1/clients/${space.clientId}`;
    const { status } = await fleet.send(url, fleet.adminKey, 'PUT', path, { fuseauHoraire: 'Asia/Tokyo' });
    expect(status).toBe(200);
    // The settings and this change are on the primary only.
    await renamed(id, 'Après');
    for (const replica of [1, 0]) expect(await nameBy(replica, id)).toBe('Après');
    await pair.primary.query(`UPDATE derniere_ecriture SET position = '0/0'`);
    for (const replica of [1, 0]) expect(await nameBy(replica, id)).toBe('Avant');
  });

  it('see a vote, and those of the platform go to the primary', async () => {
    const vote = await openVote(by(0), 1);
    await served();
    await pause();
    const platform = fleet.asker(() => fleet.apis[0]!.url(), space.platform);
    const [VotantId] = vote.voters;
    const Reponses = [{ QuestionId: vote.questionId, Options: [vote.options[0]] }];
    const path = `/plateforme/v1/campagnes/${vote.id}/bulletins`;
    const { Recu } = (await platform('POST', path, { VotantId, Reponses })) as { Recu: string };
    const voter = async (): Promise<unknown> =>
      ((await by(1)('GET', `/b2b/v1/campagnes/${vote.id}/votants/${VotantId}`)) as { AVote: boolean }).AVote;
    expect(await voter()).toBe(true);
    await pair.primary.query(`UPDATE derniere_ecriture SET position = '0/0'`);
    expect(await voter()).toBe(false);
    await platform('GET', `/plateforme/v1/campagnes/${vote.id}/recus/${Recu}`);
  });

  it('see each write of other processes at once, while the standby replays', async () => {
    const id = await served();
    const stale: string[] = [];
    for (let generation = 1; generation <= 100; generation++) {
      const nom = `N-${generation}`;
      await by(generation % 2)('PUT', '/b2b/v1/employeur', { idExterne: id, nom });
      const read = await nameBy((generation + 1) % 2, id);
      if (read !== nom) stale.push(`${nom}: ${read}`);
    }
    expect(stale).toEqual([]);
  });
});

describe('A receiver of webhooks', () => {
  afterEach(resume);

  it('reads the data of an event, even if the process that wrote it ended before it stored the position', async () => {
    const receiver = await Receiver.start();
    // It knows of no standby, so it stores no position.
    const silent = await started(NEVER_LATE_MS, { apis: 1, env: { DATABASE_READ_URLS: '' } });
    const own = await silent.space();
    const partner = by(0, silent, own);
    await partner('POST', '/b2b/v2/webhook', { url: `${receiver.url}/`, types: ['sync.terminee'] });
    const warm = await served();
    await fromStandby(warm, 0);
    await pause();
    await partner('POST', '/b2b/v1/employe/sync', {
      employes: [],
      employeurs: [{ idExterne: 'EMP-W', nom: 'Écrit' }],
      objetsConsentement: [],
    });
    await until('the event arrives', () => receiver.received.length > 0);
    await by(0, fleet, own)('GET', '/b2b/v1/employeur/EMP-W');
    await receiver.stop();
  });
});

describe('A cell', () => {
  afterEach(resume);

  it('has standbys of its own', async () => {
    await pair.primary.query('CREATE DATABASE nord');
    const env = {
      CELLS: `principal=${primaryUrl()} nord=${primaryUrl('nord')}`,
      CELLS_READ: `nord=${standbyUrl('nord')}`,
      DATABASE_READ_URLS: '',
    };
    const owner = new URL(pair.primary.url);
    owner.pathname = 'nord';
    await migrate(owner.href);
    const celled = await started(NEVER_LATE_MS, { apis: 1, env });
    const admin = celled.asker(() => celled.apis[0]!.url(), celled.adminKey);
    const { id } = await admin('POST', '/admin/v1/clients', { nom: 'Nord', modules: [], cellule: 'nord' });
    const wanted = { nom: 'Essai', environnement: 'staging', role: 'partenaire' };
    const { cle } = await admin('POST', `/admin/v1/clients/${id}/cles`, wanted);
    const partner = celled.asker(() => celled.apis[0]!.url(), cle as string);
    await partner('POST', '/b2b/v1/employeur', { idExterne: 'EMP-N', nom: 'Avant' });
    await caughtUp();
    const name = async (): Promise<string> => (await partner('GET', '/b2b/v1/employeur/EMP-N')).nom as string;
    await until('the standby serves reads', async () => {
      await name();
      const [row] = await pair.standby.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = 'nord' AND query LIKE '%FROM employeur%'`,
      );
      return row!.count > 0;
    });
    await pause();
    const nord = new Client({ connectionString: owner.href });
    await nord.connect();
    await nord.query(`UPDATE employeur SET nom = 'Après'`);
    await nord.end();
    expect(await name()).toBe('Avant');
    await partner('PUT', '/b2b/v1/employeur', { idExterne: 'EMP-N', nom: 'Écrit' });
    expect(await name()).toBe('Écrit');
  }, 120_000);
});

describe('A standby that fails', () => {
  /** Reads again and again through both replicas. @returns a function that ends it and returns the statuses other than 200 */
  function reading(id: string, of: Fleet): () => Promise<number[]> {
    let isOver = false;
    const others: number[] = [];
    const loops = of.apis.flatMap((api) =>
      [`/b2b/v1/employeur/${id}`, '/b2b/v1/employeur'].map(async (path) => {
        while (!isOver) {
          const { status } = await of.send(await api.url(), space.partner, 'GET', path);
          if (status !== 200) others.push(status);
          // Four loops without a pause would keep both processors busy while the test waits.
          await sleep(10);
        }
      }),
    );
    return async () => {
      isOver = true;
      await Promise.all(loops);
      return others;
    };
  }

  /** Number of reads that wait for a lock on the standby. */
  async function waitingReads(): Promise<number> {
    const [row] = await pair.standby.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'mandat api' AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  }

  it('is killed: each read is answered, and it serves reads again after its return', async () => {
    const id = await served();
    // The standby replays the lock, so its reads are running when it is killed.
    const locker = await pair.primary.client();
    await locker.query('BEGIN; LOCK TABLE employeur; SELECT pg_current_xact_id()');
    const end = reading(id, fleet);
    await until('reads of both replicas wait on the standby', async () => (await waitingReads()) >= 2);
    await pair.standby.kill();
    await locker.query('COMMIT');
    await locker.end();
    await sleep(1_000);
    await pair.standby.restart();
    await fromStandby(id, 0);
    expect(await end()).toEqual([]);
  }, 120_000);

  it('falls silent: each read is answered, and the primary serves the next ones', async () => {
    const { wire, url } = await Wire.lay(standbyUrl());
    const far = await started('1000', { apis: 1, env: { DATABASE_READ_URLS: url } });
    const id = await served();
    await fromStandby(id, 0, far);
    // The watch makes its own connection after half a second.
    await sleep(1_000);
    await fromStandby(id, 0, far);
    wire.swallowsNew = true;
    wire.deafen();
    const end = reading(id, far);
    await renamed(id, 'Après');
    await until('the primary serves reads', async () => (await nameBy(0, id, far)) === 'Après');
    expect(await end()).toEqual([]);
    await far.stop();
    await wire.cut();
  }, 120_000);

  it('cancels reads that conflict with its replay: they are answered by the primary', async () => {
    await by(0)('POST', '/b2b/v2/sync', { Syndicats: [], Employes: [employee('E-C')] });
    await served();
    await pair.standby.query(`ALTER SYSTEM SET max_standby_streaming_delay = 0`);
    await pair.standby.query('SELECT pg_reload_conf()');
    const conflicts = async (): Promise<number> => {
      const text = `SELECT confl_lock::int AS count FROM pg_stat_database_conflicts WHERE datname = current_database()`;
      return (await pair.standby.query<{ count: number }>(text))[0]!.count;
    };
    // The reads lock `employe` and wait for `emploi`. So the next lock of `employe` conflicts with each of them.
    const locker = await pair.primary.client();
    await locker.query('BEGIN; LOCK TABLE emploi; SELECT pg_current_xact_id()');
    await caughtUp();
    const reads = [0, 1].map((replica) => by(replica)('GET', '/b2b/v2/employe/E-C'));
    await until('the reads of both replicas wait on the standby', async () => (await waitingReads()) === 2);
    expect(await conflicts()).toBe(0);
    await pair.primary.query('BEGIN; LOCK TABLE employe; SELECT pg_current_xact_id(); COMMIT');
    await until('both reads are cancelled', async () => (await conflicts()) === 2);
    await locker.query('COMMIT');
    await locker.end();
    for (const read of await Promise.all(reads)) expect(read).toMatchObject({ idExterne: 'E-C' });
    // The replay would also cancel statements of the next tests.
    await pair.standby.query('ALTER SYSTEM RESET max_standby_streaming_delay');
    await pair.standby.query('SELECT pg_reload_conf()');
  }, 120_000);

  it('is late: reads come from the primary until it has caught up', async () => {
    const strict = await started('1000', { apis: 1 });
    const id = await served();
    await fromStandby(id, 0, strict);
    await pause();
    await renamed(id, 'Après');
    await until('the primary serves reads', async () => (await nameBy(0, id, strict)) === 'Après');
    await renamed(id, 'Encore');
    expect(await nameBy(0, id, strict)).toBe('Encore');
    await resume();
  }, 120_000);

  it('is promoted: reads come from the primary', async () => {
    const id = await served();
    const end = reading(id, fleet);
    await pair.split();
    await renamed(id, 'Ici');
    await pair.standby.query(`UPDATE employeur SET nom = 'Là' WHERE id_externe = $1`, [id]);
    await until('the primary serves reads', async () => (await nameBy(0, id)) === 'Ici');
    await until('also through the other replica', async () => (await nameBy(1, id)) === 'Ici');
    expect(await end()).toEqual([]);
  }, 120_000);
});
