import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Who signs a card late in the evening is a member from that evening on; compared with days of UTC, the membership began
 * the next day, and an electoral list made that evening left the new member out.
 */
export class TenantDayEnd1764000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION tenant_day_end(day timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT ((day AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE coalesce(
          (SELECT fuseau_horaire FROM reglage WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid),
          'America/Toronto'
        )
      $$`);
    await runner.query(
      `COMMENT ON FUNCTION tenant_day_end(timestamptz) IS 'The moment at which a day of the wire, at 00:00 UTC, ends for the tenant'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION tenant_day_end(timestamptz)');
  }
}
