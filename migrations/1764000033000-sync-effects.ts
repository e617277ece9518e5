import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A task keeps the effects of its sync: `{crees, modifies, inchanges, termines, champsVides, refuses}`. */
export class SyncEffects1764000033000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tache ADD COLUMN effets json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tache DROP COLUMN effets');
  }
}
