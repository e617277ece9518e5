import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE, BALLOT_BOX_ROLE } from '../libs/shared/src/database/connections';
import { secureTenantTable } from '../libs/shared/src/database/tenant-table';

/**
 * Ballots, which no role of the processes can read (docs/adr/0014): requests put them in, and what comes out is counts. The
 * box is opened by functions of a role of its own, which is under row-level security like any other.
 */
export class Ballots1764000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE campagne
        ADD COLUMN publications integer NOT NULL DEFAULT 0,
        ADD COLUMN urne_fermee_par xid8,
        ADD COLUMN urne_close boolean NOT NULL GENERATED ALWAYS AS (urne_fermee_par IS NOT NULL) STORED,
        ADD COLUMN graine_departage text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')`);
    await runner.query(
      `COMMENT ON COLUMN campagne.publications IS 'How often it was published: a ballot is for the questions of one publication'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.urne_fermee_par IS 'The transaction that closed the ballot box, for good: none of its votes is under way any more'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.graine_departage IS 'Breaks ties of ranked counts; told from the opening on'`,
    );

    // Neither voter nor time nor sequence. An answer for each question, in their order.
    await runner.query(`
      CREATE TABLE bulletin (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
        syndicat_id_externe text COLLATE "C",
        employeur_identifiant_externe text COLLATE "C",
        poids numeric NOT NULL CHECK (poids > 0),
        reponses text[] COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, id_unique),
        CONSTRAINT bulletin_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON COLUMN bulletin.reponses IS 'Places of the chosen options from 0, with commas, the most wanted first; empty for an abstention'`,
    );
    // Digests of receipts, apart from the ballots: they prove that one is counted, and not which.
    await runner.query(`
      CREATE TABLE recu (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        empreinte bytea NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, empreinte)
      )`);
    await this.secure(runner);
    for (const statement of FUNCTIONS) await runner.query(statement);
    for (const name of FUNCTION_NAMES) {
      await runner.query(`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`);
      await runner.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${APP_ROLE}`);
      await runner.query(`ALTER FUNCTION ${name} OWNER TO ${BALLOT_BOX_ROLE}`);
    }
    await runner.query(`REVOKE CREATE ON SCHEMA public FROM ${BALLOT_BOX_ROLE}`);
    // Whoever runs migrations is often who the processes log in as: they are not to become the role.
    await runner.query(`REVOKE ${BALLOT_BOX_ROLE} FROM CURRENT_USER`);
  }

  private async secure(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DO $$ BEGIN CREATE ROLE ${BALLOT_BOX_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await runner.query(`GRANT ${BALLOT_BOX_ROLE} TO CURRENT_USER`);
    // Whoever is to own a function must be allowed to make one; only until it does.
    await runner.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${BALLOT_BOX_ROLE}`);
    for (const table of ['bulletin', 'recu']) {
      for (const statement of secureTenantTable(table, [BALLOT_BOX_ROLE])) await runner.query(statement);
      await runner.query(`REVOKE UPDATE ON ${table} FROM ${BALLOT_BOX_ROLE}`);
      // Nothing is put into a box that is closed.
      await runner.query(
        `CREATE POLICY ${table}_open ON ${table} AS RESTRICTIVE FOR INSERT TO ${APP_ROLE} WITH CHECK (EXISTS (
           SELECT FROM campagne c WHERE c.tenant_id = ${table}.tenant_id AND c.id_unique = campagne_id AND NOT c.urne_close))`,
      );
    }
    // A ballot's identifier is not the writer's to choose: it could say whose it is.
    await runner.query(
      `GRANT INSERT (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
       ON bulletin TO ${APP_ROLE}`,
    );
    await runner.query(`GRANT INSERT, SELECT (tenant_id, campagne_id, empreinte) ON recu TO ${APP_ROLE}`);
    await runner.query(
      `GRANT SELECT (tenant_id, id_unique, publiee, fermeture_du_vote_utc, urne_fermee_par, urne_close),
         UPDATE (urne_fermee_par) ON campagne TO ${BALLOT_BOX_ROLE}`,
    );
    // Who closes the box opens it: only the function below does, once the vote has ended.
    await runner.query(`REVOKE INSERT, UPDATE ON campagne FROM ${APP_ROLE}`);
    await runner.query(
      `GRANT INSERT (${CAMPAGNE_COLUMNS.join(', ')}), UPDATE (${CAMPAGNE_COLUMNS.join(', ')}) ON campagne TO ${APP_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT ${BALLOT_BOX_ROLE} TO CURRENT_USER`);
    await runner.query(`GRANT INSERT, UPDATE ON campagne TO ${APP_ROLE}`);
    for (const name of FUNCTION_NAMES) await runner.query(`DROP FUNCTION ${name}`);
    await runner.query('DROP TABLE recu, bulletin');
    await runner.query(
      'ALTER TABLE campagne DROP COLUMN publications, DROP COLUMN urne_close, DROP COLUMN urne_fermee_par, DROP COLUMN graine_departage',
    );
    await runner.query(`REVOKE ALL ON campagne FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(`REVOKE USAGE ON SCHEMA public FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(`REVOKE ${BALLOT_BOX_ROLE} FROM CURRENT_USER`);
  }
}

/** What requests write of a campaign. */
const CAMPAGNE_COLUMNS = [
  'tenant_id',
  'id_unique',
  'titre',
  'slug',
  'ouverture_du_vote_utc',
  'fermeture_du_vote_utc',
  'texte_page_accueil',
  'libelle_abstention',
  'ordre_reponses_aleatoire',
  'publiee',
  'archivee',
  'ouverture_annoncee',
  'fermeture_annoncee',
  'nombre_votants',
  'date_creation',
  'date_modification',
  'publications',
  'graine_departage',
];

const FUNCTION_NAMES = [
  'urne_contient(uuid)',
  'urne_fermer(uuid)',
  'urne_compter(uuid, text, text)',
  'urne_melanger(uuid)',
];

const TENANT = `nullif(current_setting('app.tenant_id', true), '')::uuid`;

/** Bound to the catalogue as it is now, so that nobody's search path and tables of the same name get between. */
const SETTINGS = `SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp`;

/**
 * Whether the box of campaign `c` was closed for good: by a transaction that has ended. One that closes, counts and rolls
 * back would otherwise look into the box before each vote, and leave no trace.
 */
const CLOSED = `c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()`;

const FUNCTIONS = [
  // Whether anybody has voted.
  `CREATE FUNCTION urne_contient(campagne uuid) RETURNS boolean LANGUAGE sql STABLE ${SETTINGS} AS $$
     SELECT EXISTS (SELECT FROM bulletin b WHERE b.tenant_id = ${TENANT} AND b.campagne_id = campagne)
   $$`,
  // Closes the box of a vote that has ended. Called by who holds the campaign alone, so that no vote is under way.
  `CREATE FUNCTION urne_fermer(campagne uuid) RETURNS void LANGUAGE sql ${SETTINGS} AS $$
     UPDATE campagne c SET urne_fermee_par = pg_current_xact_id()
     WHERE c.tenant_id = ${TENANT} AND c.id_unique = urne_fermer.campagne AND c.urne_fermee_par IS NULL
       AND c.publiee AND clock_timestamp() >= c.fermeture_du_vote_utc
   $$`,
  // Ballots that answer a question alike, by the union and employer that they count for; once the box is closed.
  `CREATE FUNCTION urne_compter(campagne uuid, syndicat text, employeur text)
   RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric, decimales integer)
   LANGUAGE sql STABLE ${SETTINGS} AS $$
     SELECT a.place::integer - 1, a.reponse, count(*), sum(b.poids), max(scale(trim_scale(b.poids)))
     FROM campagne c, bulletin b, unnest(b.reponses) WITH ORDINALITY a (reponse, place)
     WHERE c.tenant_id = ${TENANT} AND c.id_unique = urne_compter.campagne AND ${CLOSED}
       AND b.tenant_id = ${TENANT} AND b.campagne_id = urne_compter.campagne
       AND (syndicat IS NULL OR b.syndicat_id_externe = syndicat)
       AND (employeur IS NULL OR b.employeur_identifiant_externe = employeur)
     GROUP BY 1, 2 ORDER BY 1, 2
   $$`,
  // Writes all ballots and receipts of a closed campaign anew, in an order of chance and by one transaction.
  `CREATE FUNCTION urne_melanger(campagne uuid) RETURNS void LANGUAGE plpgsql ${SETTINGS} AS $$
   BEGIN
     IF NOT EXISTS (
       SELECT FROM campagne c WHERE c.tenant_id = ${TENANT} AND c.id_unique = $1 AND ${CLOSED}
     ) THEN RAISE EXCEPTION 'The box is not closed.'; END IF;
     WITH taken AS (
       DELETE FROM bulletin b WHERE b.tenant_id = ${TENANT} AND b.campagne_id = $1 RETURNING b.*
     )
     INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
     SELECT t.tenant_id, t.campagne_id, t.syndicat_id_externe, t.employeur_identifiant_externe, t.poids, t.reponses
     FROM taken t ORDER BY random();
     WITH taken AS (
       DELETE FROM recu r WHERE r.tenant_id = ${TENANT} AND r.campagne_id = $1 RETURNING r.*
     )
     INSERT INTO recu SELECT t.* FROM taken t ORDER BY random();
   END $$`,
];
