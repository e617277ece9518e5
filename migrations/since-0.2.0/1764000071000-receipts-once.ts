import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';
import { BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';

/** Sealing writes receipts once: those that it also places in the log (docs/adr/0014). */
export class ReceiptsOnce1764000071000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'c106c0ef21d79dd751313da6877c2cc892dd7572f30db79d57319fe12356f082';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, ReceiptsOnce1764000071000.digest);
    await runner.query(`REVOKE UPDATE (place) ON recu FROM ${BALLOT_BOX_ROLE}`);
  }

  /** Both versions of the functions write the same tables. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT UPDATE (place) ON recu TO ${BALLOT_BOX_ROLE}`);
  }
}
