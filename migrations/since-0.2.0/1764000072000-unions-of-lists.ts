import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Plans for any union or employer of a roll expect a thousandth of its voters. If all voters are of one, PostgreSQL would
 * otherwise see no use in their indexes, and read the whole roll for another one (docs/adr/0011).
 */
export class UnionsOfRolls1764000072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE votant ALTER COLUMN syndicat_id_externe SET (n_distinct = 1000),
         ALTER COLUMN employeur_identifiant_externe SET (n_distinct = 1000)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE votant ALTER COLUMN syndicat_id_externe RESET (n_distinct),
         ALTER COLUMN employeur_identifiant_externe RESET (n_distinct)`,
    );
  }
}
