import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Moves of data spaces to other cells, and the closure of a data space against writes (docs/adr/0039). */
export class Moves1764000038000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deplacement (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        tenant_id uuid NOT NULL REFERENCES tenant (id),
        cellule_origine text NOT NULL,
        cellule text NOT NULL CHECK (cellule <> cellule_origine),
        etat text NOT NULL DEFAULT 'EnAttente' CHECK (etat IN ('EnAttente', 'EnCours', 'Reussie', 'Echouee')),
        traites bigint NOT NULL DEFAULT 0,
        total bigint NOT NULL DEFAULT 0,
        essais integer NOT NULL DEFAULT 0,
        erreur jsonb,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        date_bascule timestamptz(3),
        date_fin timestamptz(3),
        CHECK ((date_fin IS NOT NULL) = (etat IN ('Reussie', 'Echouee')))
      )`);
    await runner.query(
      `COMMENT ON COLUMN deplacement.date_bascule IS 'When the directory began to name the new cell; null before'`,
    );
    await runner.query(`CREATE INDEX deplacement_tenant ON deplacement (tenant_id, date_creation)`);
    await runner.query(
      `CREATE UNIQUE INDEX deplacement_en_cours ON deplacement (tenant_id) WHERE date_fin IS NULL`,
    );
    // Only the mover says how far a move is: who could say that it was switched could have the old cell emptied.
    await runner.query(
      `GRANT SELECT, INSERT (tenant_id, cellule_origine, cellule) ON deplacement TO ${ACCESS_ROLE}`,
    );

    await runner.query(`CREATE TABLE espace_ferme (tenant_id uuid PRIMARY KEY, jusqua timestamptz NOT NULL)`);
    await runner.query(
      `COMMENT ON TABLE espace_ferme IS 'Data spaces that this cell refuses to write until a moment; for ever once they have left it'`,
    );
    for (const statement of secureTenantTable('espace_ferme', [APP_ROLE, ACCESS_ROLE]))
      await runner.query(statement);
    await runner.query(`REVOKE INSERT, UPDATE, DELETE ON espace_ferme FROM ${APP_ROLE}, ${ACCESS_ROLE}`);
    await runner.query(
      `CREATE POLICY espace_ferme_administration ON espace_ferme FOR SELECT TO ${ACCESS_ROLE} USING (true)`,
    );
    // A read of it costs 2 µs, one of the table 30 µs, and writes of a cell that no space has left need only this one. It has no
    // snapshot: a transaction that got its lock sees a closure that was made before the mover released or lost its own.
    await runner.query('CREATE SEQUENCE espace_ferme_existe');
    await runner.query(
      `COMMENT ON SEQUENCE espace_ferme_existe IS 'Has a value as soon as espace_ferme has had a row'`,
    );
    await runner.query(`GRANT SELECT ON SEQUENCE espace_ferme_existe TO ${APP_ROLE}, ${ACCESS_ROLE}`);
    // Two statements in a volatile function, because the second must see what was committed before the lock was granted.
    await runner.query(`
      CREATE FUNCTION espace_ecrire(espace uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        IF NOT pg_try_advisory_xact_lock_shared(hashtextextended(espace::text, 5)) THEN
          RAISE EXCEPTION 'The data space is being moved.' USING ERRCODE = 'MV001';
        END IF;
        IF EXISTS (SELECT FROM espace_ferme WHERE tenant_id = espace AND jusqua > clock_timestamp()) THEN
          RAISE EXCEPTION 'The data space has moved.' USING ERRCODE = 'MV001';
        END IF;
        RETURN true;
      END $$`);
    await runner.query(
      `COMMENT ON FUNCTION espace_ecrire(uuid) IS 'Enters a transaction that writes into a data space; refuses while the space is being moved'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION espace_ecrire(uuid)');
    await runner.query('DROP SEQUENCE espace_ferme_existe');
    await runner.query('DROP TABLE espace_ferme, deplacement');
  }
}
