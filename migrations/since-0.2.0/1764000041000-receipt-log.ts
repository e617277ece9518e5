import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE, BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** The receipts of a campaign become a Merkle log with signed checkpoints (docs/adr/0042). */
export class ReceiptLog1764000041000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Votes leave the place empty. One index finds receipts without a place, and runs of the log.
    await runner.query(`
      ALTER TABLE recu
        ADD COLUMN place integer,
        ADD CONSTRAINT recu_place_key UNIQUE (tenant_id, campagne_id, place),
        ADD CONSTRAINT recu_empreinte_check CHECK (octet_length(empreinte) = 32)`);
    await runner.query(
      `COMMENT ON COLUMN recu.place IS 'Place in the log of receipts, from 0; null until a checkpoint covers it'`,
    );
    await runner.query(`GRANT SELECT (place) ON recu TO ${APP_ROLE}`);
    await runner.query(`GRANT UPDATE (place) ON recu TO ${BALLOT_BOX_ROLE}`);
    await runner.query(`
      CREATE TABLE engagement (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        taille integer NOT NULL CHECK (taille > 0),
        racine bytea NOT NULL,
        note text NOT NULL,
        date_creation timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, campagne_id, taille),
        CONSTRAINT engagement_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
      )`);
    await runner.query(`COMMENT ON COLUMN engagement.note IS 'The checkpoint as a signed note'`);
    await runner.query(`
      CREATE TABLE recu_noeud (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        niveau smallint NOT NULL,
        place integer NOT NULL,
        empreinte bytea NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, niveau, place),
        CONSTRAINT recu_noeud_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
      )`);
    await runner.query(
      `COMMENT ON COLUMN recu_noeud.niveau IS '8 for a subtree of 256 leaves, 16 for one of 65,536'`,
    );
    for (const table of ['engagement', 'recu_noeud']) {
      for (const statement of secureTenantTable(table, [])) await runner.query(statement);
      await runner.query(`GRANT SELECT, INSERT ON ${table} TO ${APP_ROLE}`);
    }
    await runner.query(`GRANT SELECT (tenant_id, campagne_id, taille) ON engagement TO ${BALLOT_BOX_ROLE}`);
    // The index campagne_urne_due has these rows.
    await runner.query(
      `CREATE POLICY campagne_engagement_du ON campagne FOR SELECT TO ${ACCESS_ROLE}
         USING (publiee AND NOT urne_close)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP POLICY campagne_engagement_du ON campagne');
    await runner.query('DROP TABLE recu_noeud, engagement');
    await runner.query('ALTER TABLE recu DROP COLUMN place, DROP CONSTRAINT recu_empreinte_check');
  }
}
