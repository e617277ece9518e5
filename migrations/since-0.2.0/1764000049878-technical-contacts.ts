import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Technical contacts of clients, as recipients of e-mails of the service. Data spaces have a copy where it is an address. */
export class TechnicalContacts1764000049878 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE reglage ADD COLUMN contact_technique text');
    // Forced policies also apply to the owner, who would find no rows unless a superuser. The other cells get theirs with the next
    // change of the client.
    await runner.query('ALTER TABLE reglage NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE reglage r SET contact_technique = lower(c.contact_technique COLLATE "C")
       FROM tenant t JOIN client c ON c.id = t.client_id
       WHERE t.id = r.tenant_id AND c.contact_technique ~ '^[!-?A-~]+@[a-zA-Z0-9.-]+$'`,
    );
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
    await runner.query(
      `ALTER TABLE courriel_destinataire ADD COLUMN est_contact boolean NOT NULL DEFAULT false,
         ADD CHECK (NOT est_contact OR employe_id IS NULL AND votant_id IS NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM courriel_destinataire WHERE est_contact');
    await runner.query('ALTER TABLE courriel_destinataire DROP COLUMN est_contact');
    await runner.query('ALTER TABLE reglage DROP COLUMN contact_technique');
  }
}
