import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The person of a change. PostgreSQL uses an index for CASE below a policy, but not for coalesce, which may leak. */
const PERSON = 'CASE WHEN id_externe_employe IS NULL THEN id_externe ELSE id_externe_employe END';

/** Writing the feed of changes costs less (docs/adr/0034). */
export class ChangesCost1764000035000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX changement_personne');
    // A block range has about 1,300 rows. VACUUM summarizes it, so that syncs do not pay for the index.
    await runner.query(
      `CREATE INDEX changement_personne ON changement USING brin
         (tenant_id, (${PERSON}) text_bloom_ops (n_distinct_per_range = 1500)) WITH (pages_per_range = 16)`,
    );
    // One identifier of version 7 for each statement; its last nine digits number the rows.
    await this.createTrigger(runner, `($4 || (100000000 + row_number() OVER ()))::uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.createTrigger(runner, 'uuidv7()');
    await runner.query('DROP INDEX changement_personne');
    await runner.query(
      `CREATE INDEX changement_personne ON changement (tenant_id, (coalesce(id_externe_employe, id_externe)))`,
    );
  }

  /**
   * The arguments of the trigger are the entity, the column of its identifier, and the column of its employee if any.
   *
   * @param id SQL of a row's identifier; `$4` is its beginning
   */
  private async createTrigger(runner: QueryRunner, id: string): Promise<void> {
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
           SELECT l.tenant_id, $1, ${id}, %L, l.%I, %s, %s FROM %s',
          TG_ARGV[0], TG_ARGV[1], CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END, nature, source
        ) USING changement_lot_courant(tenant), jour, minuit, left(uuidv7()::text, 27);
        RETURN NULL;
      END $$`);
  }
}
