import { type Kind } from './employees';
import { type EmployeeV2, syncV2Of, unions } from './employees-v2';
import { bytesOf, millisecondsOf } from './load';
import { waitsDuring } from './memory';
import { say } from './progress';
import { compared, milliseconds, type Row } from './report';
import type { Contestant } from './rounds';
import { PRODUCT, type Effort, type Work } from './work';
import { expectEqual, fillFrom, type Tenant, type World } from './world';

const UNNEST_FLOOR = 'bare pg, unnest';
const GOAL = { atMost: 2 };
const SYNC = '/b2b/v2/sync';
const SINGLES = 100;
const KINDS: readonly Kind[] = ['new', 'mixed', 'unchanged'];
/** Referenced tables first. */
const TABLES = ['employe', 'emploi', 'membership'] as const;

export const WRITES_V2: readonly Work[] = [
  {
    name: 'v2-sync-10000',
    isCompared: true,
    measure: async (world, effort) => {
      const scene = await SceneV2.set(world, 10_000);
      const rows: Row[] = [];
      for (const kind of KINDS) rows.push(...(await scene.contest(kind, effort)));
      return rows;
    },
  },
  {
    name: 'v2-sync-1',
    isCompared: true,
    measure: async (world, effort) => (await SceneV2.set(world, 10_000)).contestOfSingles(effort),
  },
  {
    name: 'v2-memory',
    measure: async (world, { rounds }) => {
      const scene = await SceneV2.set(world, 100_000);
      const request = scene.request(syncV2Of('mixed', scene.size));
      const work = 'V2 sync 100,000 mixed with 150,000 employments and 100,000 memberships, one process';
      return waitsDuring(world, work, rounds, async (port) => {
        await scene.restore('');
        return () => millisecondsOf(port, request);
      });
    },
  },
];

/** A tenant with as many employees as a V2 sync sends. */
class SceneV2 {
  private constructor(
    private readonly world: World,
    readonly size: number,
    private readonly tenant: Tenant,
  ) {}

  static async set(world: World, size: number): Promise<SceneV2> {
    say(`Making a tenant of ${size.toLocaleString('en')} employees with employments and memberships to sync`);
    const scene = new SceneV2(world, size, await world.newTenant(`V2 sync ${size}`));
    const { database } = world;
    await database.query(
      `TRUNCATE ${TABLES.join(', ')}, floor_employe, floor_emploi, floor_membership CASCADE`,
    );
    world.forgetReadTenants();
    await millisecondsOf(world.api.port, scene.request(syncV2Of('unchanged', size)));
    for (const table of TABLES) {
      await database.query(`DROP TABLE IF EXISTS seed_${table}`);
      await database.query(`CREATE TABLE seed_${table} AS SELECT * FROM ${table}`);
    }
    const { rows } = await database.query('SELECT (SELECT count(*)::int FROM seed_employe) AS n');
    expectEqual('employees created', rows, [{ n: size }]);
    return scene;
  }

  request(employes: readonly EmployeeV2[], Syndicats = unions()): Buffer {
    const body = Buffer.from(JSON.stringify({ Syndicats, Employes: employes }));
    return bytesOf({ method: 'POST', path: SYNC, headers: { 'X-Api-Key': this.tenant.key }, body });
  }

  /**
   * Sets the tables back to the rows before any sync, and runs maintenance that PostgreSQL would otherwise run later.
   */
  async restore(prefix: '' | 'floor_'): Promise<void> {
    const { database } = this.world;
    await database.query(`TRUNCATE ${TABLES.map((table) => prefix + table).join(', ')} CASCADE`);
    // Foreign-key checks are switched off, because the rows were checked at their first write.
    await database.query('SET session_replication_role = replica');
    for (const table of TABLES) await fillFrom(database, prefix + table, `seed_${table}`);
    await database.query('RESET session_replication_role');
    for (const table of TABLES) await database.query(`VACUUM ANALYZE ${prefix}${table}`);
    await database.query('CHECKPOINT');
  }

  /** Compares the product's sync with a floor that writes the same rows of the same body. */
  async contest(kind: Kind, { rounds }: Effort): Promise<Row[]> {
    const title = `V2 sync 10,000 ${kind}, with 15,000 employments and 10,000 memberships`;
    const employes = syncV2Of(kind, this.size);
    const { api, floor } = this.world;
    const request = this.request(employes);
    const body = Buffer.from(JSON.stringify({ Employes: employes }));
    const bare = bytesOf({ method: 'POST', path: `/v2/${this.tenant.id}`, body });
    const contestants: (Contestant & { readonly prefix: '' | 'floor_' })[] = [
      { name: PRODUCT, prefix: '', run: () => millisecondsOf(api.port, request) },
      { name: UNNEST_FLOOR, prefix: 'floor_', run: () => millisecondsOf(floor.port, bare) },
    ];

    say(`${title}: comparing what is written, warming up`);
    for (const { prefix, run } of contestants) {
      await this.restore(prefix);
      await run();
    }
    expectEqual('rows', await this.contents('floor_'), await this.contents(''));

    const figures = await this.world.inTurns(title, contestants, rounds, milliseconds, ({ prefix }) =>
      this.restore(prefix),
    );
    return compared(`${title}, time`, figures, { [UNNEST_FLOOR]: GOAL }, milliseconds);
  }

  /** Compares syncs of one record, one after another, as a partner sends each change at once. */
  async contestOfSingles({ rounds }: Effort): Promise<Row[]> {
    const title = `${SINGLES} V2 syncs of one employee, with employments and memberships`;
    const { api, floor } = this.world;
    const employes = syncV2Of('mixed', this.size).slice(0, SINGLES);
    let round = 0;
    const each = (send: (employe: EmployeeV2) => Promise<number>) => async (): Promise<number> => {
      round++;
      let sum = 0;
      for (const employe of employes) sum += await send({ ...employe, Nom: `${employe.Nom} ${round}` });
      return sum;
    };
    const floorOf = (employe: EmployeeV2): Buffer =>
      bytesOf({
        method: 'POST',
        path: `/v2/${this.tenant.id}`,
        body: Buffer.from(JSON.stringify({ Employes: [employe] })),
      });
    const contestants: Contestant[] = [
      { name: PRODUCT, run: each((employe) => millisecondsOf(api.port, this.request([employe], []))) },
      { name: UNNEST_FLOOR, run: each((employe) => millisecondsOf(floor.port, floorOf(employe))) },
    ];
    for (const { run } of contestants) await run();
    const figures = await this.world.inTurns(title, contestants, rounds, milliseconds);
    return compared(`${title}, time`, figures, {}, milliseconds);
  }

  /** Returns a sum over all sent values for each table. */
  private async contents(prefix: string): Promise<unknown> {
    const sums = {
      employe:
        'id_externe, prenom, nom, no_membre, courriel, telephone_principal, adresse1, ville, province, code_postal',
      emploi:
        'id_externe_employe, identifiant_externe, identifiant_externe_employeur, matricule, date_debut, date_fin',
      membership: 'id_externe_employe, syndicat_id_externe, date_adhesion',
    };
    const parts = TABLES.map(
      (table) =>
        `SELECT '${table}' AS table, count(*), sum(hashtextextended(concat_ws('|', ${sums[table]}), 0)) FROM ${prefix}${table}`,
    );
    return (await this.world.database.query(`${parts.join(' UNION ALL ')} ORDER BY 1`)).rows;
  }
}
