import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Roles, clients, data spaces, keys, rate limits and idempotency records. */
export class Access1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const role of [APP_ROLE, ACCESS_ROLE]) {
      // Roles belong to the whole server, so another database of the server may already have created them.
      await runner.query(
        `DO $$ BEGIN CREATE ROLE ${role} NOLOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      );
      await runner.query(`GRANT ${role} TO CURRENT_USER`);
      await runner.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
    }
    // Bulk writes stage their records in temporary tables.
    await runner.query(
      `DO $$ BEGIN EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO ${APP_ROLE}', current_database()); END $$`,
    );

    await runner.query(`
      CREATE TABLE client (
        id uuid PRIMARY KEY,
        nom text NOT NULL CONSTRAINT client_nom_key UNIQUE CHECK (char_length(nom) BETWEEN 1 AND 255),
        modules text[] NOT NULL CHECK (modules <@ ARRAY['carteMembre', 'vote', 'voteEnSeance']),
        resultats_vote_actif_visibles boolean NOT NULL DEFAULT false,
        seuil_anonymat integer NOT NULL DEFAULT 1 CHECK (seuil_anonymat >= 1),
        limite_par_minute integer CHECK (limite_par_minute >= 1),
        contact_technique text,
        cas_usage text,
        date_creation timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE tenant (
        id uuid PRIMARY KEY,
        client_id uuid NOT NULL REFERENCES client (id),
        environnement text NOT NULL CHECK (environnement IN ('production', 'staging')),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (client_id, environnement)
      )`);
    await runner.query(`
      CREATE TABLE cle (
        id uuid PRIMARY KEY,
        tenant_id uuid REFERENCES tenant (id),
        role text NOT NULL CHECK (role IN ('partenaire', 'plateforme', 'admin')),
        nom text NOT NULL CHECK (char_length(nom) BETWEEN 1 AND 255),
        prefixe text NOT NULL,
        empreinte bytea NOT NULL UNIQUE CHECK (octet_length(empreinte) = 32),
        modules text[] CHECK (modules <@ ARRAY['carteMembre', 'vote', 'voteEnSeance']),
        expire_le timestamptz(3),
        revoque_le timestamptz(3),
        dernier_usage timestamptz(3),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        CHECK ((role = 'admin') = (tenant_id IS NULL))
      )`);
    await runner.query(`CREATE INDEX cle_tenant ON cle (tenant_id)`);
    // Unlogged: after a crash of the server the counts of the minute start at zero, and each count is written only
    // once.
    await runner.query(`
      CREATE UNLOGGED TABLE rate_window (
        cle_id uuid NOT NULL,
        debut timestamptz NOT NULL,
        used integer NOT NULL,
        PRIMARY KEY (cle_id, debut)
      )`);
    await runner.query(`CREATE INDEX rate_window_debut ON rate_window (debut)`);
    await runner.query(`GRANT SELECT, INSERT, UPDATE ON client, tenant, cle TO ${ACCESS_ROLE}`);
    await runner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON rate_window TO ${ACCESS_ROLE}`);

    await runner.query(`
      CREATE TABLE idempotency_record (
        tenant_id uuid NOT NULL,
        idempotency_key text COLLATE "C" NOT NULL,
        fingerprint bytea NOT NULL,
        status integer NOT NULL,
        headers jsonb NOT NULL,
        sealed_body bytea NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, idempotency_key)
      )`);
    await runner.query(`CREATE INDEX idempotency_record_date_creation ON idempotency_record (date_creation)`);
    for (const statement of secureTenantTable('idempotency_record', [APP_ROLE, ACCESS_ROLE]))
      await runner.query(statement);
    // Only the worker's purge crosses tenants, and it can access only expired rows.
    await runner.query(
      `CREATE POLICY idempotency_record_purge ON idempotency_record TO ${ACCESS_ROLE}
         USING (date_creation < now() - interval '24 hours') WITH CHECK (false)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_record, rate_window, cle, tenant, client');
    await runner.query(
      `DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM ${APP_ROLE}', current_database()); END $$`,
    );
    for (const role of [APP_ROLE, ACCESS_ROLE]) {
      await runner.query(`REVOKE USAGE ON SCHEMA public FROM ${role}`);
      // A role stays while another database of the server grants it privileges.
      await runner.query(
        `DO $$ BEGIN DROP ROLE ${role}; EXCEPTION WHEN dependent_objects_still_exist THEN NULL; END $$`,
      );
    }
  }
}
