import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { secureTenantTable } from '#platform/database/tenant-table';

/** Employees whose voter a request deleted: lists of before do not bring them back. */
export class ExcludedVoters1764000049875 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE votant_ecarte (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        employe_id_externe text COLLATE "C" NOT NULL,
        date_creation timestamptz(3) NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, employe_id_externe),
        CONSTRAINT votant_ecarte_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT votant_ecarte_employe_fkey FOREIGN KEY (tenant_id, employe_id_externe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX votant_ecarte_employe ON votant_ecarte (tenant_id, employe_id_externe)');
    for (const statement of secureTenantTable('votant_ecarte')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE votant_ecarte');
  }
}
