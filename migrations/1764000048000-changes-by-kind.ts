import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';

const KINDS = ['Employe', 'Employeur', 'Syndicat', 'Emploi', 'Adhesion', 'ObjetConsentement'];

/** A read of one kind of changes reads only these: the transactions that have any, and theirs in each (docs/adr/0034). */
export class ChangesByKind1764000048000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX changement_entite ON changement (tenant_id, lot, entite, id_unique)`);
    await runner.query(`ALTER TABLE changement_lot ADD COLUMN entites text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`COMMENT ON COLUMN changement_lot.entites IS 'The kinds of its changes'`);
    await runner.query(`GRANT UPDATE (entites) ON changement_lot TO ${APP_ROLE}`);
    await this.whileUnforced(runner, () =>
      runner.query(
        `UPDATE changement_lot l SET entites = c.entites
         FROM (SELECT tenant_id, lot, array_agg(DISTINCT entite) AS entites FROM changement GROUP BY tenant_id, lot) c
         WHERE l.tenant_id = c.tenant_id AND l.id_unique = c.lot`,
      ),
    );
    for (const kind of KINDS)
      await runner.query(
        `CREATE INDEX changement_lot_${kind.toLowerCase()} ON changement_lot (tenant_id, date_publication)
           WHERE '${kind}' = ANY (entites)`,
      );
    await runner.query('DROP FUNCTION changement_lot_courant(uuid)');
    // Returns the transaction's row of changement_lot, which the first change makes. The row gets each kind once.
    await runner.query(`
      CREATE FUNCTION changement_lot_courant(tenant uuid, entite text) RETURNS uuid LANGUAGE plpgsql AS $$
      DECLARE
        lot uuid := nullif(current_setting('app.changement_lot', true), '')::uuid;
        notees text[] := string_to_array(current_setting('app.changement_entites', true), ' ');
      BEGIN
        IF lot IS NULL THEN
          INSERT INTO changement_lot (tenant_id, origine, sync_id, entites) VALUES (
            tenant,
            coalesce(nullif(current_setting('app.origine', true), ''), 'api'),
            nullif(current_setting('app.sync_id', true), '')::uuid,
            ARRAY[entite]
          ) RETURNING id_unique INTO lot;
          PERFORM set_config('app.changement_lot', lot::text, true), set_config('app.changement_entites', entite, true);
        ELSIF entite <> ALL (notees) THEN
          UPDATE changement_lot l SET entites = notees || entite WHERE l.tenant_id = tenant AND l.id_unique = lot;
          PERFORM set_config('app.changement_entites', array_to_string(notees || entite, ' '), true);
        END IF;
        RETURN lot;
      END $$`);
    await this.createTrigger(runner, 'changement_lot_courant(tenant, TG_ARGV[0])');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION changement_lot_courant(uuid, text)');
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
    await this.createTrigger(runner, 'changement_lot_courant(tenant)');
    for (const kind of KINDS) await runner.query(`DROP INDEX changement_lot_${kind.toLowerCase()}`);
    await runner.query('ALTER TABLE changement_lot DROP COLUMN entites');
    await runner.query('DROP INDEX changement_entite');
  }

  /** Runs `work`, which sees the rows of all tenants. */
  private async whileUnforced(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
    const tables = ['changement_lot', 'changement'];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await work();
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }

  /** The arguments of the trigger are the entity, the column of its identifier, and the column of its employee if any. */
  private async createTrigger(runner: QueryRunner, lot: string): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION changement_noter() RETURNS trigger LANGUAGE plpgsql AS $$
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
          'INSERT INTO changement (tenant_id, lot, id_unique, entite, id_externe, id_externe_employe, nature)
           SELECT l.tenant_id, $1, ($4 || (100000000 + row_number() OVER ()))::uuid, %L, l.%I, %s, %s FROM %s',
          TG_ARGV[0], TG_ARGV[1], CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END, nature, source
        ) USING ${lot}, jour, minuit, left(uuidv7()::text, 27);
        RETURN NULL;
      END $$`);
  }
}
