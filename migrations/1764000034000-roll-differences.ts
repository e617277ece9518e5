import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';

/** What a comparison of a roll with the master data needs of its voters and electoral lists (docs/adr/0035). */
export class RollDifferences1764000034000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No foreign key: a list is deleted only with its campaign, which deletes the voters, too.
    await runner.query('ALTER TABLE votant ADD COLUMN liste_electorale_id uuid');
    await runner.query(
      `COMMENT ON COLUMN votant.liste_electorale_id IS 'The list that added the voter; null for voters written by hand'`,
    );
    await runner.query(
      `GRANT SELECT (liste_electorale_id), INSERT (liste_electorale_id), UPDATE (liste_electorale_id) ON votant TO ${APP_ROLE}`,
    );
    await runner.query('ALTER TABLE liste_electorale ADD COLUMN jour_donne boolean NOT NULL DEFAULT false');
    await runner.query(
      `COMMENT ON COLUMN liste_electorale.jour_donne IS 'Whether the request gave actifs_le; it is the day of the request otherwise'`,
    );
    // The day of a request begins at most 14 hours after the request and ends at most 12 hours before it, by UTC.
    await runner.query('ALTER TABLE liste_electorale NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE liste_electorale SET jour_donne = true
       WHERE date_creation - actifs_le NOT BETWEEN interval '-14 hours' AND interval '36 hours'`,
    );
    await runner.query('ALTER TABLE liste_electorale FORCE ROW LEVEL SECURITY');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE liste_electorale DROP COLUMN jour_donne');
    await runner.query('ALTER TABLE votant DROP COLUMN liste_electorale_id');
  }
}
