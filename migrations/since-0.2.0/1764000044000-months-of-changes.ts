import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../../libs/platform/src/database/functions';

/**
 * Months of changes are made also if an old one cannot be dropped. Before, one function did both, and PostgreSQL could read a
 * date from the names of all its tables, which failed and undid the new months (docs/adr/0034).
 */
export class MonthsOfChanges1764000044000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createFunctions(runner, 'changement_mois', 'changement_mois_passes');
    // An installation whose worker has failed for a while needs them at once.
    await runner.query('SELECT changement_mois()');
  }

  /** The release before calls `changement_mois` alone: it would keep old months, and lose none. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION changement_mois_passes()');
  }
}
