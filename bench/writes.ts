import { baseline, type Employee, type Kind, KINDS, syncOf } from './employees';
import { bytesOf, millisecondsOf } from './load';
import { memoryRow, waitsDuring } from './memory';
import { PEER, PEER_HEADERS, peerOf } from './peer';
import { say } from './progress';
import { compared, type Goal, milliseconds, perSecond, type Row } from './report';
import type { Contestant } from './rounds';
import { PRODUCT, type Work } from './work';
import { expectEqual, fillFrom, type Tenant, type World } from './world';

const JSON_FLOOR = 'bare pg, raw JSON';
const COPY_FLOOR = 'bare pg, COPY';

/** The peer with its trail of changes, as it is installed, and without it. */
const PEERS = { [PEER]: true, [`${PEER}, its trail switched off`]: false };
const PEER_GOALS = Object.fromEntries(Object.keys(PEERS).map((name) => [name, { atLeast: 40 }]));
/** Fewer rounds, because the peer takes most of a minute for each. */
const PEER_ROUNDS = 3;

/** A contestant with its own table, which is set back to the same rows before each turn. */
interface Writer extends Contestant {
  restore(): Promise<void>;
  /** The number of rows, the number of changed rows, and a sum over all sent values. */
  contents(): Promise<unknown>;
}

type Table = 'employe' | 'floor_employe';

const SYNC_GOALS: Partial<Record<Kind, Goal>> = { mixed: { atMost: 1.2 }, unchanged: { atMost: 1.4 } };

export const WRITES: readonly Work[] = [
  {
    name: 'sync-10000',
    isCompared: true,
    measure: async (world, effort) => {
      const scene = await Scene.set(world, 10_000);
      const rows: Row[] = [];
      for (const kind of KINDS) {
        const employes = syncOf(kind, scene.size);
        const goals = { [JSON_FLOOR]: SYNC_GOALS[kind] };
        const floor = scene.writer(JSON_FLOOR, 'floor_employe', scene.sends(employes));
        rows.push(...(await scene.contest(`sync 10,000 ${kind}`, employes, [floor], goals, effort.rounds)));
      }
      return rows;
    },
  },
  {
    name: 'sync-100000',
    isCompared: true,
    measure: async (world, effort) => {
      const scene = await Scene.set(world, 100_000);
      const employes = syncOf('mixed', scene.size);
      const floor = scene.writer(COPY_FLOOR, 'floor_employe', await scene.copies(employes));
      const goals = { [COPY_FLOOR]: { atMost: 1.4 } };
      return scene.contest('sync 100,000 mixed', employes, [floor], goals, effort.rounds);
    },
  },
  {
    name: 'peer-bulk',
    measure: async (world, { rounds }) => {
      const peer = await peerOf(world);
      if (!peer) return [];
      const scene = await Scene.set(world, 10_000);
      await peer.hold(scene.tenant.id, () => scene.list());
      const works = [
        { title: 'create 10,000 in bulk', kind: 'new', method: 'POST' },
        { title: 'update 10,000 in bulk', kind: 'changed', method: 'PATCH' },
      ] as const;
      const rows: Row[] = [];
      for (const { title, kind, method } of works) {
        const employes = syncOf(kind, scene.size);
        const peers = Object.entries(PEERS).map(([name, keepsTrail]): Writer => {
          // Requests the shortest response, as the product's is short.
          const path = '/items/employe?fields=idExterne&limit=1';
          const request = bytesOf({
            method,
            path,
            headers: PEER_HEADERS,
            body: Buffer.from(JSON.stringify(employes)),
          });
          return {
            name,
            restore: async () => {
              await peer.keepTrail(keepsTrail);
              await peer.restore();
            },
            run: () => millisecondsOf(peer.port, request),
            contents: () => peer.contents(),
          };
        });
        const others = [scene.writer(JSON_FLOOR, 'floor_employe', scene.sends(employes)), ...peers];
        const turns = Math.min(rounds, PEER_ROUNDS);
        rows.push(...(await scene.contest(title, employes, others, PEER_GOALS, turns, 'records a second')));
      }
      return rows;
    },
  },
  {
    name: 'memory',
    measure: async (world, { rounds }) => {
      const scene = await Scene.set(world, 100_000);
      const request = scene.syncRequest(syncOf('mixed', scene.size));
      const sync = await waitsDuring(world, 'sync 100,000 mixed, one process', rounds, async (port) => {
        await scene.restore('employe');
        return () => millisecondsOf(port, request);
      });
      return [...sync, ...(await listMemory(scene, rounds))];
    },
  },
];

/** A tenant with as many employees as a sync sends. */
class Scene {
  private constructor(
    readonly world: World,
    readonly size: number,
    readonly tenant: Tenant,
  ) {}

  static async set(world: World, size: number): Promise<Scene> {
    say(`Making a tenant of ${size.toLocaleString('en')} employees to sync`);
    const scene = new Scene(world, size, await world.newTenant(`Sync ${size}`));
    await world.database.query('TRUNCATE employe CASCADE');
    world.forgetReadTenants();
    await world.fill(scene.tenant, baseline(size));
    await world.database.query('DROP TABLE IF EXISTS seed');
    await world.database.query('CREATE TABLE seed AS SELECT * FROM employe');
    return scene;
  }

  writer(name: string, table: Table, run: () => Promise<number>): Writer {
    return { name, run, restore: () => this.restore(table), contents: () => this.contents(table) };
  }

  /**
   * Sets the table back to the rows before any sync, and runs maintenance that PostgreSQL would otherwise run later.
   */
  async restore(table: Table): Promise<void> {
    const { database } = this.world;
    await database.query(`TRUNCATE ${table} CASCADE`);
    // Foreign-key checks are switched off, because the rows were checked at their first write.
    await database.query('SET session_replication_role = replica');
    await fillFrom(database, table, 'seed');
    await database.query('RESET session_replication_role');
    await database.query(`VACUUM ANALYZE ${table}`);
    await database.query('CHECKPOINT');
  }

  syncRequest(employes: readonly Employee[]): Buffer {
    const headers = { 'X-Api-Key': this.tenant.key };
    return bytesOf({ method: 'POST', path: '/b2b/v1/employe/sync', headers, body: bodyOf(employes) });
  }

  /** Sends the same body of the sync to the floor, which passes it to PostgreSQL. */
  sends(employes: readonly Employee[]): () => Promise<number> {
    const request = bytesOf({ method: 'POST', path: `/json/${this.tenant.id}`, body: bodyOf(employes) });
    return () => millisecondsOf(this.world.floor.port, request);
  }

  /** Sends the rows to the floor, untimed, and returns the request that writes them. */
  async copies(employes: readonly Employee[]): Promise<() => Promise<number>> {
    const { port } = this.world.floor;
    await millisecondsOf(port, bytesOf({ method: 'PUT', path: '/rows', body: bodyOf(employes) }));
    const request = bytesOf({ method: 'POST', path: `/copy/${this.tenant.id}` });
    return () => millisecondsOf(port, request);
  }

  /** Returns all employees as the product lists them. */
  async list(): Promise<string> {
    const headers = { 'X-Api-Key': this.tenant.key };
    return (await fetch(`http://127.0.0.1:${this.world.api.port}/b2b/v1/employe`, { headers })).text();
  }

  /** Compares the product's sync with contestants that write the same rows. */
  async contest(
    title: string,
    employes: readonly Employee[],
    others: readonly Writer[],
    goals: Readonly<Record<string, Goal | undefined>>,
    rounds: number,
    figure: 'time' | 'records a second' = 'time',
  ): Promise<Row[]> {
    const request = this.syncRequest(employes);
    const { port } = this.world.api;
    const product = this.writer(PRODUCT, 'employe', () => millisecondsOf(port, request));
    const writers = [product, ...others];

    say(`${title}: comparing what is written, warming up`);
    for (const { restore, run } of writers) {
      await restore();
      await run();
    }
    const wanted = await product.contents();
    for (const { contents } of others) expectEqual('rows', await contents(), wanted);

    const figures = await this.world.inTurns(title, writers, rounds, milliseconds, ({ restore }) =>
      restore(),
    );
    if (figure === 'time') return compared(`${title}, time`, figures, goals, milliseconds);
    const speeds = figures.map(({ name, values }) => ({
      name,
      values: values.map((time) => (employes.length / time) * 1_000),
    }));
    return compared(`${title}, ${figure}`, speeds, goals, perSecond);
  }

  /** Returns the number of rows, the number changed since the seed, and a sum over all sent values. */
  private async contents(table: Table): Promise<unknown> {
    const { rows } = await this.world.database.query<Record<string, string>>(
      `SELECT count(*), count(*) FILTER (WHERE t.derniere_maj > s.derniere_maj) AS changed,
         sum(hashtextextended(concat_ws('|', t.id_externe, t.prenom, t.nom, t.no_membre, t.courriel,
           t.identifiant_externe_employeur, t.telephone_principal, t.adresse1, t.ville, t.province, t.code_postal), 0))
       FROM ${table} t LEFT JOIN seed s USING (tenant_id, id_externe)`,
    );
    return rows[0];
  }
}

/** A fresh process returns the whole list of 100,000, several times. */
async function listMemory(scene: Scene, rounds: number): Promise<Row[]> {
  const work = 'list 100,000, one process';
  const headers = { 'X-Api-Key': scene.tenant.key };
  await scene.restore('employe');
  const api = await scene.world.startApi();
  const response = await fetch(`http://127.0.0.1:${api.port}/b2b/v1/employe`, { headers });
  expectEqual('employees in the list', ((await response.json()) as unknown[]).length, scene.size);
  const request = bytesOf({ method: 'GET', path: '/b2b/v1/employe', headers });
  for (let round = 0; round < rounds; round++) {
    const time = await millisecondsOf(api.port, request);
    say(`${work}: round ${round + 1} of ${rounds}, ${milliseconds(time)}`);
  }
  const rows = await memoryRow(work, api.pid);
  await api.stop();
  return rows;
}

function bodyOf(employes: readonly Employee[]): Buffer {
  return Buffer.from(JSON.stringify({ employes }));
}
