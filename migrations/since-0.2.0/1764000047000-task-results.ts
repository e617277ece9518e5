import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Long results of tasks, in parts. The release before shows such a task without its result. */
export class TaskResults1764000047000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tache_morceau (
        tenant_id uuid NOT NULL,
        tache_id uuid NOT NULL,
        place integer NOT NULL,
        liste text COLLATE "C",
        octets bytea NOT NULL,
        empreinte bytea NOT NULL GENERATED ALWAYS AS (sha256(octets)) STORED,
        PRIMARY KEY (tenant_id, tache_id, place),
        CONSTRAINT tache_morceau_tache_fkey FOREIGN KEY (tenant_id, tache_id)
          REFERENCES tache (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(
      `COMMENT ON COLUMN tache_morceau.liste IS 'The list of the result whose errors the part has; null for the text between lists'`,
    );
    for (const statement of secureTenantTable('tache_morceau')) await runner.query(statement);
  }

  /** Tasks with a long result end without one. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tache_morceau');
  }
}
