import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Erasure of the data of rehearsals, and failures on demand, in staging only. */
export class RehearsalData1764000062000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '890bb44d39bafeb4e041e4a35f44b1368057ee4803aaf52549974c624485529c';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE panne_essai (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        route text COLLATE "C",
        webhook_id uuid,
        statut integer CHECK (statut BETWEEN 400 AND 599),
        delai_ms integer CHECK (delai_ms BETWEEN 1 AND 30000),
        coupure boolean CHECK (coupure),
        fois integer NOT NULL CHECK (fois BETWEEN 1 AND 1000),
        restantes integer NOT NULL CHECK (restantes BETWEEN 0 AND fois),
        expire_le timestamptz(3) NOT NULL,
        PRIMARY KEY (tenant_id, id_unique),
        UNIQUE (tenant_id, route),
        UNIQUE (tenant_id, webhook_id),
        CONSTRAINT panne_essai_webhook_fkey FOREIGN KEY (tenant_id, webhook_id)
          REFERENCES webhook (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT panne_essai_cible CHECK (num_nonnulls(route, webhook_id) = 1),
        CONSTRAINT panne_essai_effet CHECK (num_nonnulls(statut, delai_ms, coupure) = 1)
      )`);
    for (const statement of secureTenantTable('panne_essai')) await runner.query(statement);
    await replaceFunctions(runner, RehearsalData1764000062000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE panne_essai');
    await runner.query('DROP FUNCTION IF EXISTS essai_effacer(integer)');
  }
}
