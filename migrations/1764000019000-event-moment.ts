import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * An event's time is when it was written, not when its transaction began: who waited for another one's lock writes after
 * it, and was said to have come before.
 */
export class EventMoment1764000019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE evenement ALTER COLUMN date_creation SET DEFAULT clock_timestamp()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE evenement ALTER COLUMN date_creation SET DEFAULT now()');
  }
}
