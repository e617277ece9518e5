import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  asBallotBox,
  BOX_CLOSED,
  BOX_TENANT,
  type BoxFunction,
  createBoxFunctions,
} from '../libs/voting/src/sql/ballot-box';
import { ACCESS_ROLE, APP_ROLE, BALLOT_BOX_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['depouillement', 'participation', 'resultat'];

/**
 * Counts of a ballot box, and its sealing: roll, ballots and receipts are rewritten in random order, and the count is
 * stored for later reads (docs/adr/0014).
 */
export class Sealing1764000014000 implements MigrationInterface {
  /**
   * The functions as this migration creates them. A later migration that replaces some of them restores them in its
   * `down`.
   */
  static get functions(): readonly BoxFunction[] {
    return FUNCTIONS;
  }

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campagne ADD COLUMN urne_scellee boolean NOT NULL DEFAULT false');
    await runner.query(
      `COMMENT ON COLUMN campagne.urne_scellee IS 'Whether roll, ballots and receipts were written anew, and the count is kept'`,
    );
    await this.createCounts(runner);
    await this.createDue(runner);
    await asBallotBox(runner, () => createBoxFunctions(runner, FUNCTIONS));
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    // The whole result, as it is published.
    await runner.query(`
      CREATE TABLE resultat (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        inscrits integer NOT NULL,
        avec_droit integer NOT NULL,
        ayant_vote integer NOT NULL,
        questions text NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id),
        CONSTRAINT resultat_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(`COMMENT ON COLUMN resultat.questions IS 'JSON, as on the wire'`);
    // Voters of a union and employer.
    await runner.query(`
      CREATE TABLE participation (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
        syndicat_id_externe text COLLATE "C",
        employeur_identifiant_externe text COLLATE "C",
        inscrits integer NOT NULL,
        avec_droit integer NOT NULL,
        ayant_vote integer NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, id_unique),
        CONSTRAINT participation_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    // Ballots of a union and employer with the same answer to a question; of rankings, the first choice.
    await runner.query(`
      CREATE TABLE depouillement (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
        syndicat_id_externe text COLLATE "C",
        employeur_identifiant_externe text COLLATE "C",
        question integer NOT NULL,
        reponse text COLLATE "C" NOT NULL,
        bulletins bigint NOT NULL,
        poids numeric NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, id_unique),
        CONSTRAINT depouillement_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
      )`);
    await runner.query(`COMMENT ON COLUMN depouillement.question IS 'Its place among the questions, from 0'`);
    for (const table of ['participation', 'depouillement'])
      for (const column of ['syndicat_id_externe', 'employeur_identifiant_externe'])
        await runner.query(`CREATE INDEX ${table}_${column} ON ${table} (tenant_id, campagne_id, ${column})`);
    // Only the ballot box's role writes the stored counts. Counts by union and employer are not readable either.
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table, [BALLOT_BOX_ROLE])) await runner.query(statement);
      await runner.query(`REVOKE UPDATE, DELETE ON ${table} FROM ${BALLOT_BOX_ROLE}`);
    }
    await runner.query(`GRANT SELECT ON resultat, participation TO ${APP_ROLE}`);
    await runner.query(
      `GRANT SELECT (urne_scellee), UPDATE (urne_scellee) ON campagne TO ${BALLOT_BOX_ROLE}`,
    );
    await runner.query(`GRANT SELECT (tenant_id, seuil_anonymat) ON reglage TO ${BALLOT_BOX_ROLE}`);
  }

  /** The worker reads the boxes to seal in all tenants, and no other rows. */
  private async createDue(runner: QueryRunner): Promise<void> {
    const due = 'urne_close AND NOT urne_scellee';
    await runner.query(
      `CREATE INDEX campagne_scellement_du ON campagne (fermeture_du_vote_utc) WHERE ${due}`,
    );
    await runner.query(
      `CREATE POLICY campagne_scellement_du ON campagne FOR SELECT TO ${ACCESS_ROLE} USING (${due})`,
    );
    await runner.query(`GRANT SELECT (urne_scellee) ON campagne TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      for (const { signature } of FUNCTIONS.toReversed()) await runner.query(`DROP FUNCTION ${signature}`);
    });
    await runner.query(`REVOKE ALL ON reglage FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(`DROP TABLE ${TABLES.join(', ')}`);
    await runner.query('DROP POLICY campagne_scellement_du ON campagne');
    await runner.query('ALTER TABLE campagne DROP COLUMN urne_scellee');
  }
}

const OWN = (row: string): string => `${row}.tenant_id = ${BOX_TENANT} AND ${row}.campagne_id = $1`;

/** Whether a row belongs to the requested union and employer. A null requests all. */
const MEETS = (row: string): string =>
  `(($2 IS NULL OR ${row}.syndicat_id_externe = $2) AND ($3 IS NULL OR ${row}.employeur_identifiant_externe = $3))`;

const IS_CLOSED = `EXISTS (SELECT FROM campagne c WHERE c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1 AND ${BOX_CLOSED})`;

const IS_SEALED = `(SELECT c.urne_scellee FROM campagne c WHERE c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1)`;

/**
 * Answers of the ballots that meet a condition, by union and employer if requested; of rankings the first choice. Equal
 * ballots are counted before they are split into answers.
 */
const FIRST_CHOICES = (condition: string, by = ''): string => `
  SELECT ${by} a.question, a.reponse, sum(g.ballots)::bigint, sum(g.ballots * g.poids)
  FROM (SELECT ${by} b.reponses, b.poids, count(*) AS ballots FROM bulletin b WHERE ${condition} GROUP BY ${by} b.reponses, b.poids) g
    CROSS JOIN (SELECT ARRAY(SELECT q.est_preferentiel FROM question q WHERE ${OWN('q')} ORDER BY q.ordre) AS ranked) r
    CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
    CROSS JOIN LATERAL (SELECT u.place::integer - 1 AS question,
      CASE WHEN r.ranked[u.place] THEN split_part(u.answer, ',', 1) ELSE u.answer END AS reponse) a
  GROUP BY ${by} a.question, a.reponse`;

/**
 * Names in a statement are those of columns. Each statement is planned for its values, because filters may be absent.
 */
const FILTERED = 'LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan';

const FUNCTIONS: readonly BoxFunction[] = [
  {
    // All ballots with the same answer to a question, after the box is closed.
    signature: 'urne_compter(uuid)',
    shape: `(campagne uuid)
      RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric, decimales integer)`,
    manner: 'LANGUAGE plpgsql STABLE',
    body: `#variable_conflict use_column
      BEGIN
        IF NOT ${IS_CLOSED} THEN RETURN; END IF;
        RETURN QUERY SELECT u.place::integer - 1, u.answer, sum(g.ballots)::bigint, sum(g.ballots * g.poids),
            max(scale(trim_scale(g.poids)))
          FROM (SELECT b.reponses, b.poids, count(*) AS ballots FROM bulletin b WHERE ${OWN('b')} GROUP BY 1, 2) g
            CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
          GROUP BY 1, 2;
      END`,
  },
  {
    // Whether a union and employer have enough ballots to be published: neither they nor all others are too few.
    signature: 'urne_suffit(uuid, text, text)',
    shape: '(campagne uuid, syndicat text, employeur text) RETURNS boolean',
    manner: FILTERED,
    body: `DECLARE
        k integer := (SELECT s.seuil_anonymat FROM reglage s WHERE s.tenant_id = ${BOX_TENANT});
        inside bigint; outside bigint;
      BEGIN
        IF coalesce(k, 1) = 1 OR $2 IS NULL AND $3 IS NULL THEN RETURN true; END IF;
        IF ${IS_SEALED} THEN
          SELECT coalesce(sum(d.bulletins) FILTER (WHERE ${MEETS('d')}), 0),
            coalesce(sum(d.bulletins) FILTER (WHERE ${MEETS('d')} IS NOT TRUE), 0)
          INTO inside, outside FROM depouillement d WHERE ${OWN('d')} AND d.question = 0;
        ELSE
          SELECT count(*) FILTER (WHERE ${MEETS('b')}), count(*) FILTER (WHERE ${MEETS('b')} IS NOT TRUE)
          INTO inside, outside FROM bulletin b WHERE ${OWN('b')};
        END IF;
        RETURN (inside = 0 OR inside >= k) AND (outside = 0 OR outside >= k);
      END`,
  },
  {
    // The same as urne_compter by union and employer, with the first choices of rankings, if there are enough ballots.
    signature: 'urne_compter_par(uuid, text, text)',
    shape: `(campagne uuid, syndicat text, employeur text)
      RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric)`,
    manner: FILTERED,
    body: `#variable_conflict use_column
      BEGIN
        IF NOT ${IS_CLOSED} OR NOT urne_suffit($1, $2, $3) THEN RETURN; END IF;
        IF ${IS_SEALED} THEN
          RETURN QUERY SELECT d.question, d.reponse, sum(d.bulletins)::bigint, sum(d.poids)
            FROM depouillement d WHERE ${OWN('d')} AND ${MEETS('d')} GROUP BY 1, 2;
        ELSE
          RETURN QUERY ${FIRST_CHOICES(`${OWN('b')} AND ${MEETS('b')}`)};
        END IF;
      END`,
  },
  {
    // Stores the published result of a closed box and its count by union and employer, and rewrites roll, ballots and
    // receipts in random order. It does not use random(), because any session may set its seed.
    signature: 'urne_sceller(uuid, text)',
    shape: '(campagne uuid, questions text) RETURNS void',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        IF NOT ${IS_CLOSED} OR ${IS_SEALED} THEN RAISE EXCEPTION 'The box is not closed, or sealed already.'; END IF;
        IF (SELECT count(*) FROM bulletin b WHERE ${OWN('b')}) <> (SELECT count(*) FROM votant v WHERE ${OWN('v')} AND v.a_vote)
        THEN RAISE EXCEPTION 'There are not as many ballots as voters who have voted.'; END IF;
        INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
            inscrits, avec_droit, ayant_vote)
          SELECT v.tenant_id, v.campagne_id, v.syndicat_id_externe, v.employeur_identifiant_externe,
            count(*), count(*) FILTER (WHERE v.a_droit_de_vote), count(*) FILTER (WHERE v.a_vote)
          FROM votant v WHERE ${OWN('v')} GROUP BY 1, 2, 3, 4;
        INSERT INTO resultat (tenant_id, campagne_id, inscrits, avec_droit, ayant_vote, questions)
          SELECT ${BOX_TENANT}, $1, coalesce(sum(p.inscrits), 0), coalesce(sum(p.avec_droit), 0), coalesce(sum(p.ayant_vote), 0), $2
          FROM participation p WHERE ${OWN('p')};
        INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
            question, reponse, bulletins, poids)
          SELECT ${BOX_TENANT}, $1, s.* FROM (
            ${FIRST_CHOICES(OWN('b'), 'syndicat_id_externe, employeur_identifiant_externe,')}
          ) s;
        WITH taken AS (DELETE FROM bulletin b WHERE ${OWN('b')} RETURNING b.*)
        INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
        SELECT t.tenant_id, t.campagne_id, t.syndicat_id_externe, t.employeur_identifiant_externe, t.poids, t.reponses
        FROM taken t ORDER BY gen_random_uuid();
        WITH taken AS (DELETE FROM recu r WHERE ${OWN('r')} RETURNING r.*)
        INSERT INTO recu SELECT t.* FROM taken t ORDER BY gen_random_uuid();
        WITH taken AS (DELETE FROM votant v WHERE ${OWN('v')} RETURNING v.*)
        INSERT INTO votant SELECT t.* FROM taken t ORDER BY gen_random_uuid();
        UPDATE campagne c SET urne_scellee = true WHERE c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1;
      END`,
  },
];
