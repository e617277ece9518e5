import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/**
 * The pieces of work that workers have begun: after a death they show what may have caused it.
 */
export class WorkInProgress1764000049000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE travail_en_cours (
        espace uuid NOT NULL,
        travail text COLLATE "C" NOT NULL,
        id uuid NOT NULL,
        processus text COLLATE "C" NOT NULL,
        jusqua timestamptz(3) NOT NULL,
        compte boolean NOT NULL DEFAULT true,
        morts smallint NOT NULL DEFAULT 0,
        mis_de_cote timestamptz(3),
        PRIMARY KEY (espace, travail, id)
      )`);
    const comments = {
      processus: 'The process that runs the piece',
      jusqua: 'End of its lease: the process is dead if it does not renew it',
      compte: 'Whether a death counts; false once the process has been asked to stop',
      morts: 'Processes that have died while they ran the piece',
      mis_de_cote: 'When the piece was put aside; null while it may be run',
    };
    for (const [column, comment] of Object.entries(comments))
      await runner.query(`COMMENT ON COLUMN travail_en_cours.${column} IS '${comment}'`);
    await runner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON travail_en_cours TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE travail_en_cours');
  }
}
