import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Memberships end, and the days of memberships and employments are those of the client's time zone. */
export class MembershipEnds1764000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE membership ADD COLUMN date_fin timestamptz(3)');
    await runner.query(`
      CREATE FUNCTION borne_du_jour(moment timestamptz, jour timestamptz, minuit timestamptz) RETURNS timestamptz
      LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN (moment AT TIME ZONE 'UTC')::time = '00:00' THEN jour ELSE minuit END
      $$`);
    await runner.query(
      `COMMENT ON FUNCTION borne_du_jour IS 'The beginning of a day that a moment compares with: a moment at 00:00 UTC is a date without time and compares with the day as the wire has it; any other compares with midnight in the tenant''s time zone'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION borne_du_jour');
    await runner.query('ALTER TABLE membership DROP COLUMN date_fin');
  }
}
