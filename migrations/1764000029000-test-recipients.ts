import { type MigrationInterface, type QueryRunner } from 'typeorm';

const ETATS = `'EnAttente', 'EnCours', 'Envoye', 'Refuse', 'Incertain', 'SansAdresse', 'Doublon'`;

/** Recipients of e-mail from a staging data space, and the state of all others there (docs/adr/0016). */
export class TestRecipients1764000029000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Processes of the previous release do not write the column.
    for (const table of ['client', 'reglage'])
      await runner.query(`ALTER TABLE ${table} ADD COLUMN courriels_essai text[] NOT NULL DEFAULT '{}'`);
    await writeEtats(runner, `${ETATS}, 'Retenu'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Forced policies also apply to the owner, who would find no rows to update unless a superuser.
    await runner.query('ALTER TABLE courriel_destinataire NO FORCE ROW LEVEL SECURITY');
    await runner.query(`UPDATE courriel_destinataire SET etat = 'Refuse' WHERE etat = 'Retenu'`);
    await runner.query('ALTER TABLE courriel_destinataire FORCE ROW LEVEL SECURITY');
    await writeEtats(runner, ETATS);
    for (const table of ['client', 'reglage'])
      await runner.query(`ALTER TABLE ${table} DROP COLUMN courriels_essai`);
  }
}

async function writeEtats(runner: QueryRunner, etats: string): Promise<void> {
  await runner.query(
    `ALTER TABLE courriel_destinataire DROP CONSTRAINT courriel_destinataire_etat_check,
       ADD CONSTRAINT courriel_destinataire_etat_check CHECK (etat IN (${etats}))`,
  );
}
