import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Plans as tasks. */
export class PlanTasks1764000050350 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tache
        ADD version text CHECK (version IN ('V1', 'V2')),
        DROP CONSTRAINT tache_type_check,
        ADD CONSTRAINT tache_type_check CHECK (type IN ('sync', 'nouveauxIdentifiants', 'plan'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM tache WHERE type = 'plan'`);
    await runner.query(`
      ALTER TABLE tache
        DROP version,
        DROP CONSTRAINT tache_type_check,
        ADD CONSTRAINT tache_type_check CHECK (type IN ('sync', 'nouveauxIdentifiants'))`);
  }
}
