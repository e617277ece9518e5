import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../../libs/platform/src/database/roles';

const ETATS = `'EnAttente', 'EnCours', 'Envoye', 'Refuse', 'Incertain', 'SansAdresse', 'Doublon', 'Retenu'`;
const CIBLES = `'tous', 'nonVotants'`;

/** Recipients whose message a relay gave up after the mail server had accepted it, and emails to voters whom none has reached. */
export class Bounces1764000059000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE courriel_destinataire ADD COLUMN statut text CHECK (statut ~ '^[45](\\.\\d{1,3}){2}$')`,
    );
    await runner.query(
      `COMMENT ON COLUMN courriel_destinataire.statut IS 'Status code that a relay reported (RFC 3463): of the failure with Rejete, otherwise of a delay'`,
    );
    await runner.query(`GRANT UPDATE (statut) ON courriel_destinataire TO ${APP_ROLE}`);
    await this.restrict(runner, `${ETATS}, 'Rejete'`, `${CIBLES}, 'nonJoints'`);
    // The last email to a voter, and the voters whom no email of a campaign has reached.
    await runner.query(
      `CREATE INDEX courriel_destinataire_votant ON courriel_destinataire (tenant_id, campagne_id, votant_id, id_unique)
         WHERE votant_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX courriel_destinataire_votant');
    await runner.query(`UPDATE courriel_destinataire SET etat = 'Refuse' WHERE etat = 'Rejete'`);
    await runner.query(`UPDATE courriel SET cible = 'nonVotants' WHERE cible = 'nonJoints'`);
    await this.restrict(runner, ETATS, CIBLES);
    await runner.query('ALTER TABLE courriel_destinataire DROP COLUMN statut');
  }

  private async restrict(runner: QueryRunner, etats: string, cibles: string): Promise<void> {
    await runner.query(
      `ALTER TABLE courriel_destinataire DROP CONSTRAINT courriel_destinataire_etat_check,
         ADD CONSTRAINT courriel_destinataire_etat_check CHECK (etat IN (${etats}))`,
    );
    await runner.query(
      `ALTER TABLE courriel DROP CONSTRAINT courriel_cible_check,
         ADD CONSTRAINT courriel_cible_check CHECK (cible IN (${cibles}))`,
    );
  }
}
