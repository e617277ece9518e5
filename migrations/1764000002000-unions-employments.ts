import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['syndicat', 'syndicat_employeur', 'emploi', 'membership'];

/** Unions with their employers, employments, memberships, and the current day of a tenant. */
export class UnionsEmployments1764000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE client ADD COLUMN fuseau_horaire text NOT NULL DEFAULT 'America/Toronto'`,
    );
    await runner.query(`
      CREATE TABLE reglage (
        tenant_id uuid PRIMARY KEY,
        fuseau_horaire text NOT NULL
      )`);
    for (const statement of secureTenantTable('reglage')) await runner.query(statement);
    await runner.query(`REVOKE INSERT, UPDATE, DELETE ON reglage FROM ${APP_ROLE}`);
    // Administrators write this table; tenants only read it.
    await runner.query(`GRANT SELECT, INSERT, UPDATE ON reglage TO ${ACCESS_ROLE}`);
    await runner.query(
      `CREATE POLICY reglage_administration ON reglage TO ${ACCESS_ROLE} USING (true) WITH CHECK (true)`,
    );
    await runner.query(
      `INSERT INTO reglage (tenant_id, fuseau_horaire) SELECT id, 'America/Toronto' FROM tenant`,
    );
    await runner.query(`
      CREATE FUNCTION tenant_today() RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT (now() AT TIME ZONE coalesce(
          (SELECT fuseau_horaire FROM reglage WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid),
          'America/Toronto'
        ))::date::timestamp AT TIME ZONE 'UTC'
      $$`);
    await runner.query(
      `COMMENT ON FUNCTION tenant_today() IS 'The current day of the tenant, as the wire has a date: at 00:00 UTC'`,
    );

    await runner.query(`
      CREATE TABLE syndicat (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
        nom text NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT syndicat_id_externe_key UNIQUE (tenant_id, id_externe)
      )`);
    await runner.query(`CREATE INDEX syndicat_creation ON syndicat (tenant_id, date_creation, id_unique)`);
    await runner.query(`
      CREATE TABLE syndicat_employeur (
        tenant_id uuid NOT NULL,
        id_externe_syndicat text COLLATE "C" NOT NULL,
        identifiant_externe_employeur text COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant_id, id_externe_syndicat, identifiant_externe_employeur),
        CONSTRAINT syndicat_employeur_syndicat_fkey FOREIGN KEY (tenant_id, id_externe_syndicat)
          REFERENCES syndicat (tenant_id, id_externe) ON DELETE CASCADE,
        CONSTRAINT syndicat_employeur_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
          REFERENCES employeur (tenant_id, id_externe) ON DELETE CASCADE
      )`);
    await runner.query(
      `CREATE INDEX syndicat_employeur_employeur ON syndicat_employeur (tenant_id, identifiant_externe_employeur)`,
    );

    // Without rows in emploi, the employer that V1 wrote is the only employment. With rows, it is always null.
    await runner.query(`
      ALTER TABLE employe ADD COLUMN a_emplois boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT employe_one_way_to_employers CHECK (NOT a_emplois OR identifiant_externe_employeur IS NULL)`);
    // The search for employments reads those of V1 in the order of the list, for all employers or for one.
    await runner.query(
      `CREATE INDEX employe_v1 ON employe (tenant_id, date_creation, id_unique)
         WHERE identifiant_externe_employeur IS NOT NULL`,
    );
    await runner.query('DROP INDEX employe_employeur');
    await runner.query(
      `CREATE INDEX employe_employeur ON employe (tenant_id, identifiant_externe_employeur, date_creation, id_unique)`,
    );
    // Each V1 sync checks whether V2 has written employments of the tenant.
    await runner.query('CREATE INDEX employe_a_emplois ON employe (tenant_id) WHERE a_emplois');
    await runner.query(`
      CREATE TABLE emploi (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe_employe text COLLATE "C" NOT NULL,
        identifiant_externe text COLLATE "C" NOT NULL CHECK (char_length(identifiant_externe) BETWEEN 1 AND 255),
        identifiant_externe_employeur text COLLATE "C" NOT NULL,
        matricule text COLLATE "C",
        date_debut timestamptz(3),
        date_fin timestamptz(3),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_externe_employe, identifiant_externe),
        CONSTRAINT emploi_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
        CONSTRAINT emploi_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
          REFERENCES employeur (tenant_id, id_externe)
      )`);
    await runner.query(`CREATE INDEX emploi_creation ON emploi (tenant_id, date_creation, id_unique)`);
    await runner.query(
      `CREATE INDEX emploi_employeur ON emploi (tenant_id, identifiant_externe_employeur, date_creation, id_unique)`,
    );
    await runner.query(`CREATE INDEX emploi_matricule ON emploi (tenant_id, matricule)`);
    await runner.query(`
      CREATE TABLE membership (
        tenant_id uuid NOT NULL,
        id_externe_employe text COLLATE "C" NOT NULL,
        syndicat_id_externe text COLLATE "C" NOT NULL,
        date_adhesion timestamptz(3) NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_externe_employe, syndicat_id_externe),
        CONSTRAINT membership_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
        CONSTRAINT membership_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
          REFERENCES syndicat (tenant_id, id_externe)
      )`);
    await runner.query(`CREATE INDEX membership_syndicat ON membership (tenant_id, syndicat_id_externe)`);

    await runner.query(`
      CREATE VIEW emploi_v1 WITH (security_invoker = true) AS
      SELECT tenant_id, id_unique, date_creation, id_externe AS id_externe_employe,
        'V1'::text COLLATE "C" AS identifiant_externe, identifiant_externe_employeur,
        NULL::text COLLATE "C" AS matricule, NULL::timestamptz(3) AS date_debut, NULL::timestamptz(3) AS date_fin
      FROM employe WHERE identifiant_externe_employeur IS NOT NULL`);
    await runner.query(
      `COMMENT ON VIEW emploi_v1 IS 'The only employment of employees whom V1 alone has written'`,
    );
    await runner.query(`GRANT SELECT ON emploi_v1 TO ${APP_ROLE}`);
    await runner.query(
      `CREATE INDEX objet_consentement_creation ON objet_consentement (tenant_id, date_creation, id_unique)`,
    );
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    // An employee with employments of V2 gets the employer of the most recent active one.
    await runner.query('ALTER TABLE employe DROP CONSTRAINT employe_one_way_to_employers');
    // Forced policies also apply to the owner, who would find no rows to update unless a superuser.
    await runner.query('ALTER TABLE employe NO FORCE ROW LEVEL SECURITY');
    await runner.query('ALTER TABLE emploi NO FORCE ROW LEVEL SECURITY');
    await runner.query(`
      UPDATE employe e SET identifiant_externe_employeur = (
        SELECT identifiant_externe_employeur FROM emploi m
        WHERE m.tenant_id = e.tenant_id AND m.id_externe_employe = e.id_externe AND (date_fin IS NULL OR date_fin > now())
        ORDER BY identifiant_externe = 'V1' DESC, date_debut DESC NULLS LAST, date_creation DESC LIMIT 1
      ) WHERE a_emplois`);
    await runner.query('ALTER TABLE employe FORCE ROW LEVEL SECURITY');
    await runner.query('ALTER TABLE employe DROP COLUMN a_emplois');
    await runner.query('DROP INDEX employe_v1, employe_employeur');
    await runner.query(
      'CREATE INDEX employe_employeur ON employe (tenant_id, identifiant_externe_employeur)',
    );
    await runner.query('DROP INDEX objet_consentement_creation');
    await runner.query('DROP VIEW emploi_v1');
    await runner.query('DROP TABLE membership, emploi, syndicat_employeur, syndicat');
    await runner.query('DROP FUNCTION tenant_today()');
    await runner.query('DROP TABLE reglage');
    await runner.query('ALTER TABLE client DROP COLUMN fuseau_horaire');
  }
}
