import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { comparableEntry } from '../libs/platform/src/input/email-address';

/**
 * Settings of data spaces list test recipients in the form in which addresses are compared: the domain in ASCII, ASCII letters in
 * lower case, and `@` before a domain. SQL knows no IDNA.
 */
export class ComparableRecipients1764000044100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Forced policies also apply to the owner, who would find no rows unless a superuser.
    await runner.query('ALTER TABLE reglage NO FORCE ROW LEVEL SECURITY');
    const rows = (await runner.query(
      `SELECT tenant_id AS id, courriels_essai AS entries FROM reglage WHERE courriels_essai <> '{}'`,
    )) as { id: string; entries: string[] }[];
    for (const { id, entries } of rows)
      await runner.query('UPDATE reglage SET courriels_essai = $2 WHERE tenant_id = $1', [
        id,
        entries.flatMap((entry) => comparableEntry(entry) ?? []),
      ]);
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
  }

  /** The release before compares these forms as well. */
  async down(): Promise<void> {}
}
