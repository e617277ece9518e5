import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../libs/platform/src/database/roles';

/** Settings of the client for statistics, and the search for ballot boxes of ended votes. */
export class Statistics1764000013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE reglage ADD COLUMN seuil_anonymat integer NOT NULL DEFAULT 1 CHECK (seuil_anonymat >= 1)`,
    );
    // Forced policies also apply to the owner, who would find no rows to update unless a superuser.
    await runner.query('ALTER TABLE reglage NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE reglage r SET seuil_anonymat = c.seuil_anonymat
       FROM tenant t JOIN client c ON c.id = t.client_id WHERE t.id = r.tenant_id`,
    );
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
    const due = 'publiee AND NOT urne_close';
    await runner.query(`CREATE INDEX campagne_urne_due ON campagne (fermeture_du_vote_utc) WHERE ${due}`);
    await runner.query(
      `CREATE POLICY campagne_urne_due ON campagne FOR SELECT TO ${ACCESS_ROLE}
         USING (${due} AND fermeture_du_vote_utc <= now())`,
    );
    await runner.query(`GRANT SELECT (urne_close) ON campagne TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP POLICY campagne_urne_due ON campagne');
    await runner.query('DROP INDEX campagne_urne_due');
    await runner.query(`REVOKE SELECT (urne_close) ON campagne FROM ${ACCESS_ROLE}`);
    await runner.query('ALTER TABLE reglage DROP COLUMN seuil_anonymat');
  }
}
