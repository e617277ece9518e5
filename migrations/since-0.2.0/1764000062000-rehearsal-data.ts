import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';

/** Erasure of the data of rehearsals, and failures on demand, in staging only. */
export class RehearsalData1764000062000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'fe6e81f775aca620dc9cc06406f93e57b8d04c63d1852fda23bc45c4cbf5387a';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, RehearsalData1764000062000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS essai_effacer(integer)');
  }
}
