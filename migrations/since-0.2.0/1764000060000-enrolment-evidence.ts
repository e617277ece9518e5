import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE, ERASURE_ROLE } from '../../libs/platform/src/database/roles';

const COLUMNS = 'adhesion_debut, emploi_debut';

/** Columns with the evidence of an enrolment. Later changes of the master data leave them as they are. */
export class EnrolmentEvidence1764000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE votant ADD COLUMN adhesion_debut timestamptz, ADD COLUMN emploi_debut timestamptz',
    );
    for (const [column, what] of [
      ['adhesion_debut', 'membership'],
      ['emploi_debut', 'employment'],
    ])
      await runner.query(
        `COMMENT ON COLUMN votant.${column} IS 'Beginning of the ${what} that the list found at the enrolment; null without one, and for voters that a request wrote'`,
      );
    await runner.query(
      `GRANT INSERT (${COLUMNS}), SELECT (${COLUMNS}), UPDATE (${COLUMNS}) ON votant TO ${APP_ROLE}`,
    );
    await runner.query(`GRANT UPDATE (${COLUMNS}) ON votant TO ${ERASURE_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE votant DROP COLUMN adhesion_debut, DROP COLUMN emploi_debut');
  }
}
