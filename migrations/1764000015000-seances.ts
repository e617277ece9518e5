import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/** Meetings, the points of their agendas and the results of votes in session: totals, without personal data. */
export class Seances1764000015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE seance (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        titre text NOT NULL,
        date timestamptz(3) NOT NULL,
        syndicat_id_externe text COLLATE "C",
        quorum integer CHECK (quorum >= 1),
        inscrits integer NOT NULL DEFAULT 0,
        presents integer NOT NULL DEFAULT 0 CHECK (presents <= inscrits),
        votants integer DEFAULT 0 CHECK (votants BETWEEN 0 AND presents),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT seance_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
          REFERENCES syndicat (tenant_id, id_externe),
        CHECK (presents >= 0)
      )`);
    await runner.query(
      `COMMENT ON COLUMN seance.votants IS 'Null where presences were recorded without counting who has voted'`,
    );
    // The list, all of it or of one union, in its order; and a range of it by date.
    for (const [name, columns] of Object.entries({
      creation: 'date_creation, id_unique',
      syndicat: 'syndicat_id_externe, date_creation, id_unique',
      date: 'date',
    }))
      await runner.query(`CREATE INDEX seance_${name} ON seance (tenant_id, ${columns})`);
    // The verdict is stored with its numbers, because an announced verdict must not change.
    await runner.query(`
      CREATE TABLE point_seance (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        seance_id uuid NOT NULL,
        titre text NOT NULL,
        ordre integer NOT NULL CHECK (ordre >= 1),
        votable boolean NOT NULL,
        type_vote text CHECK (type_vote IN ('nominal', 'secret')),
        majorite text CHECK (majorite IN ('simple', 'absolue', 'deuxTiers')),
        pour integer CHECK (pour >= 0),
        contre integer CHECK (contre >= 0),
        abstentions integer CHECK (abstentions >= 0),
        poids_pour numeric,
        poids_contre numeric,
        poids_abstentions numeric,
        adopte boolean,
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT point_seance_ordre_key UNIQUE (tenant_id, seance_id, ordre),
        CONSTRAINT point_seance_seance_fkey FOREIGN KEY (tenant_id, seance_id)
          REFERENCES seance (tenant_id, id_unique),
        CHECK (votable = (type_vote IS NOT NULL) AND votable = (majorite IS NOT NULL)),
        CHECK (num_nonnulls(pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte)
          IN (0, CASE WHEN votable THEN 7 ELSE 0 END)),
        ${['pour', 'contre', 'abstentions'].map((count) => weightCheck(count)).join(', ')}
      )`);
    for (const table of ['seance', 'point_seance']) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
      await runner.query(`REVOKE UPDATE, DELETE ON ${table} FROM ${APP_ROLE}`);
    }
    await runner.query(`GRANT UPDATE (inscrits, presents, votants) ON seance TO ${APP_ROLE}`);
    await runner.query(
      `GRANT UPDATE (pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte)
         ON point_seance TO ${APP_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE point_seance, seance');
  }
}

/** A weight requires votes and votes require a weight. Weights are exact to four decimals. */
function weightCheck(count: string): string {
  const poids = `poids_${count}`;
  return `CHECK (${poids} BETWEEN 0 AND 10000000000 AND scale(${poids}) <= 4 AND (${poids} = 0) = (${count} = 0))`;
}
