import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE, ERASURE_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Tables whose writes are changes: what they are on the wire, and the columns that identify a row. */
const WRITTEN = {
  employe: ['Employe', 'id_externe'],
  employeur: ['Employeur', 'id_externe'],
  syndicat: ['Syndicat', 'id_externe'],
  objet_consentement: ['ObjetConsentement', 'id_externe'],
  emploi: ['Emploi', 'identifiant_externe', 'id_externe_employe'],
  membership: ['Adhesion', 'syndicat_id_externe', 'id_externe_employe'],
} as const;

/**
 * The feed of changes to the master data (docs/adr/0034). Triggers write it, so no way of writing can leave it out. One
 * statement that writes any number of rows adds their changes in one statement.
 */
export class Changes1764000031000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createTables(runner);
    await this.createMonths(runner);
    await this.createTriggers(runner);
  }

  private async createTables(runner: QueryRunner): Promise<void> {
    // One row for each transaction: publishing gives a position to it and leaves its changes as they are.
    await runner.query(`
      CREATE TABLE changement_lot (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        origine text NOT NULL CHECK (origine IN ('sync', 'api', 'plateforme')),
        sync_id uuid,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        date_publication timestamptz(3),
        PRIMARY KEY (tenant_id, id_unique)
      ) PARTITION BY RANGE (id_unique)`);
    await runner.query(
      `CREATE INDEX changement_lot_publication ON changement_lot (tenant_id, date_publication, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX changement_lot_a_publier ON changement_lot (tenant_id, date_creation, id_unique)
         WHERE date_publication IS NULL`,
    );
    await runner.query(`
      CREATE TABLE changement (
        tenant_id uuid NOT NULL,
        lot uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        entite text NOT NULL,
        id_externe text COLLATE "C" NOT NULL,
        id_externe_employe text COLLATE "C",
        nature text NOT NULL CHECK (nature IN ('Cree', 'Modifie', 'Termine', 'Supprime')),
        PRIMARY KEY (tenant_id, lot, id_unique)
      ) PARTITION BY RANGE (lot)`);
    // The export and the erasure of a person look for its changes.
    await runner.query(
      `CREATE INDEX changement_personne ON changement (tenant_id, (coalesce(id_externe_employe, id_externe)))`,
    );
    for (const table of ['changement_lot', 'changement']) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
      await runner.query(`REVOKE UPDATE, DELETE ON ${table} FROM ${APP_ROLE}`);
    }
    await runner.query(`GRANT UPDATE (date_publication) ON changement_lot TO ${APP_ROLE}`);
    await runner.query(`GRANT DELETE ON changement TO ${ERASURE_ROLE}`);
  }

  /** A month of changes is one table, which is dropped as a whole when it is over 400 days old. */
  private async createMonths(runner: QueryRunner): Promise<void> {
    const own = `tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid)`;
    await runner.query(`
      CREATE FUNCTION changement_mois() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
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
            EXECUTE format($policy$CREATE POLICY %I ON %I USING (${own}) WITH CHECK (${own})$policy$, part || '_tenant', part);
            -- Identifiers of version 7 begin with their time, so a month is a range of them.
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part,
              changement_borne(month), changement_borne((month + interval '1 month')::date));
            written := written + 1;
          END LOOP;
          FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
              WHERE i.inhparent = parent::regclass
                AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < now() - interval '400 days' LOOP
            EXECUTE format('DROP TABLE %I', part);
            written := written + 1;
          END LOOP;
        END LOOP;
        RETURN written;
      END $$`);
    await runner.query(`
      CREATE FUNCTION changement_borne(day date) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex((extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      $$`);
    await runner.query(
      `COMMENT ON FUNCTION changement_mois() IS 'Makes the tables of the next months and drops those over 400 days old; returns their number'`,
    );
    await runner.query('REVOKE ALL ON FUNCTION changement_mois() FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION changement_mois() TO ${ACCESS_ROLE}`);
    await runner.query('SELECT changement_mois()');
  }

  private async createTriggers(runner: QueryRunner): Promise<void> {
    // Returns the transaction's row of changement_lot, which the first change makes.
    await runner.query(`
      CREATE FUNCTION changement_lot_courant(tenant uuid) RETURNS uuid LANGUAGE plpgsql AS $$
      DECLARE
        lot uuid := nullif(current_setting('app.changement_lot', true), '')::uuid;
      BEGIN
        IF lot IS NULL THEN
          INSERT INTO changement_lot (tenant_id, origine, sync_id) VALUES (
            tenant,
            coalesce(nullif(current_setting('app.origine', true), ''), 'api'),
            nullif(current_setting('app.sync_id', true), '')::uuid
          ) RETURNING id_unique INTO lot;
          PERFORM set_config('app.changement_lot', lot::text, true);
        END IF;
        RETURN lot;
      END $$`);
    // The arguments of the trigger are the entity, the column of its identifier, and the column of its employee if any.
    await runner.query(`
      CREATE FUNCTION changement_noter() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        tenant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
        nature text := '''' || CASE TG_OP WHEN 'INSERT' THEN 'Cree' WHEN 'DELETE' THEN 'Supprime' ELSE 'Modifie' END || '''';
        source text := 'lignes l';
        jour timestamptz;
        minuit timestamptz;
      BEGIN
        -- A migration changes rows of no tenant, and changes nothing that a partner wrote.
        IF tenant IS NULL OR NOT EXISTS (SELECT FROM lignes) THEN RETURN NULL; END IF;
        IF TG_OP = 'UPDATE' AND TG_NARGS = 3 THEN
          jour := tenant_today();
          minuit := (jour AT TIME ZONE 'UTC') AT TIME ZONE tenant_time_zone();
          nature := $sql$CASE WHEN l.date_fin <= borne_du_jour(l.date_fin, $2, $3)
            AND (a.date_fin IS NULL OR a.date_fin > borne_du_jour(a.date_fin, $2, $3)) THEN 'Termine' ELSE 'Modifie' END$sql$;
          source := format('lignes l JOIN avant a ON a.tenant_id = l.tenant_id AND a.%1$I = l.%1$I AND a.%2$I = l.%2$I',
            TG_ARGV[1], TG_ARGV[2]);
        END IF;
        EXECUTE format(
          'INSERT INTO changement (tenant_id, lot, entite, id_externe, id_externe_employe, nature)
           SELECT l.tenant_id, $1, %L, l.%I, %s, %s FROM %s',
          TG_ARGV[0], TG_ARGV[1], CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END, nature, source
        ) USING changement_lot_courant(tenant), jour, minuit;
        RETURN NULL;
      END $$`);
    for (const [table, columns] of Object.entries(WRITTEN)) {
      const tables = {
        INSERT: 'NEW TABLE AS lignes',
        UPDATE: 'OLD TABLE AS avant NEW TABLE AS lignes',
        DELETE: 'OLD TABLE AS lignes',
      };
      for (const [operation, transition] of Object.entries(tables)) {
        await runner.query(
          `CREATE TRIGGER changement_${operation.toLowerCase()} AFTER ${operation} ON ${table} REFERENCING ${transition}
             FOR EACH STATEMENT EXECUTE FUNCTION changement_noter(${columns.map((name) => `'${name}'`).join(', ')})`,
        );
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(WRITTEN)) {
      for (const operation of ['insert', 'update', 'delete'])
        await runner.query(`DROP TRIGGER changement_${operation} ON ${table}`);
    }
    await runner.query('DROP FUNCTION changement_noter, changement_lot_courant, changement_mois');
    await runner.query('DROP TABLE changement, changement_lot');
    await runner.query('DROP FUNCTION changement_borne');
  }
}
