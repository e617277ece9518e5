import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../../libs/platform/src/database/functions';
import { APP_ROLE } from '../../libs/platform/src/database/roles';

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
    await runner.query('DROP FUNCTION IF EXISTS changement_lot_courant(uuid)');
    await createFunctions(runner, 'changement_lot_courant', 'changement_noter');
  }

  async down(runner: QueryRunner): Promise<void> {
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
}
