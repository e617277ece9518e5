import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceIndex } from '../../libs/platform/src/database/replace-index';

/** A key without some modules reads the events of several types: the index has the type, so a page does not read the others. */
export class EventsByTypes1764000049710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(
      runner,
      'evenement',
      'evenement_publication',
      'tenant_id, date_publication, id_unique, type',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(
      runner,
      'evenement',
      'evenement_publication',
      'tenant_id, date_publication, id_unique',
    );
  }
}
