import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions, replaceFunctions } from '../../libs/platform/src/database/functions';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Tables that lists with a state show or filter by. */
const SHOWN = [
  ...['employe', 'employeur', 'syndicat', 'emploi', 'membership', 'objet_consentement'],
  ...['syndicat_employeur', 'champ_utilisateur', 'choix_champ', 'valeur_champ_employe'],
  ...['adhesion', 'demande_adhesion', 'formulaire', 'formulaire_champ', 'formulaire_objet', 'consentement'],
];

const TRANSITIONS = { insert: 'NEW', update: 'NEW', delete: 'OLD' };

/** The transactions that change what lists show, of which the ETags of lists are made (docs/adr/0050). */
export class ListStates1764000049910 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '8d850070c7f4e26f82a9faee8d0105ebbd36cc890e4f18cda18c48075d14ef5b';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE etat_listes (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON TABLE etat_listes IS 'The last transactions that changed what lists show; a row stands for all before it'`,
    );
    for (const statement of secureTenantTable('etat_listes')) await runner.query(statement);
    await createFunctions(runner, 'listes_marquer', 'listes_noter');
    await replaceFunctions(runner, ListStates1764000049910.digest);
    for (const table of SHOWN)
      for (const [operation, rows] of Object.entries(TRANSITIONS))
        await runner.query(
          `CREATE TRIGGER listes_${operation} AFTER ${operation} ON ${table} REFERENCING ${rows} TABLE AS lignes
           FOR EACH STATEMENT EXECUTE FUNCTION listes_noter()`,
        );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of SHOWN)
      for (const operation of Object.keys(TRANSITIONS))
        await runner.query(`DROP TRIGGER listes_${operation} ON ${table}`);
    await runner.query('DROP FUNCTION listes_noter(), listes_marquer(uuid)');
    await runner.query('DROP TABLE etat_listes');
  }
}
