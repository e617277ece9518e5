import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceIndex } from '../../libs/platform/src/database/replace-index';

/** The purge reads the old e-mails of each data space. Each table has a migration of its own, so no request waits for all of them. */
export class PurgedEmails1764000049400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'courriel', 'courriel_purge', 'tenant_id, date_creation');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'courriel', 'courriel_purge', 'date_creation');
  }
}
