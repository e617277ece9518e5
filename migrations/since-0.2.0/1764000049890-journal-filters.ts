import { type MigrationInterface, type QueryRunner } from 'typeorm';

const ORDER = 'date_creation, id_unique';

/** Indexes of the filters of the audit trail, in the order of the list. */
const INDEXES = {
  journal_action: `tenant_id, action, ${ORDER}`,
  journal_cle: `tenant_id, cle_id, ${ORDER}`,
};

/**
 * A page of the entries of an action or a key reads only them. Audited writes wait while the indexes are built, some seconds for
 * each million of entries.
 */
export class JournalFilters1764000049890 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES))
      await runner.query(`CREATE INDEX ${name} ON journal (${columns})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX ${name}`);
  }
}
