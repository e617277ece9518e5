import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Emails and their recipients (docs/adr/0016). */
export class Courriels1764000016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE courriel (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        sujet text NOT NULL,
        corps_html text NOT NULL,
        cible text CHECK (cible IN ('tous', 'nonVotants')),
        nombre_destinataires integer NOT NULL CHECK (nombre_destinataires >= 0),
        tour integer NOT NULL DEFAULT 0,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON COLUMN courriel.cible IS 'Which voters of a campaign it goes to; null where employees were named'`,
    );
    await runner.query(
      `COMMENT ON COLUMN courriel.tour IS 'Names the one job that may take up recipients next; a job of an earlier turn does nothing'`,
    );
    // No name and no address, only the person to look up when the email is sent. A voter is not a foreign key: the
    // sealing of a ballot box deletes and rewrites the roll, which would empty the column, and a check would write its
    // transaction beside the voter, where votes write theirs.
    await runner.query(`
      CREATE TABLE courriel_destinataire (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        courriel_id uuid NOT NULL,
        ordre integer NOT NULL,
        employe_id uuid,
        campagne_id uuid,
        votant_id uuid,
        etat text NOT NULL CHECK (etat IN ('EnAttente', 'EnCours', 'Envoye', 'Refuse', 'Incertain', 'SansAdresse', 'Doublon')),
        code_smtp integer CHECK (code_smtp BETWEEN 400 AND 599),
        essais integer NOT NULL DEFAULT 0,
        porteur uuid,
        echeance timestamptz(3),
        date timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT courriel_destinataire_courriel_fkey FOREIGN KEY (tenant_id, courriel_id)
          REFERENCES courriel (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT courriel_destinataire_employe_fkey FOREIGN KEY (tenant_id, employe_id)
          REFERENCES employe (tenant_id, id_unique) ON DELETE SET NULL (employe_id),
        CHECK (votant_id IS NULL OR employe_id IS NULL),
        CHECK ((campagne_id IS NULL) = (votant_id IS NULL)),
        CHECK ((etat IN ('EnAttente', 'EnCours')) = (echeance IS NOT NULL))
      )`);
    await runner.query(
      `COMMENT ON COLUMN courriel_destinataire.essais IS 'Attempts that failed: the place in the schedule of attempts'`,
    );
    await runner.query(
      `COMMENT ON COLUMN courriel_destinataire.porteur IS 'The one attempt that was let through to the end of its message'`,
    );
    await runner.query(
      `COMMENT ON COLUMN courriel_destinataire.echeance IS 'EnAttente: not taken up before. EnCours: its worker is gone if this passes'`,
    );
    // The list, the list of one state and its count, and the next recipients to process.
    await runner.query(
      `CREATE INDEX courriel_destinataire_ordre ON courriel_destinataire (tenant_id, courriel_id, ordre, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX courriel_destinataire_etat ON courriel_destinataire (tenant_id, courriel_id, etat, ordre, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX courriel_destinataire_echeance ON courriel_destinataire (tenant_id, courriel_id, echeance, id_unique)
         WHERE echeance IS NOT NULL`,
    );
    // A deleted employee is removed from the recipients.
    await runner.query(
      `CREATE INDEX courriel_destinataire_employe ON courriel_destinataire (tenant_id, employe_id)
         WHERE employe_id IS NOT NULL`,
    );
    for (const table of ['courriel', 'courriel_destinataire']) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
      await runner.query(`REVOKE UPDATE, DELETE ON ${table} FROM ${APP_ROLE}`);
      await expectOneTenant(runner, table);
    }
    await runner.query(`GRANT UPDATE (nombre_destinataires, tour) ON courriel TO ${APP_ROLE}`);
    await runner.query(
      `GRANT UPDATE (etat, code_smtp, essais, porteur, echeance, date) ON courriel_destinataire TO ${APP_ROLE}`,
    );
    // The purge crosses tenants and can access only expired rows.
    await runner.query(`CREATE INDEX courriel_purge ON courriel (date_creation)`);
    await runner.query(
      `GRANT SELECT (tenant_id, id_unique, nombre_destinataires, date_creation), DELETE ON courriel TO ${ACCESS_ROLE}`,
    );
    await runner.query(
      `CREATE POLICY courriel_purge ON courriel TO ${ACCESS_ROLE}
         USING (date_creation < now() - interval '30 days') WITH CHECK (false)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE courriel_destinataire, courriel');
  }
}

/** As for deliveries: the worker joins hundreds of identifiers with these tables (docs/adr/0011). */
async function expectOneTenant(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id SET STATISTICS 0`);
  await runner.query(
    `SELECT pg_restore_attribute_stats('schemaname', 'public', 'relname', '${table}', 'attname', 'tenant_id',
       'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real)`,
  );
}
