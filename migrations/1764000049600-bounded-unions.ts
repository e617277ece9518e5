import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Maximum size of the employers of a union, in bytes of JSON. */
const MOST_BYTES = 8_388_608;

/**
 * A union is shown with all its employers, so their size is bounded. Links and names of employers are written by several
 * operations at once; the trigger sees all of them. Unions that are larger already stay as they are.
 */
export class BoundedUnions1764000049600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION syndicat_borner() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        trop text;
        touches text := 'SELECT tenant_id, id_externe_syndicat FROM lignes';
      BEGIN
        IF NOT EXISTS (SELECT FROM lignes) THEN RETURN NULL; END IF;
        IF TG_OP = 'UPDATE' THEN
          touches := 'SELECT s.tenant_id, s.id_externe_syndicat FROM lignes l
            JOIN avant a ON a.tenant_id = l.tenant_id AND a.id_unique = l.id_unique AND octet_length(a.nom) < octet_length(l.nom)
            JOIN syndicat_employeur s ON s.tenant_id = l.tenant_id AND s.identifiant_externe_employeur = l.id_externe';
        END IF;
        EXECUTE 'SELECT s.id_externe_syndicat FROM (SELECT DISTINCT * FROM (' || touches || ') t) t
          JOIN syndicat_employeur s ON s.tenant_id = t.tenant_id AND s.id_externe_syndicat = t.id_externe_syndicat
          JOIN employeur e ON e.tenant_id = s.tenant_id AND e.id_externe = s.identifiant_externe_employeur
          GROUP BY s.id_externe_syndicat
          HAVING sum(33 + octet_length(to_json(e.id_externe)::text) + octet_length(to_json(e.nom)::text)) > ${MOST_BYTES}
          LIMIT 1' INTO trop;
        IF trop IS NOT NULL THEN
          RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'syndicat_borne', MESSAGE = trop;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER syndicat_borne AFTER INSERT ON syndicat_employeur
      REFERENCING NEW TABLE AS lignes FOR EACH STATEMENT EXECUTE FUNCTION syndicat_borner()`);
    await runner.query(`
      CREATE TRIGGER syndicat_borne AFTER UPDATE ON employeur
      REFERENCING OLD TABLE AS avant NEW TABLE AS lignes FOR EACH STATEMENT EXECUTE FUNCTION syndicat_borner()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER syndicat_borne ON employeur');
    await runner.query('DROP TRIGGER syndicat_borne ON syndicat_employeur');
    await runner.query('DROP FUNCTION syndicat_borner()');
  }
}
