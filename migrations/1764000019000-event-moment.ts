import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * An event's time is the time of its writing, not of the beginning of its transaction: a transaction that waited for
 * another's lock writes its events later, but its events had an earlier time.
 */
export class EventMoment1764000019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE evenement ALTER COLUMN date_creation SET DEFAULT clock_timestamp()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE evenement ALTER COLUMN date_creation SET DEFAULT now()');
  }
}
