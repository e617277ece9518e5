import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A person who signs a card late in the evening is a member from that evening on. By days of UTC, the membership began
 * on the next day, and an electoral list made that evening omitted the new member.
 */
export class TenantTimeZone1764000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION tenant_time_zone() RETURNS text LANGUAGE sql STABLE AS $$
        SELECT coalesce(
          (SELECT fuseau_horaire FROM reglage WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid),
          'America/Toronto'
        )
      $$`);
    await runner.query(
      `COMMENT ON FUNCTION tenant_time_zone() IS 'The time zone that says which day it is for the tenant'`,
    );
    await runner.query(`
      CREATE OR REPLACE FUNCTION tenant_today() RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT (now() AT TIME ZONE tenant_time_zone())::date::timestamp AT TIME ZONE 'UTC'
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION tenant_today() RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT (now() AT TIME ZONE coalesce(
          (SELECT fuseau_horaire FROM reglage WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid),
          'America/Toronto'
        ))::date::timestamp AT TIME ZONE 'UTC'
      $$`);
    await runner.query('DROP FUNCTION tenant_time_zone()');
  }
}
