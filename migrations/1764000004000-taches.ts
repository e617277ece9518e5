import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE, QUEUE_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Tasks of partners for the worker, and the role and schema of its queue. pg-boss fills the schema. */
export class Taches1764000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DO $$ BEGIN CREATE ROLE ${QUEUE_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await runner.query(`GRANT ${QUEUE_ROLE} TO CURRENT_USER`);
    await runner.query('CREATE SCHEMA pgboss');
    await runner.query(`GRANT USAGE ON SCHEMA pgboss TO ${QUEUE_ROLE}, ${APP_ROLE}`);

    await runner.query(`
      CREATE TABLE tache (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        type text NOT NULL CHECK (type IN ('sync')),
        etat text NOT NULL CHECK (etat IN ('EnAttente', 'EnCours', 'Reussie', 'Echouee')),
        traites integer NOT NULL DEFAULT 0,
        total integer NOT NULL,
        simulation boolean NOT NULL,
        corps bytea,
        resultat json,
        erreur json,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        date_fin timestamptz(3),
        PRIMARY KEY (tenant_id, id_unique),
        CHECK ((etat IN ('EnAttente', 'EnCours')) = (corps IS NOT NULL)),
        CHECK ((etat IN ('EnAttente', 'EnCours')) = (date_fin IS NULL))
      )`);
    // Compressing a body of 64 MB takes longer than writing it.
    await runner.query('ALTER TABLE tache ALTER COLUMN corps SET STORAGE EXTERNAL');
    await runner.query('CREATE INDEX tache_unfinished ON tache (tenant_id) WHERE date_fin IS NULL');
    await runner.query('CREATE INDEX tache_date_fin ON tache (date_fin)');
    for (const statement of secureTenantTable('tache')) await runner.query(statement);
    // Like the purge of idempotency records, this purge crosses tenants and can access only finished tasks.
    await runner.query(`GRANT SELECT (tenant_id, id_unique, date_fin), DELETE ON tache TO ${ACCESS_ROLE}`);
    await runner.query(
      `CREATE POLICY tache_purge ON tache TO ${ACCESS_ROLE}
         USING (date_fin < now() - interval '7 days') WITH CHECK (false)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tache');
    await runner.query('DROP SCHEMA pgboss CASCADE');
    // A role stays while another database of the server grants it privileges.
    await runner.query(
      `DO $$ BEGIN DROP ROLE ${QUEUE_ROLE}; EXCEPTION WHEN dependent_objects_still_exist THEN NULL; END $$`,
    );
  }
}
