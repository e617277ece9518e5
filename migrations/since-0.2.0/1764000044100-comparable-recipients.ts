import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { domainToASCII } from 'node:url';

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
        entries.flatMap(comparable),
      ]);
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
  }

  /** The release before compares these forms as well. */
  async down(): Promise<void> {}
}

function comparable(entry: string): string[] {
  const address = (entry.includes('@') ? entry : `@${entry}`).normalize();
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  const form = `${address.slice(0, at)}@${domain}`.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return domain === '' ? [] : [form];
}
