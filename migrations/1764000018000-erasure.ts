import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE, ERASURE_ROLE } from '../libs/platform/src/database/roles';

/** Tables whose rows only an erasure may delete. */
const ERASED = ['evenement', 'paiement', 'autorisation_paiement'];

/** Columns that only an erasure updates. */
const WRITTEN = { liste_electorale: 'employes', demande_adhesion: 'employe_id_externe_envoye' };

/** The role of erasures (docs/adr/0018): the application's rights and the additional ones of an erasure. */
export class Erasure1764000018000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DO $$ BEGIN CREATE ROLE ${ERASURE_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await runner.query(`GRANT ${ERASURE_ROLE} TO CURRENT_USER`);
    await runner.query(`GRANT ${APP_ROLE} TO ${ERASURE_ROLE}`);
    await runner.query(`GRANT DELETE ON ${ERASED.join(', ')} TO ${ERASURE_ROLE}`);
    for (const [table, column] of Object.entries(WRITTEN))
      await runner.query(`GRANT UPDATE (${column}) ON ${table} TO ${ERASURE_ROLE}`);
    // Voters without an employee are found by the person's name.
    await runner.query(
      `CREATE INDEX votant_nom ON votant (tenant_id, lower(nom)) WHERE employe_id_externe IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX votant_nom');
    await runner.query(
      `REVOKE ALL ON ${[...ERASED, ...Object.keys(WRITTEN)].join(', ')} FROM ${ERASURE_ROLE}`,
    );
    // The role and its membership stay while another database of the server grants it privileges.
    await runner.query(
      `DO $$ BEGIN DROP ROLE ${ERASURE_ROLE}; EXCEPTION WHEN dependent_objects_still_exist THEN NULL; END $$`,
    );
  }
}
