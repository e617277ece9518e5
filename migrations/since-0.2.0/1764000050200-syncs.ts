import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** The syncs of the last 30 days, and the records that each has changed as they were before it (docs/adr/0053). */
export class Syncs1764000050200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sync (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL,
        version text NOT NULL CHECK (version IN ('V1', 'V2', 'Annulation')),
        tache_id uuid,
        plan_id uuid,
        annule uuid,
        evenement_id uuid NOT NULL,
        effets json NOT NULL,
        cle bytea,
        octets bigint,
        rang bigint NOT NULL,
        cumul bigint NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(`COMMENT ON COLUMN sync.annule IS 'The sync that this one undoes'`);
    await runner.query(
      `COMMENT ON COLUMN sync.cle IS 'The encrypted key of its images; null if it has none'`,
    );
    await runner.query(
      `COMMENT ON COLUMN sync.octets IS 'Size of its images; null if they were too large to be kept'`,
    );
    await runner.query(
      `COMMENT ON COLUMN sync.cumul IS 'Size of the images of this sync and of all before it, also of those that are removed'`,
    );
    await runner.query('CREATE INDEX sync_rang ON sync (tenant_id, rang, id_unique)');
    await runner.query('CREATE INDEX sync_creation ON sync (tenant_id, date_creation)');
    await runner.query(`
      CREATE TABLE sync_image (
        tenant_id uuid NOT NULL,
        sync_id uuid NOT NULL,
        n integer NOT NULL,
        octets bytea NOT NULL,
        PRIMARY KEY (tenant_id, sync_id, n),
        CONSTRAINT sync_image_sync_fkey FOREIGN KEY (tenant_id, sync_id)
          REFERENCES sync (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(
      `COMMENT ON COLUMN sync_image.octets IS 'A piece of the noted rows, compressed and encrypted with the key of the sync'`,
    );
    for (const table of ['sync', 'sync_image'])
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    await runner.query(
      `CREATE POLICY sync_purge ON sync TO ${ACCESS_ROLE}
       USING (date_creation < now() - interval '30 days') WITH CHECK (false)`,
    );
    await runner.query(
      `GRANT DELETE, SELECT (tenant_id, id_unique, date_creation, octets) ON sync TO ${ACCESS_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sync_image, sync');
  }
}
