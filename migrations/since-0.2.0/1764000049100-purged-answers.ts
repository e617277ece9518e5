import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceIndex } from '../../libs/platform/src/database/replace-index';

/** The purge reads the old recorded answers of each data space. Each table has a migration of its own, so no request waits for all of them. */
export class PurgedAnswers1764000049100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(
      runner,
      'idempotency_record',
      'idempotency_record_date_creation',
      'tenant_id, date_creation',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'idempotency_record', 'idempotency_record_date_creation', 'date_creation');
  }
}
