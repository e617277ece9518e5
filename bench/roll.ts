import { bytesOf, millisecondsOf } from './load';
import { waitsDuring } from './memory';
import { say } from './progress';
import { compared, milliseconds } from './report';
import { PRODUCT, type Work } from './work';
import { expectEqual, type Tenant, type World } from './world';

export const VOTERS = 200_000;
/** The union of all voters. One in ten also belongs to another one. */
export const ELECTORATE = 'SYN-0';
const PLAIN = 'bare pg, plain join';
const CAMPAGNES = '/b2b/v1/campagnes';

/** Returns a tenant whose employees each have a membership and an employment. */
function electorate(world: World): Promise<Tenant> {
  return world.readTenant(`${VOTERS.toLocaleString('en')} members`, async ({ id }) => {
    const { database } = world;
    await database.query(
      `INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT $1, 'SYN-' || n, 'Syndicat' FROM generate_series(0, 9) n`,
      [id],
    );
    await database.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom, courriel, a_emplois)
       SELECT $1, 'E-' || n, 'Marie-Ève', 'Tremblay', 'm.tremblay@example.org', true FROM generate_series(1, $2::int) n`,
      [id, VOTERS],
    );
    await database.query(
      `INSERT INTO membership (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
       SELECT $1::uuid, 'E-' || n, $3, timestamptz '2024-01-01Z' FROM generate_series(1, $2::int) n
       UNION ALL SELECT $1::uuid, 'E-' || n, 'SYN-1', timestamptz '2025-01-01Z' FROM generate_series(1, $2::int, 10) n`,
      [id, VOTERS, ELECTORATE],
    );
    await database.query(
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, matricule,
         date_debut)
       SELECT $1, 'E-' || n, 'J-1', (SELECT min(id_externe) FROM employeur WHERE tenant_id = $1), n::text, '2020-01-01'
       FROM generate_series(1, $2::int) n`,
      [id, VOTERS],
    );
    await database.query('VACUUM ANALYZE employe, membership, emploi');
  });
}

async function newCampagne(world: World, { key }: Tenant): Promise<string> {
  return world.call<string>(CAMPAGNES, key, {
    titre: `Vote ${Date.now()} ${Math.random()}`,
    ouvertureDuVoteUtc: '2098-01-01',
    fermetureDuVoteUtc: '2099-01-01',
  });
}

function enrolment(id: string, { key }: Tenant): Buffer {
  const body = Buffer.from(JSON.stringify({ SyndicatsIdExternes: [ELECTORATE] }));
  const headers = { 'X-Api-Key': key };
  return bytesOf({ method: 'POST', path: `${CAMPAGNES}/${id}/liste-electorale`, headers, body });
}

const rolls = new Map<string, string>();

/** Returns a tenant with a campaign whose roll has all employees. The pages are read from it. */
export async function rollTenant(world: World): Promise<Tenant & { readonly campagne: string }> {
  const tenant = await electorate(world);
  let campagne = rolls.get(tenant.id);
  if (!campagne) {
    rolls.set(tenant.id, (campagne = await newCampagne(world, tenant)));
    await millisecondsOf(world.api.port, enrolment(campagne, tenant));
    await world.database.query('VACUUM ANALYZE votant');
  }
  return { ...tenant, campagne };
}

export const ROLLS: readonly Work[] = [
  {
    name: 'roll-made',
    isCompared: true,
    measure: async (world, { rounds }) => {
      const tenant = await electorate(world);
      const work = `electoral list of ${VOTERS.toLocaleString('en')} voters`;
      const { database, api, floor } = world;
      let campagne = '';
      const clear = async (): Promise<void> => {
        await database.query('DELETE FROM campagne WHERE tenant_id = $1', [tenant.id]);
        rolls.delete(tenant.id);
        await database.query('TRUNCATE floor_votant');
        await database.query('VACUUM ANALYZE votant');
        await database.query('CHECKPOINT');
        campagne = await newCampagne(world, tenant);
      };
      const contestants = [
        { name: PRODUCT, run: () => millisecondsOf(api.port, enrolment(campagne, tenant)) },
        {
          name: PLAIN,
          run: () => {
            const path = `/roll/${tenant.id}/${campagne}/${ELECTORATE}`;
            return millisecondsOf(floor.port, bytesOf({ method: 'POST', path, body: Buffer.from('{}') }));
          },
        },
      ];
      say(`${work}: comparing what is written, warming up`);
      await clear();
      for (const { run } of contestants) await run();
      const sum = async (table: string): Promise<unknown> =>
        (
          await database.query(
            `SELECT count(*), sum(hashtextextended(concat_ws('|', prenom, nom, courriel, employe_id_externe,
               syndicat_id_externe, employeur_identifiant_externe, a_droit_de_vote, poids), 0)) FROM ${table}`,
          )
        ).rows;
      expectEqual('voters', await sum('floor_votant'), await sum('votant'));
      const figures = await world.inTurns(work, contestants, rounds, milliseconds, clear);
      return compared(`${work}, time`, figures, {}, milliseconds);
    },
  },
  {
    name: 'roll-list',
    measure: async (world, { rounds }) => {
      const { key, campagne } = await rollTenant(world);
      const work = `list of ${VOTERS.toLocaleString('en')} voters, one process`;
      const path = `${CAMPAGNES}/${campagne}/votants`;
      const request = bytesOf({ method: 'GET', path, headers: { 'X-Api-Key': key } });
      const list = (port: number) => (): Promise<number> => millisecondsOf(port, request);
      return waitsDuring(world, work, rounds, (port) => Promise.resolve(list(port)));
    },
  },
];
