import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  asBallotBox,
  BOX_TENANT,
  type BoxFunction,
  createBoxFunctions,
} from '../libs/voting/src/sql/ballot-box';
import { APP_ROLE, BALLOT_BOX_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/**
 * Ballots, which no role of the processes can read (docs/adr/0014). Requests add ballots, and only counts are returned.
 * Functions of a separate role access the box; row-level security applies to that role, too.
 */
export class Ballots1764000012000 implements MigrationInterface {
  /**
   * The functions as this migration creates them. A later migration that replaces some of them restores them in its
   * `down`.
   */
  static get functions(): readonly BoxFunction[] {
    return FUNCTIONS;
  }

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

    // Restricted: otherwise one statement could give a campaign with a closed box the identifier of another one.
    // No voter, time or sequence number. One answer for each question, in their order.
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
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
      )`);
    await runner.query(
      `COMMENT ON COLUMN bulletin.reponses IS 'Places of the chosen options from 0, with commas, the most wanted first; empty for an abstention'`,
    );
    // Digests of receipts, separate from the ballots: they prove that a ballot is counted, and not which one.
    await runner.query(`
      CREATE TABLE recu (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        empreinte bytea NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, empreinte)
      )`);
    await this.secure(runner);
    await asBallotBox(runner, () => createBoxFunctions(runner, FUNCTIONS));
  }

  private async secure(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DO $$ BEGIN CREATE ROLE ${BALLOT_BOX_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await runner.query(`GRANT USAGE ON SCHEMA public TO ${BALLOT_BOX_ROLE}`);
    for (const table of ['bulletin', 'recu']) {
      for (const statement of secureTenantTable(table, [BALLOT_BOX_ROLE])) await runner.query(statement);
      await runner.query(`REVOKE UPDATE ON ${table} FROM ${BALLOT_BOX_ROLE}`);
    }
    await runner.query(`GRANT SELECT (tenant_id, campagne_id, empreinte) ON recu TO ${APP_ROLE}`);
    const seen =
      'tenant_id, id_unique, publiee, archivee, publications, ouverture_du_vote_utc, fermeture_du_vote_utc, urne_fermee_par, urne_close';
    await runner.query(`GRANT SELECT (${seen}), UPDATE (urne_fermee_par) ON campagne TO ${BALLOT_BOX_ROLE}`);
    await runner.query(
      `GRANT SELECT (tenant_id, campagne_id, ordre, est_preferentiel) ON question TO ${BALLOT_BOX_ROLE}`,
    );
    await runner.query(`GRANT SELECT, INSERT, DELETE, UPDATE (a_vote) ON votant TO ${BALLOT_BOX_ROLE}`);
    // A role that could close the box, or change its campaign, could open it.
    await this.allowOnly(
      runner,
      'campagne',
      ['tenant_id', 'id_unique', ...CAMPAGNE_COLUMNS],
      CAMPAGNE_COLUMNS,
    );
    // Only voting sets a_vote, and such voters cannot be deleted.
    const names = ['tenant_id', 'campagne_id', 'id_unique', 'date_creation'];
    await this.allowOnly(runner, 'votant', [...names, ...VOTANT_COLUMNS], VOTANT_COLUMNS);
    await runner.query(
      `CREATE POLICY votant_ayant_vote ON votant AS RESTRICTIVE FOR DELETE TO ${APP_ROLE} USING (NOT a_vote)`,
    );
  }

  private async allowOnly(
    runner: QueryRunner,
    table: string,
    inserted: readonly string[],
    updated: readonly string[],
  ): Promise<void> {
    await runner.query(`REVOKE INSERT, UPDATE ON ${table} FROM ${APP_ROLE}`);
    await runner.query(
      `GRANT INSERT (${inserted.join(', ')}), UPDATE (${updated.join(', ')}) ON ${table} TO ${APP_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP POLICY votant_ayant_vote ON votant');
    await runner.query(`GRANT INSERT, UPDATE ON campagne, votant TO ${APP_ROLE}`);
    await asBallotBox(runner, async () => {
      for (const { signature } of FUNCTIONS) await runner.query(`DROP FUNCTION ${signature}`);
    });
    await runner.query('DROP TABLE recu, bulletin');
    await runner.query(
      'ALTER TABLE campagne DROP COLUMN publications, DROP COLUMN urne_close, DROP COLUMN urne_fermee_par, DROP COLUMN graine_departage',
    );
    await runner.query(`REVOKE ALL ON campagne, question, votant FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(`REVOKE USAGE ON SCHEMA public FROM ${BALLOT_BOX_ROLE}`);
  }
}

/** Columns of a campaign that requests may update. */
const CAMPAGNE_COLUMNS = [
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
];

/** Columns of a voter that requests may update. */
const VOTANT_COLUMNS = [
  'identifiant',
  'prenom',
  'nom',
  'courriel',
  'employe_id_externe',
  'syndicat_id_externe',
  'employeur_identifiant_externe',
  'a_droit_de_vote',
  'poids',
];

const FUNCTIONS: readonly BoxFunction[] = [
  {
    // Marks the voter and inserts the ballot and the digest of its receipt, with the voter's current weight, union and
    // employer. Returns whether it did. The caller holds the shared lock of the vote.
    signature: 'urne_voter(uuid, uuid, integer, text[], bytea)',
    shape:
      '(campagne uuid, votant uuid, publications integer, reponses text[], empreinte bytea) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `#variable_conflict use_column
      BEGIN
        WITH voter AS (
          UPDATE votant v SET a_vote = true FROM campagne c
          WHERE c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1 AND c.publiee AND NOT c.archivee AND NOT c.urne_close
            AND c.publications = $3
            AND clock_timestamp() >= c.ouverture_du_vote_utc AND clock_timestamp() < c.fermeture_du_vote_utc
            AND cardinality($4) = (SELECT count(*) FROM question q WHERE q.tenant_id = ${BOX_TENANT} AND q.campagne_id = $1)
            AND v.tenant_id = ${BOX_TENANT} AND v.campagne_id = $1 AND v.id_unique = $2 AND v.a_droit_de_vote AND NOT v.a_vote
          RETURNING v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids
        ), ballot AS (
          INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
          SELECT ${BOX_TENANT}, $1, syndicat_id_externe, employeur_identifiant_externe, poids, $4 FROM voter
        )
        INSERT INTO recu (tenant_id, campagne_id, empreinte) SELECT ${BOX_TENANT}, $1, $5 FROM voter;
        RETURN FOUND;
      END`,
  },
  {
    // Whether the campaign has votes.
    signature: 'urne_contient(uuid)',
    shape: '(campagne uuid) RETURNS boolean',
    manner: 'LANGUAGE sql STABLE',
    body: `SELECT EXISTS (SELECT FROM bulletin b WHERE b.tenant_id = ${BOX_TENANT} AND b.campagne_id = campagne)`,
  },
  {
    // Closes the box of an ended vote. The caller holds the exclusive lock of the campaign, so no vote is running.
    signature: 'urne_fermer(uuid)',
    shape: '(campagne uuid) RETURNS void',
    manner: 'LANGUAGE sql',
    body: `UPDATE campagne c SET urne_fermee_par = pg_current_xact_id()
      WHERE c.tenant_id = ${BOX_TENANT} AND c.id_unique = urne_fermer.campagne AND c.urne_fermee_par IS NULL
        AND c.publiee AND clock_timestamp() >= c.fermeture_du_vote_utc`,
  },
];
