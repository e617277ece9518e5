import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../../libs/platform/src/database/functions';

/** A found identifier: where it is and whether it was composed. */
interface Found {
  readonly espace: string;
  readonly sorte: string;
  readonly compose: string | null;
}

/**
 * Brings stored identifiers to Unicode's form NFC. Every request is brought to it, so no request could reach others. Those that stay are
 * listed by `npm run cli -- identifiants`, which composes them once they can be. The function stays for that, and for identifiers that
 * processes of the release before write beside this one.
 */
export class ComposedIdentifiers1764000049880 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createFunctions(runner, 'identifiants_composer');
    tell((await runner.query('SELECT espace, sorte, compose FROM identifiants_composer()')) as Found[]);
  }

  /** The release before reads composed identifiers as well. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION identifiants_composer(uuid, text)');
  }
}

/** Prints numbers only: logs have no identifiers of persons. */
function tell(found: readonly Found[]): void {
  for (const [space, rows] of Map.groupBy(found, ({ espace }) => espace)) {
    const count = (kept: boolean): string =>
      [
        ...Map.groupBy(
          rows.filter(({ compose }) => (compose === null) === kept),
          ({ sorte }) => sorte,
        ),
      ]
        .map(([kind, { length }]) => `${length} ${kind}`)
        .join(', ') || 'none';
    console.log(
      `Data space ${space}: identifiers composed to NFC: ${count(false)}; left because another row has them: ${count(true)}.`,
    );
  }
}
