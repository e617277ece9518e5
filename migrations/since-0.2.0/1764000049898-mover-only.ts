import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/** Only the mover may write how far a move is. Another writer could mark it as switched, and the old cell would be emptied. */
export class MoverOnly1764000049898 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`REVOKE INSERT, UPDATE ON deplacement FROM ${ACCESS_ROLE}`);
    await runner.query(`GRANT INSERT (tenant_id, cellule_origine, cellule) ON deplacement TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `REVOKE INSERT (tenant_id, cellule_origine, cellule) ON deplacement FROM ${ACCESS_ROLE}`,
    );
    await runner.query(`GRANT INSERT, UPDATE ON deplacement TO ${ACCESS_ROLE}`);
  }
}
