import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/** The public keys that have signed counts, in the directory: a key that was replaced stays listed (docs/adr/0041). */
export class DossierKeys1764000040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE cle_dossier (
        kid text COLLATE "C" PRIMARY KEY,
        cle_publique bytea NOT NULL CHECK (octet_length(cle_publique) = 32),
        date_creation timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`COMMENT ON COLUMN cle_dossier.cle_publique IS 'Ed25519'`);
    await runner.query(`GRANT SELECT, INSERT ON cle_dossier TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE cle_dossier');
  }
}
