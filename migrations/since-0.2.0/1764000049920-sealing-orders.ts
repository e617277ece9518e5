import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';

/** Sealing rewrites roll, ballots and receipts in the orders of their largest indexes (docs/adr/0014). */
export class SealingOrders1764000049920 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'c2dae50b5f535326d31385648f44b2a361db59204ba5f7c8148b0d093d1dbc1f';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, SealingOrders1764000049920.digest);
  }

  /** Both versions of the functions write the same tables. */
  async down(): Promise<void> {}
}
