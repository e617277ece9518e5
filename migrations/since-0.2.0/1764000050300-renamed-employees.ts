import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';
import { ACCESS_ROLE, APP_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Tables with the foreign key `…_employe_fkey` to an employee's identifier. */
const REFERENCES = ['emploi', 'membership', 'valeur_champ_employe', 'consentement'].concat([
  'votant',
  'votant_ecarte',
  'adhesion',
  'demande_adhesion',
]);

/** Columns that only a renaming writes. */
const RENAMED = {
  adhesion: 'id_externe_employe',
  consentement: 'id_externe_employe',
  demande_adhesion: 'employe_id_externe_envoye',
  liste_electorale: 'employes',
};

/** New identifiers of employees (docs/adr/0054). */
export class RenamedEmployees1764000050300 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '2b485a48ec15db02fa3a2322b6590c33e08e8c2ddf1c9fe9630f136223f32178';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ancien_identifiant (
        tenant_id uuid NOT NULL,
        id_externe text COLLATE "C" NOT NULL,
        employe_id uuid NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, id_externe)
      )`);
    await runner.query(
      `COMMENT ON COLUMN ancien_identifiant.employe_id IS 'The last employee who had the identifier; it may have been deleted since'`,
    );
    await runner.query(
      'CREATE INDEX ancien_identifiant_employe ON ancien_identifiant (tenant_id, employe_id)',
    );
    await runner.query(
      'CREATE INDEX ancien_identifiant_creation ON ancien_identifiant (tenant_id, date_creation)',
    );
    for (const statement of secureTenantTable('ancien_identifiant')) await runner.query(statement);
    await runner.query(
      `CREATE POLICY ancien_identifiant_purge ON ancien_identifiant TO ${ACCESS_ROLE}
       USING (date_creation < now() - interval '400 days') WITH CHECK (false)`,
    );
    await runner.query(
      `GRANT DELETE, SELECT (tenant_id, id_externe, date_creation) ON ancien_identifiant TO ${ACCESS_ROLE}`,
    );
    await runner.query('ALTER TABLE changement ADD COLUMN ancien_id_externe text COLLATE "C"');
    // A renaming writes a table for each statement, and only all of them together keep the references.
    for (const table of REFERENCES)
      await runner.query(
        `ALTER TABLE ${table} ALTER CONSTRAINT ${table}_employe_fkey DEFERRABLE INITIALLY IMMEDIATE`,
      );
    for (const [table, column] of Object.entries(RENAMED))
      await runner.query(`GRANT UPDATE (${column}) ON ${table} TO ${APP_ROLE}`);
    await runner.query('ALTER TABLE tache DROP CONSTRAINT tache_type_check');
    await runner.query(
      `ALTER TABLE tache ADD CONSTRAINT tache_type_check CHECK (type IN ('sync', 'nouveauxIdentifiants'))`,
    );
    await replaceFunctions(runner, RenamedEmployees1764000050300.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM tache WHERE type = 'nouveauxIdentifiants'`);
    await runner.query('ALTER TABLE tache DROP CONSTRAINT tache_type_check');
    await runner.query(`ALTER TABLE tache ADD CONSTRAINT tache_type_check CHECK (type = 'sync')`);
    for (const [table, column] of Object.entries(RENAMED))
      await runner.query(`REVOKE UPDATE (${column}) ON ${table} FROM ${APP_ROLE}`);
    for (const table of REFERENCES)
      await runner.query(`ALTER TABLE ${table} ALTER CONSTRAINT ${table}_employe_fkey NOT DEFERRABLE`);
    await runner.query('ALTER TABLE changement DROP COLUMN ancien_id_externe');
    await runner.query('DROP TABLE ancien_identifiant');
  }
}
