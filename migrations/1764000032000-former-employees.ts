import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Notes about employees whom a partner deleted: an administrator can export and erase them later (docs/adr/0018). */
export class FormerEmployees1764000032000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ancien_employe (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe text COLLATE "C" NOT NULL,
        employes uuid[] NOT NULL,
        lignes jsonb NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON COLUMN ancien_employe.employes IS 'The ids that the employee had, of each time that it was created'`,
    );
    await runner.query(
      `COMMENT ON COLUMN ancien_employe.lignes IS 'Ids of voters and requests that were the person, by their kind'`,
    );
    await runner.query(
      `CREATE INDEX ancien_employe_id_externe ON ancien_employe (tenant_id, id_externe, id_unique)`,
    );
    for (const statement of secureTenantTable('ancien_employe')) await runner.query(statement);
    // Requests without an employee, and those of them that were sent with an identifier.
    await runner.query(
      `CREATE INDEX demande_adhesion_sans_employe ON demande_adhesion (tenant_id, employe_id_externe_envoye)
         WHERE id_externe_employe IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX demande_adhesion_sans_employe');
    await runner.query('DROP TABLE ancien_employe');
  }
}
