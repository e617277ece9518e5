import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';

/** The erasure of a rehearsal removes all rows in one transaction. */
export class WholeErasures1764000063000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'db85866fe953c9e44969856f5aa9aaafd761eb6439a674a946aba2d7a1f4af1f';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS essai_effacer(integer)');
    await replaceFunctions(runner, WholeErasures1764000063000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS essai_effacer()');
  }
}
