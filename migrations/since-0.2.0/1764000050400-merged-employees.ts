import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../../libs/platform/src/database/roles';

/** Columns with the service's id of an employee, which only a merge writes. */
const MERGED = { adhesion: 'employe_id_unique', courriel_destinataire: 'employe_id' };

/** Merges of employees (docs/adr/0055). */
export class MergedEmployees1764000050400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of Object.entries(MERGED))
      await runner.query(`GRANT UPDATE (${column}) ON ${table} TO ${APP_ROLE}`);
    await this.restrict(runner, `'Cree', 'Modifie', 'Termine', 'Supprime', 'Fusionne'`);
  }

  async down(runner: QueryRunner): Promise<void> {
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
