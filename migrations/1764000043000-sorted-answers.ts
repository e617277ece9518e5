import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../libs/voting/src/sql/functions';

/** `urne_dossier` sorts its lines by class, so that a process holds the answers of one class at a time. */
export class SortedAnswers1764000043000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'c8a0e436c627d06960aed0da93a992c98c310dcb5977bf7e26640e1ba63325d2';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, SortedAnswers1764000043000.digest);
  }

  /** The order of the lines does not matter to the release before. */
  async down(): Promise<void> {}
}
