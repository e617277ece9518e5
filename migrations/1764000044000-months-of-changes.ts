import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../libs/platform/src/database/roles';

const OWN = `tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid)`;

/**
 * Months of changes are made also if an old one cannot be dropped. Before, one function did both, and PostgreSQL could read a
 * date from the names of all its tables, which failed and undid the new months (docs/adr/0034).
 */
export class MonthsOfChanges1764000044000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION changement_mois() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
      DECLARE
        parent text;
        month date;
        part text;
        written integer := 0;
      BEGIN
        -- Another worker makes them.
        IF NOT pg_try_advisory_xact_lock(hashtextextended('changement_mois', 0)) THEN RETURN 0; END IF;
        FOREACH parent IN ARRAY ARRAY['changement_lot', 'changement'] LOOP
          FOR month IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
              date_trunc('month', now() AT TIME ZONE 'UTC') + interval '12 months', interval '1 month')::date LOOP
            part := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
            EXECUTE format('ALTER TABLE %I ALTER COLUMN tenant_id SET (n_distinct = 1)', part);
            EXECUTE format($policy$CREATE POLICY %I ON %I USING (${OWN}) WITH CHECK (${OWN})$policy$, part || '_tenant', part);
            -- Identifiers of version 7 begin with their time, so a month is a range of them.
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part,
              changement_borne(month), changement_borne((month + interval '1 month')::date));
            written := written + 1;
          END LOOP;
        END LOOP;
        RETURN written;
      END $$`);
    await runner.query(
      `COMMENT ON FUNCTION changement_mois() IS 'Makes the tables of changes of this month and the next twelve; returns their number'`,
    );
    await runner.query(`
      CREATE FUNCTION changement_mois_passes() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
      DECLARE
        part text;
        dropped integer := 0;
      BEGIN
        IF NOT pg_try_advisory_xact_lock(hashtextextended('changement_mois', 0)) THEN RETURN 0; END IF;
        -- The name is read in the loop. In the query, PostgreSQL could read those of other tables, which end in no month.
        FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent IN ('changement_lot'::regclass, 'changement'::regclass) ORDER BY 1 LOOP
          CONTINUE WHEN to_date(right(part, 7), 'YYYY_MM') + interval '1 month' >= now() - interval '400 days';
          EXECUTE format('DROP TABLE %I', part);
          dropped := dropped + 1;
        END LOOP;
        RETURN dropped;
      END $$`);
    await runner.query(
      `COMMENT ON FUNCTION changement_mois_passes() IS 'Drops the tables of changes that are all over 400 days old; returns their number'`,
    );
    await runner.query('REVOKE ALL ON FUNCTION changement_mois_passes() FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION changement_mois_passes() TO ${ACCESS_ROLE}`);
    // An installation whose worker has failed for a while needs them at once.
    await runner.query('SELECT changement_mois()');
  }

  /** The release before calls `changement_mois` alone: it would keep old months, and lose none. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION changement_mois_passes()');
  }
}
