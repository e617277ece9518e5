import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The daily quota of emails of a data space, and the names and addresses in its emails (docs/adr/0016). */
export class MailSettings1764000025000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Processes of the previous release write neither column.
    const settings = `ADD COLUMN quota_courriels_par_jour integer NOT NULL DEFAULT 5000 CHECK (quota_courriels_par_jour >= 0),
      ADD COLUMN adresse_de_reponse text`;
    await runner.query(`ALTER TABLE client ${settings}`);
    await runner.query(`ALTER TABLE reglage ${settings}, ADD COLUMN nom text, ADD COLUMN environnement text`);
    await runner.query(
      `COMMENT ON COLUMN reglage.nom IS 'The name of the client, for the From of its letters'`,
    );
    // Forced policies also apply to the owner, who would find no rows to update unless a superuser.
    await runner.query('ALTER TABLE reglage NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE reglage r SET nom = c.nom, environnement = t.environnement
       FROM tenant t JOIN client c ON c.id = t.client_id WHERE t.id = r.tenant_id`,
    );
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
    // The recipients of a day are counted from this index only.
    await runner.query(
      `CREATE INDEX courriel_jour ON courriel (tenant_id, date_creation) INCLUDE (nombre_destinataires)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX courriel_jour');
    await runner.query(
      'ALTER TABLE reglage DROP COLUMN quota_courriels_par_jour, DROP COLUMN adresse_de_reponse, DROP COLUMN nom, DROP COLUMN environnement',
    );
    await runner.query(
      'ALTER TABLE client DROP COLUMN quota_courriels_par_jour, DROP COLUMN adresse_de_reponse',
    );
  }
}
