import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/** Bytes of the long results of tasks and of long recorded answers, which have a budget and bound what the purge removes at once. */
export class StoredBytes1764000049700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tache ADD COLUMN octets bigint NOT NULL DEFAULT 0');
    await runner.query(
      `COMMENT ON COLUMN tache.octets IS 'Bytes of the parts of a long result; 0 if it has none'`,
    );
    await runner.query(`GRANT SELECT (octets) ON tache TO ${ACCESS_ROLE}`);
    // Forced policies also apply to the owner, who would find no rows unless a superuser.
    const tables = ['tache', 'tache_morceau'];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(
      `UPDATE tache t SET octets = m.octets FROM (
         SELECT tenant_id, tache_id, sum(octet_length(octets)) AS octets FROM tache_morceau GROUP BY 1, 2
       ) m WHERE t.tenant_id = m.tenant_id AND t.id_unique = m.tache_id`,
    );
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await runner.query(`CREATE INDEX tache_octets ON tache (tenant_id, date_fin) WHERE octets > 0`);
    await runner.query(
      `CREATE INDEX idempotency_record_octets ON idempotency_record (tenant_id) WHERE octet_length(sealed_body) > 65536`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX idempotency_record_octets');
    await runner.query('ALTER TABLE tache DROP COLUMN octets');
  }
}
