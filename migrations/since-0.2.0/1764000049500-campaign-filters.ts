import { type MigrationInterface, type QueryRunner } from 'typeorm';

const ORDER = 'tenant_id, date_creation, id_unique';

/** Indexes of the filters of lists of campaigns, by state in the order of the list. */
const INDEXES = {
  campagne_ouverte: `(${ORDER}) WHERE publiee AND NOT urne_close`,
  campagne_brouillon: `(${ORDER}) WHERE NOT publiee AND NOT archivee`,
  campagne_archivee: `(${ORDER}) WHERE archivee`,
  campagne_ouverture: '(tenant_id, ouverture_du_vote_utc)',
  campagne_fermeture: '(tenant_id, fermeture_du_vote_utc)',
};

/** A page of few campaigns that pass a filter reads only them, and a publication counts those that are open. */
export class CampaignFilters1764000049500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, index] of Object.entries(INDEXES))
      await runner.query(`CREATE INDEX ${name} ON campagne ${index}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX ${name}`);
  }
}
