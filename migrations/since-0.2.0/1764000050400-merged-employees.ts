import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../../libs/platform/src/database/roles';

/** Columns with the service's id of an employee, which only a merge writes. */
const MERGED = { adhesion: 'employe_id_unique', courriel_destinataire: 'employe_id' };

/** Merges of employees (docs/adr/0055), and who had an identifier until when (docs/adr/0054). */
export class MergedEmployees1764000050400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of Object.entries(MERGED))
      await runner.query(`GRANT UPDATE (${column}) ON ${table} TO ${APP_ROLE}`);
    await this.restrict(runner, `'Cree', 'Modifie', 'Termine', 'Supprime', 'Fusionne'`);
    for (const statement of [
      `ALTER TABLE ancien_identifiant DROP CONSTRAINT ancien_identifiant_pkey,
         ADD COLUMN id_unique uuid NOT NULL DEFAULT uuidv7(), ADD COLUMN est_dernier boolean NOT NULL DEFAULT true,
         ADD COLUMN absorbe_id uuid,
         ADD PRIMARY KEY (tenant_id, id_unique)`,
      `COMMENT ON COLUMN ancien_identifiant.employe_id IS 'An employee who had the identifier; it may have been deleted'`,
      `COMMENT ON COLUMN ancien_identifiant.absorbe_id IS 'The id that the employee had before it was merged; null without a merge'`,
      `COMMENT ON COLUMN ancien_identifiant.date_creation IS 'Until when'`,
      `COMMENT ON COLUMN ancien_identifiant.est_dernier IS 'Whether nobody had it, and gave it up, later'`,
      'CREATE UNIQUE INDEX ancien_identifiant_dernier ON ancien_identifiant (tenant_id, id_externe) WHERE est_dernier',
      'CREATE INDEX ancien_identifiant_porteurs ON ancien_identifiant (tenant_id, id_externe, date_creation)',
      `REVOKE SELECT (id_externe) ON ancien_identifiant FROM ${ACCESS_ROLE}`,
      `GRANT SELECT (id_unique) ON ancien_identifiant TO ${ACCESS_ROLE}`,
      'ALTER TABLE sync ADD COLUMN date_debut timestamptz(3)',
      `COMMENT ON COLUMN sync.date_debut IS 'When it began to write; null for syncs of before this column'`,
    ])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync DROP COLUMN date_debut');
    await runner.query('DELETE FROM ancien_identifiant WHERE NOT est_dernier');
    await runner.query(
      `ALTER TABLE ancien_identifiant DROP CONSTRAINT ancien_identifiant_pkey, DROP COLUMN id_unique, DROP COLUMN est_dernier, DROP COLUMN absorbe_id,
         ADD PRIMARY KEY (tenant_id, id_externe)`,
    );
    await runner.query('DROP INDEX ancien_identifiant_porteurs');
    await runner.query(`GRANT SELECT (id_externe) ON ancien_identifiant TO ${ACCESS_ROLE}`);
    await runner.query(`DELETE FROM changement WHERE nature = 'Fusionne'`);
    await this.restrict(runner, `'Cree', 'Modifie', 'Termine', 'Supprime'`);
    for (const [table, column] of Object.entries(MERGED))
      await runner.query(`REVOKE UPDATE (${column}) ON ${table} FROM ${APP_ROLE}`);
  }

  private async restrict(runner: QueryRunner, natures: string): Promise<void> {
    await runner.query('ALTER TABLE changement DROP CONSTRAINT changement_nature_check');
    await runner.query(
      `ALTER TABLE changement ADD CONSTRAINT changement_nature_check CHECK (nature IN (${natures}))`,
    );
  }
}
