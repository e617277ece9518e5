import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { asBallotBox, createBoxFunctions, named } from '../libs/voting/src/sql/ballot-box';
import { replaceFunctions } from '../libs/voting/src/sql/functions';
import { Publication1764000021000 } from './1764000021000-publication';

/**
 * The functions of the ballot box come from the files in libs/voting/src/sql (docs/adr/0032). `campagne_etat` is new,
 * and `urne_voter` calls it; all others stay as they were.
 */
export class BoxFunctions1764000028000 implements MigrationInterface {
  /** Digest of the files that this migration creates. */
  static readonly digest = '869d5c2dc50d8fff7951e2f4d424067cb331aa57367576dc781820480d50b8ac';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, BoxFunctions1764000028000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      await runner.query('DROP FUNCTION urne_voter');
      await createBoxFunctions(runner, named(Publication1764000021000.functions, 'urne_voter'));
      await runner.query('DROP FUNCTION campagne_etat');
    });
  }
}
