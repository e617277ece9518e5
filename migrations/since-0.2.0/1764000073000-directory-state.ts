import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions, replaceFunctions } from '../../libs/platform/src/database/functions';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/** What the look-up of a key reads (caller.query.ts), and the commands that can change it. */
const READ = {
  cle: 'INSERT OR DELETE OR UPDATE OF tenant_id, role, modules, empreinte, expire_le, revoque_le',
  tenant: 'UPDATE OF cellule, client_id, environnement',
  client: 'UPDATE OF nom, modules, limite_par_minute, quota_courriels_par_jour, suspendu_le',
};

/** A value that changes with the keys and their clients, so that processes need not look each key up again (docs/adr/0065). */
export class DirectoryState1764000073000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '0d2669c20f41b61a7db76df3255407c9e713eb3501151e16bd80eeced3de031e';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE etat_annuaire (
        une_ligne boolean PRIMARY KEY DEFAULT true CHECK (une_ligne),
        etat uuid NOT NULL DEFAULT gen_random_uuid()
      )`);
    await runner.query(
      `COMMENT ON TABLE etat_annuaire IS 'Changes with each transaction that changes what a key opens'`,
    );
    await runner.query('INSERT INTO etat_annuaire DEFAULT VALUES');
    await runner.query(`GRANT SELECT ON etat_annuaire TO ${ACCESS_ROLE}`);
    await createFunctions(runner, 'annuaire_marquer');
    await replaceFunctions(runner, DirectoryState1764000073000.digest);
    // At the commit, because all changes lock the one row.
    for (const [table, commands] of Object.entries(READ))
      await runner.query(
        `CREATE CONSTRAINT TRIGGER annuaire AFTER ${commands} ON ${table} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION annuaire_marquer()`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(READ)) await runner.query(`DROP TRIGGER annuaire ON ${table}`);
    await runner.query('DROP FUNCTION annuaire_marquer()');
    await runner.query('DROP TABLE etat_annuaire');
  }
}
