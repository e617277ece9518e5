import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions, replaceFunctions } from '../../libs/platform/src/database/functions';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Tables that a sync writes: the kind of their records, the column of the identifier, and that of the record that has them. */
const WRITTEN = {
  employe: ['Employe', 'id_externe'],
  employeur: ['Employeur', 'id_externe'],
  syndicat: ['Syndicat', 'id_externe'],
  objet_consentement: ['ObjetConsentement', 'id_externe'],
  emploi: ['Emploi', 'identifiant_externe', 'id_externe_employe'],
  membership: ['Adhesion', 'syndicat_id_externe', 'id_externe_employe'],
  valeur_champ_employe: ['Valeur', 'nom_champ', 'id_externe_employe'],
  syndicat_employeur: ['Lien', 'identifiant_externe_employeur', 'id_externe_syndicat'],
};

const TRANSITIONS = {
  insert: 'NEW TABLE AS lignes',
  update: 'OLD TABLE AS avant NEW TABLE AS lignes',
  delete: 'OLD TABLE AS lignes',
};

/** Plans of syncs with their changes, and the triggers that note what a sync writes (docs/adr/0052). */
export class Plans1764000050000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '3d12531e21e6802cfbb3e0140a004f1edd4dd7b811f45f7ecc900609c187db09';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE plan (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        version text NOT NULL CHECK (version IN ('V1', 'V2')),
        etat text NOT NULL CHECK (etat IN ('Pret', 'Bloque', 'Applique', 'Perime')),
        empreinte text NOT NULL,
        resume json NOT NULL,
        par_employeur json NOT NULL,
        votes_touches json NOT NULL,
        raison text,
        corps bytea,
        octets bigint NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON COLUMN plan.corps IS 'The body as sent; null once the plan cannot be applied any more'`,
    );
    await runner.query(`COMMENT ON COLUMN plan.raison IS 'Why an administrator released it from the brake'`);
    await runner.query('CREATE INDEX plan_creation ON plan (tenant_id, date_creation, id_unique)');
    await runner.query(`
      CREATE TABLE plan_changement (
        tenant_id uuid NOT NULL,
        plan_id uuid NOT NULL,
        n integer NOT NULL,
        id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
        entite text NOT NULL,
        id_externe text COLLATE "C" NOT NULL,
        id_externe_employe text COLLATE "C",
        nature text NOT NULL,
        champs json NOT NULL,
        PRIMARY KEY (tenant_id, plan_id, n, id_unique),
        CONSTRAINT plan_changement_plan_fkey FOREIGN KEY (tenant_id, plan_id)
          REFERENCES plan (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE INDEX plan_changement_nature ON plan_changement (tenant_id, plan_id, nature, n, id_unique)',
    );
    await runner.query(
      'CREATE INDEX plan_changement_entite ON plan_changement (tenant_id, plan_id, entite, n, id_unique)',
    );
    for (const table of ['plan', 'plan_changement'])
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    await runner.query(
      `CREATE POLICY plan_purge ON plan TO ${ACCESS_ROLE}
       USING (date_creation < now() - interval '24 hours') WITH CHECK (false)`,
    );
    await runner.query(
      `GRANT DELETE, SELECT (tenant_id, id_unique, date_creation, octets) ON plan TO ${ACCESS_ROLE}`,
    );
    await createFunctions(runner, 'effets_noter');
    await replaceFunctions(runner, Plans1764000050000.digest);
    for (const [table, keys] of Object.entries(WRITTEN))
      for (const [operation, rows] of Object.entries(TRANSITIONS))
        await runner.query(
          `CREATE TRIGGER effets_${operation} AFTER ${operation} ON ${table} REFERENCING ${rows}
           FOR EACH STATEMENT WHEN (current_setting('app.effets', true) = 'notes')
           EXECUTE FUNCTION effets_noter(${keys.map((key) => `'${key}'`).join(', ')})`,
        );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(WRITTEN))
      for (const operation of Object.keys(TRANSITIONS))
        await runner.query(`DROP TRIGGER effets_${operation} ON ${table}`);
    await runner.query('DROP FUNCTION effets_noter()');
    await runner.query('DROP TABLE plan_changement, plan');
  }
}
