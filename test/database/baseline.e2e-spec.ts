import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { migrateDown, migrateUp } from '../../libs/platform/src/database/migrate';
import { ConfigError } from '../../libs/platform/src/ops/config-error';
import { BASELINE } from '../../migrations/baseline';
import { describeSchema } from '../contract/support/catalogue';

/** SQL of `migrate` of release 0.2.0 for an empty database (tools/database/record-release.mjs, on commit d857608). */
const RELEASE = gunzipSync(readFileSync(join(__dirname, 'release-0.2.0.sql.gz'))).toString();

const [SPACE, CLIENT, TASK] = [randomUUID(), randomUUID(), randomUUID()];

/** Rows that release 0.2.0 could have written, and that migrations after it change. The employee is a change, by its trigger. */
const DATA = `
  INSERT INTO client (id, nom, modules, contact_technique) VALUES ('${CLIENT}', 'Client', '{vote}', 'Zoe@EXAMPLE.org');
  INSERT INTO tenant (id, client_id, environnement) VALUES ('${SPACE}', '${CLIENT}', 'staging');
  INSERT INTO reglage (tenant_id, fuseau_horaire, courriels_essai) VALUES ('${SPACE}', 'America/Toronto', '{EXAMPLE.org}');
  INSERT INTO cle (id, tenant_id, role, nom, prefixe, empreinte, date_creation, expire_le)
    VALUES (uuidv7(), '${SPACE}', 'partenaire', 'Clé', 'mdt_', sha256('clé'), '2026-01-01Z', '2026-01-02Z');
  BEGIN;
  SELECT set_config('app.tenant_id', '${SPACE}', true);
  INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ('${SPACE}', 'EMP-1', 'Usine');
  INSERT INTO employe (tenant_id, id_externe, prenom, nom, identifiant_externe_employeur)
    VALUES ('${SPACE}', 'E-' || normalize('é', NFD), 'Zoé', 'Roy', 'EMP-1');
  COMMIT;
  INSERT INTO tache (tenant_id, id_unique, type, etat, total, simulation, date_fin)
    VALUES ('${SPACE}', '${TASK}', 'sync', 'Reussie', 1, false, now());
  INSERT INTO campagne (tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire, publiee)
    VALUES ('${SPACE}', 'Grève', 'greve', now(), now() + interval '1 day', false, true);`;

const clients: Client[] = [];

/** Connects to a new empty database. */
async function empty(): Promise<{ url: string; database: Client }> {
  const name = `mandat_test_${randomUUID().replaceAll('-', '')}`;
  const server = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await server.connect();
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await server.end();
  const url = new URL(`/${name}`, process.env.TEST_DATABASE_URL).href;
  const database = new Client({ connectionString: url });
  await database.connect();
  clients.push(database);
  return { url, database };
}

const migrated = (url: string): Promise<string[]> =>
  migrateUp(
    url,
    () => Promise.resolve(),
    () => undefined,
  );

async function names(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT timestamp || ' ' || name AS name FROM migration ORDER BY id`,
  );
  return rows.map(({ name }) => name);
}

let fresh: Awaited<ReturnType<typeof empty>>;
let earlier: Awaited<ReturnType<typeof empty>>;
let release: string[];
let applied: string[];
let schema: string[];

beforeAll(async () => {
  [fresh, earlier] = [await empty(), await empty()];
  jest.spyOn(console, 'log').mockImplementation();
  await earlier.database.query(RELEASE);
  release = await describeSchema(earlier.database);
  await earlier.database.query(DATA);
  applied = await migrated(earlier.url);
  expect(await migrated(fresh.url)).toEqual(['the schema of 0.2.0', ...applied]);
  schema = await describeSchema(fresh.database);
}, 60_000);
afterAll(() => Promise.all(clients.map((client) => client.end())));

describe('a new database', () => {
  it('has the catalogue of a database of release 0.2.0 with data that was migrated on', async () => {
    expect(schema).toEqual(await describeSchema(earlier.database));
  });

  it('notes the same migrations as done, in the same order', async () => {
    const all = await names(fresh.database);
    expect(all).toEqual(await names(earlier.database));
    expect(all.map((name) => name.split(' ')[1])).toEqual([...BASELINE.migrations, ...applied]);
  });

  it.each([
    ['relation', 'CREATE TABLE more (id integer)'],
    [
      'relation',
      `DO $$ BEGIN EXECUTE format('ALTER TABLE changement DETACH PARTITION %I', 'changement_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')); END $$`,
    ],
    ['relation', 'ALTER TABLE votant OWNER TO mandat_app'],
    ['relation', 'ALTER TABLE votant NO FORCE ROW LEVEL SECURITY'],
    ['relation', 'GRANT SELECT ON votant TO mandat_app'],
    ['relation', 'ALTER VIEW emploi_v1 RESET (security_invoker)'],
    ['column', 'ALTER TABLE votant ADD COLUMN more integer'],
    ['column', 'ALTER TABLE question ALTER COLUMN ordre TYPE bigint'],
    ['column', 'ALTER TABLE votant ALTER COLUMN a_vote SET DEFAULT true'],
    ['column', 'ALTER TABLE votant ALTER COLUMN prenom DROP NOT NULL'],
    ['column', 'GRANT UPDATE (a_vote) ON votant TO mandat_app'],
    ['column', 'ALTER TABLE evenement ALTER COLUMN tenant_id SET STATISTICS DEFAULT'],
    ['statistics', `SELECT pg_clear_attribute_stats('public', 'evenement', 'tenant_id', false)`],
    ['sequence', 'ALTER SEQUENCE espace_ferme_existe CYCLE'],
    ['constraint', 'ALTER TABLE votant DROP CONSTRAINT votant_employe_fkey'],
    ['constraint', 'ALTER TABLE journal VALIDATE CONSTRAINT journal_chained'],
    ['index', 'DROP INDEX votant_nom'],
    ['policy', 'ALTER POLICY votant_ayant_vote ON votant USING (true)'],
    ['trigger', 'DROP TRIGGER changement_delete ON emploi'],
    ['trigger', 'ALTER TABLE emploi DISABLE TRIGGER changement_delete'],
    [
      'function',
      `CREATE OR REPLACE FUNCTION tenant_time_zone() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'UTC' $$`,
    ],
    ['function', 'ALTER FUNCTION urne_voter OWNER TO CURRENT_USER'],
    ['function', 'GRANT EXECUTE ON FUNCTION changement_mois TO mandat_app'],
    ['schema', 'GRANT CREATE ON SCHEMA public TO mandat_app'],
    ['comment', `COMMENT ON COLUMN urne_option.place IS 'Other'`],
    [
      'database',
      `DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM mandat_app', current_database()); END $$`,
    ],
  ])('negative control: a difference is found, %s: %s', async (kind, change) => {
    const { database } = fresh;
    await database.query('BEGIN');
    await database.query(change);
    const changed = new Set(await describeSchema(database));
    await database.query('ROLLBACK');
    const lines = [...schema, ...changed].filter((line) => !changed.has(line) || !schema.includes(line));
    expect(lines.map((line) => line.split(' ')[0])).toContain(kind);
  });
});

describe('a database of release 0.2.0', () => {
  it('keeps its rows, which are as the migrations make them', async () => {
    const { rows } = await earlier.database.query(
      `SELECT e.id_externe, e.identifiant_externe_employeur, l.entites, vie_ms,
         r.contact_technique, r.courriels_essai, t.octets, t.id_unique AS task, c.titre, c.dossier_du
       FROM employe e, changement_lot l, cle, reglage r, tache t, campagne c`,
    );
    expect(rows).toEqual([
      {
        id_externe: 'E-é',
        identifiant_externe_employeur: 'EMP-1',
        entites: ['Employe', 'Employeur'],
        vie_ms: 86_400_000,
        contact_technique: 'zoe@example.org',
        courriels_essai: ['@example.org'],
        octets: '0',
        task: TASK,
        titre: 'Grève',
        dossier_du: false,
      },
    ]);
  });

  it('is there again after all steps down, and no further one is made', async () => {
    await migrateDown(fresh.url, applied.length, () => undefined);
    // The functions of its migrations were indented, changement_mois stays (see its migration), and PostgreSQL writes the rights of
    // an owner once others had some.
    const comparable = (lines: readonly string[]): string[] =>
      lines
        .filter((line) => !line.includes('changement_mois()'))
        .map((line) => line.replaceAll(/^\s*--.*$/gm, '').replaceAll(/\s+/g, ' '))
        .map((line) => line.replace(/^(relation migration .*) postgres=arwdDxtm\/postgres$/, '$1'));
    expect(comparable(await describeSchema(fresh.database))).toEqual(comparable(release));
    await expect(migrateDown(fresh.url, 1, () => undefined)).rejects.toThrow(ConfigError);
    await migrated(fresh.url);
    expect(await describeSchema(fresh.database)).toEqual(schema);
  });
});

describe('migrate', () => {
  it('refuses a database that is older than release 0.2.0, which it leaves as it is', async () => {
    const { url, database } = await empty();
    await database.query(RELEASE);
    await database.query('DELETE FROM migration WHERE name = $1', [BASELINE.migrations.at(-1)]);
    const before = await names(database);
    await expect(migrated(url)).rejects.toThrow(
      new ConfigError(
        'The schema of this database is older than release 0.2.0. Run the command migrate of release 0.2.0 first, then this one.',
      ),
    );
    expect(await names(database)).toEqual(before);
    expect(await describeSchema(database)).toEqual(release);
  });

  it('leaves a database of a later release as it is', async () => {
    await earlier.database.query(
      `INSERT INTO migration (timestamp, name) VALUES (1999999999999, 'Later1999999999999')`,
    );
    expect(await migrated(earlier.url)).toEqual([]);
  });

  it('runs no migration that an earlier build left in dist', async () => {
    const left = join(__dirname, '../../migrations/since-0.2.0/1764000099999-left.js');
    writeFileSync(
      left,
      'exports.Left1764000099999 = class Left1764000099999 { async up() { throw new Error("left"); } async down() {} };',
    );
    try {
      expect(await migrated(earlier.url)).toEqual([]);
    } finally {
      rmSync(left);
    }
  });
});
