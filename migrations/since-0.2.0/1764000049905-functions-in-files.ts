import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { asBallotBox, replaceFunctions } from '../../libs/platform/src/database/functions';

/** Functions that release 0.2.0 does not have, or has with other arguments, and that no other migration creates. */
const NEW = [
  ...['urne_engager', 'urne_signaler', 'urne_dossier', 'urne_filtrer', 'urne_livrer', 'urne_classes'],
  'changement_lot_courant',
];

/** The sources, because tsc copies no .sql. */
const BEFORE = join(__dirname, '../../../migrations/since-0.2.0/functions-of-0.2.0.sql');

/** All functions of the database come from their files (docs/adr/0032). */
export class FunctionsInFiles1764000049905 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '10164e2d258cebec5fb37ec9fc7dd323285f24be3ccfaa5e3ef8bbe92f7fea98';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, FunctionsInFiles1764000049905.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      for (const name of NEW) await runner.query(`DROP FUNCTION ${name}`);
      await runner.query(readFileSync(BEFORE, 'utf8'));
    });
  }
}
