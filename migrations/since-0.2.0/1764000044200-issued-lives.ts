import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A key remembers the life with which it was issued, which a rotation does not shorten. Its successors get the same. */
export class IssuedLives1764000044200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cle ADD COLUMN vie_ms double precision');
    await runner.query(
      `COMMENT ON COLUMN cle.vie_ms IS 'The time from issue to expiry, in ms; null for a key without expiry'`,
    );
    // Lives that a rotation before this migration shortened are unknown.
    await runner.query(
      `UPDATE cle SET vie_ms = extract(epoch FROM expire_le - date_creation) * 1000 WHERE expire_le IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cle DROP COLUMN vie_ms');
  }
}
