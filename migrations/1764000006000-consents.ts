import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** The history of consents. Rows are only added. */
export class Consents1764000006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE consentement (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe_employe text COLLATE "C" NOT NULL,
        id_externe_objet text COLLATE "C" NOT NULL,
        accepte boolean NOT NULL,
        date_consentement timestamptz(3) NOT NULL,
        valeurs_champ json NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT consentement_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
        CONSTRAINT consentement_objet_fkey FOREIGN KEY (tenant_id, id_externe_objet)
          REFERENCES objet_consentement (tenant_id, id_externe)
      )`);
    await runner.query(
      `COMMENT ON COLUMN consentement.valeurs_champ IS 'Custom values given with the consent, in V1''s flat shape'`,
    );
    await runner.query(
      `CREATE INDEX consentement_date ON consentement (tenant_id, date_consentement, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX consentement_employe ON consentement (tenant_id, id_externe_employe, date_consentement, id_unique)`,
    );
    await runner.query(`CREATE INDEX consentement_objet ON consentement (tenant_id, id_externe_objet)`);
    for (const statement of secureTenantTable('consentement')) await runner.query(statement);
    // Consents of a deleted employee are deleted by the foreign key, which needs no privilege.
    await runner.query(`REVOKE UPDATE, DELETE ON consentement FROM ${APP_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE consentement');
  }
}
