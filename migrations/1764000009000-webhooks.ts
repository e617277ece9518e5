import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Endpoints, their deliveries, and the feed of events. */
export class Webhooks1764000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        url text NOT NULL,
        types text[] NOT NULL,
        actif boolean NOT NULL,
        description text,
        secret bytea NOT NULL,
        secret_precedent bytea,
        secret_precedent_jusqua timestamptz(3),
        echec_depuis timestamptz(3),
        dernier_echec timestamptz(3),
        desactive_le timestamptz(3),
        raison_desactivation text,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CHECK ((echec_depuis IS NULL) = (dernier_echec IS NULL)),
        CHECK ((secret_precedent IS NULL) = (secret_precedent_jusqua IS NULL)),
        CHECK ((desactive_le IS NULL) = (raison_desactivation IS NULL)),
        CHECK (NOT (actif AND desactive_le IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX webhook_creation ON webhook (tenant_id, date_creation, id_unique)`);
    // Half of a page stays free, so attempts are written on the same page as the row and update no index.
    await runner.query(`
      CREATE TABLE livraison (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        webhook_id uuid NOT NULL,
        evenement_id uuid NOT NULL,
        etat text NOT NULL DEFAULT 'EnAttente' CHECK (etat IN ('EnAttente', 'Reussie', 'Echouee', 'Annulee')),
        essais integer NOT NULL DEFAULT 0,
        tour integer NOT NULL DEFAULT 0,
        prochaine_tentative timestamptz(3) DEFAULT now(),
        tentatives jsonb NOT NULL DEFAULT '[]',
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT livraison_evenement_key UNIQUE (tenant_id, evenement_id, webhook_id),
        CONSTRAINT livraison_evenement_fkey FOREIGN KEY (tenant_id, evenement_id)
          REFERENCES evenement (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT livraison_webhook_fkey FOREIGN KEY (tenant_id, webhook_id)
          REFERENCES webhook (tenant_id, id_unique) ON DELETE CASCADE,
        CHECK ((etat = 'EnAttente') = (prochaine_tentative IS NOT NULL))
      ) WITH (fillfactor = 50)`);
    await runner.query(
      `COMMENT ON COLUMN livraison.essais IS 'Attempts since it was begun or sent again: its place in the schedule'`,
    );
    await runner.query(
      `COMMENT ON COLUMN livraison.tour IS 'Names the one job that may attempt it next; a job of an earlier turn does nothing'`,
    );
    await runner.query(
      `CREATE INDEX livraison_webhook ON livraison (tenant_id, webhook_id, date_creation, id_unique)`,
    );
    for (const table of ['webhook', 'livraison']) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
    // Deliveries are deleted with their event or their endpoint, never separately.
    await runner.query(`REVOKE UPDATE, DELETE ON livraison FROM ${APP_ROLE}`);
    await runner.query(
      `GRANT UPDATE (etat, essais, tour, prochaine_tentative, tentatives) ON livraison TO ${APP_ROLE}`,
    );
    await this.openFeed(runner);
    for (const table of ['webhook', 'livraison', 'evenement']) await expectOneTenant(runner, table);
  }

  /**
   * An event gets its place in the feed after its commit, because a late event must not come before events already
   * read.
   */
  private async openFeed(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE evenement ADD COLUMN date_publication timestamptz(3)`);
    await runner.query(
      `COMMENT ON COLUMN evenement.date_publication IS 'Its place in the feed; null until the feed is read after its commit'`,
    );
    await runner.query(`GRANT UPDATE (date_publication) ON evenement TO ${APP_ROLE}`);
    await runner.query(
      `CREATE INDEX evenement_publication ON evenement (tenant_id, date_publication, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX evenement_type_publication ON evenement (tenant_id, type, date_publication, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX evenement_a_publier ON evenement (tenant_id, date_creation, id_unique) WHERE date_publication IS NULL`,
    );
    // The purge crosses tenants and can access only expired rows.
    await runner.query(`CREATE INDEX evenement_purge ON evenement (date_creation)`);
    await runner.query(
      `GRANT SELECT (tenant_id, id_unique, date_creation), DELETE ON evenement TO ${ACCESS_ROLE}`,
    );
    await runner.query(
      `CREATE POLICY evenement_purge ON evenement TO ${ACCESS_ROLE}
         USING (date_creation < now() - interval '30 days') WITH CHECK (false)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE livraison, webhook');
    await runner.query('DROP POLICY evenement_purge ON evenement');
    await runner.query(
      `REVOKE SELECT (tenant_id, id_unique, date_creation), DELETE ON evenement FROM ${ACCESS_ROLE}`,
    );
    await runner.query('DROP INDEX evenement_purge');
    await runner.query('ALTER TABLE evenement ALTER COLUMN tenant_id SET STATISTICS DEFAULT');
    await runner.query('ALTER TABLE evenement DROP COLUMN date_publication');
  }
}

/**
 * Every plan expects all rows to belong to one tenant, from the first row on. The worker joins hundreds of identifiers
 * with these tables. For a tenant without statistics PostgreSQL would expect one row, and compare each identifier with
 * each row (docs/adr/0011).
 */
async function expectOneTenant(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id SET STATISTICS 0`);
  await runner.query(`SELECT pg_clear_attribute_stats('public', '${table}', 'tenant_id', false)`);
  await runner.query(
    `SELECT pg_restore_attribute_stats('schemaname', 'public', 'relname', '${table}', 'attname', 'tenant_id',
       'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real)`,
  );
}
