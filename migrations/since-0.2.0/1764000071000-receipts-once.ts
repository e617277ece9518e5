import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';

/** Sealing writes receipts once: those that it also places in the log (docs/adr/0014). */
export class ReceiptsOnce1764000071000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '0e970b921253ed0243d8f76fe7721ed1681c80451294b9a48058404c16ec3953';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, ReceiptsOnce1764000071000.digest);
  }

  /** Both versions of the functions write the same tables. */
  async down(): Promise<void> {}
}
