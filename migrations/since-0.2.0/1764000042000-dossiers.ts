import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE, BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Bundles of sealed boxes, by which anyone can count them again (docs/adr/0041). Boxes sealed before have none. */
export class Dossiers1764000042000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dossier (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        empreinte bytea NOT NULL CHECK (octet_length(empreinte) = 32),
        empreinte_archive bytea NOT NULL CHECK (octet_length(empreinte_archive) = 32),
        sel bytea NOT NULL CHECK (octet_length(sel) = 32),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, campagne_id),
        CONSTRAINT dossier_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
      )`);
    await runner.query(`COMMENT ON COLUMN dossier.empreinte IS 'SHA-256 of manifeste.json'`);
    await runner.query(`COMMENT ON COLUMN dossier.sel IS 'The salts of the roll are made of it'`);
    await runner.query(`
      CREATE TABLE dossier_fichier (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        place integer NOT NULL,
        nom text COLLATE "C" NOT NULL,
        octets bigint NOT NULL,
        sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
        PRIMARY KEY (tenant_id, campagne_id, place),
        CONSTRAINT dossier_fichier_dossier_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES dossier (tenant_id, campagne_id) ON UPDATE RESTRICT ON DELETE CASCADE
          DEFERRABLE INITIALLY DEFERRED
      )`);
    await runner.query(`COMMENT ON COLUMN dossier_fichier.place IS 'In the archive, from 0'`);
    await runner.query(`
      CREATE TABLE dossier_morceau (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        fichier integer NOT NULL,
        place integer NOT NULL,
        octets bytea STORAGE EXTERNAL NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, fichier, place),
        CONSTRAINT dossier_morceau_fichier_fkey FOREIGN KEY (tenant_id, campagne_id, fichier)
          REFERENCES dossier_fichier (tenant_id, campagne_id, place) ON UPDATE RESTRICT ON DELETE CASCADE
          DEFERRABLE INITIALLY DEFERRED
      )`);
    for (const table of ['dossier', 'dossier_fichier', 'dossier_morceau']) {
      for (const statement of secureTenantTable(table, [])) await runner.query(statement);
      // What was built never changes.
      await runner.query(`GRANT SELECT, INSERT ON ${table} TO ${APP_ROLE}`);
    }
    await runner.query('ALTER TABLE campagne ADD COLUMN dossier_du boolean NOT NULL DEFAULT false');
    await runner.query(
      `COMMENT ON COLUMN campagne.dossier_du IS 'The box is sealed with a result, and its bundle is not built yet'`,
    );
    await runner.query(`GRANT SELECT (dossier_du), UPDATE (dossier_du) ON campagne TO ${BALLOT_BOX_ROLE}`);
    for (const table of ['dossier', 'dossier_fichier', 'dossier_morceau'])
      await runner.query(
        `CREATE POLICY ${table}_du ON ${table} AS RESTRICTIVE FOR INSERT TO ${APP_ROLE} WITH CHECK (EXISTS (
           SELECT FROM campagne c
           WHERE c.tenant_id = ${table}.tenant_id AND c.id_unique = ${table}.campagne_id AND c.dossier_du))`,
      );
    await runner.query(
      'CREATE INDEX campagne_dossier_du ON campagne (fermeture_du_vote_utc) WHERE dossier_du',
    );
    await runner.query(
      `CREATE POLICY campagne_dossier_du ON campagne FOR SELECT TO ${ACCESS_ROLE} USING (dossier_du)`,
    );
    await runner.query(`GRANT SELECT (dossier_du) ON campagne TO ${ACCESS_ROLE}`);
    // Finds the other rows of a class, for urne_divulgue.
    await runner.query('CREATE INDEX depouillement_classe ON depouillement (tenant_id, campagne_id, classe)');
    await runner.query(`GRANT MAINTAIN ON depouillement, participation TO ${BALLOT_BOX_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`REVOKE MAINTAIN ON depouillement, participation FROM ${BALLOT_BOX_ROLE}`);
    await runner.query('DROP INDEX depouillement_classe');
    await runner.query('DROP TABLE dossier_morceau, dossier_fichier, dossier');
    await runner.query('DROP POLICY campagne_dossier_du ON campagne');
    await runner.query('ALTER TABLE campagne DROP COLUMN dossier_du');
  }
}
