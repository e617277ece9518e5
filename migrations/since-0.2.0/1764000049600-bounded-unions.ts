import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../../libs/platform/src/database/functions';

/** The size of the employers of a union is bounded. Unions that are larger already stay as they are. */
export class BoundedUnions1764000049600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createFunctions(runner, 'syndicat_borner');
    await runner.query(`
      CREATE TRIGGER syndicat_borne AFTER INSERT ON syndicat_employeur
      REFERENCING NEW TABLE AS lignes FOR EACH STATEMENT EXECUTE FUNCTION syndicat_borner()`);
    await runner.query(`
      CREATE TRIGGER syndicat_borne AFTER UPDATE ON employeur
      REFERENCING OLD TABLE AS avant NEW TABLE AS lignes FOR EACH STATEMENT EXECUTE FUNCTION syndicat_borner()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER syndicat_borne ON employeur');
    await runner.query('DROP TRIGGER syndicat_borne ON syndicat_employeur');
    await runner.query('DROP FUNCTION syndicat_borner()');
  }
}
