import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../libs/platform/src/database/roles';

/** The position of the log after the last write of each space, for reads from standbys (docs/adr/0040). */
export class LastWrites1764000039000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Unlogged: a position is of no use after a crash, and storing it must not wait for the disk.
    await runner.query(`
      CREATE UNLOGGED TABLE derniere_ecriture (
        espace uuid PRIMARY KEY,
        position pg_lsn NOT NULL
      ) WITH (fillfactor = 50)`);
    await runner.query(`GRANT SELECT, INSERT, UPDATE ON derniere_ecriture TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE derniere_ecriture');
  }
}
