import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceIndex } from '../../libs/platform/src/database/replace-index';

/** The purge reads the old tasks of each data space. Each table has a migration of its own, so no request waits for all of them. */
export class PurgedTasks1764000049200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'tache', 'tache_date_fin', 'tenant_id, date_fin');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'tache', 'tache_date_fin', 'date_fin');
  }
}
