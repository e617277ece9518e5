import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  asBallotBox,
  BOX_CLOSED,
  BOX_TENANT,
  type BoxFunction,
  createBoxFunctions,
  named,
} from '../libs/voting/src/sql/ballot-box';
import { APP_ROLE, BALLOT_BOX_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';
import { Publication1764000021000 } from './1764000021000-publication';
import { Sealing1764000014000 } from './1764000014000-sealing';

/** Tables that the sealing rewrites. Their dead rows are removed from the files afterwards. */
const REWRITTEN = ['votant', 'bulletin', 'recu'];

const COUNTED = ['campagne', 'bulletin', 'urne_question', 'depouillement'];

const replaced = (): BoxFunction[] => [
  ...named(Publication1764000021000.functions, 'urne_suffit'),
  ...named(Sealing1764000014000.functions, 'urne_compter', 'urne_compter_par', 'urne_sceller'),
];

/**
 * The box counts its ballots itself (docs/adr/0026); results from the service are not stored. Before the sealing,
 * ballots, receipts and voters are compared. A difference is an anomaly, and the box is not sealed. Its ballots are
 * divided into classes, and a filtered result is published only if it consists of whole classes.
 */
export class CountedBoxes1764000022000 implements MigrationInterface {
  /**
   * The functions as this migration creates them. A later migration that replaces some of them restores them in its
   * `down`.
   */
  static get functions(): readonly BoxFunction[] {
    return FUNCTIONS;
  }

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE campagne
        ADD COLUMN urne_anomalies text[],
        ADD COLUMN urne_constat text,
        ADD COLUMN urne_constat_date timestamptz,
        ADD CHECK (urne_constat IS NULL OR urne_scellee)`);
    await runner.query(
      `COMMENT ON COLUMN campagne.urne_anomalies IS 'What did not agree when the box was to be sealed'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.urne_constat IS 'Why an administrator sealed the box without a result'`,
    );
    const written = 'urne_anomalies, urne_constat, urne_constat_date';
    await runner.query(`GRANT SELECT (${written}), UPDATE (${written}) ON campagne TO ${BALLOT_BOX_ROLE}`);
    await runner.query('DROP TABLE resultat');
    await runner.query('ALTER TABLE depouillement ADD COLUMN classe integer');
    await this.divideSealed(runner);
    await runner.query('ALTER TABLE depouillement ALTER COLUMN classe SET NOT NULL');
    await runner.query(`GRANT MAINTAIN ON ${REWRITTEN.join(', ')} TO ${APP_ROLE}`);
    await asBallotBox(runner, async () => {
      for (const { signature } of replaced()) await runner.query(`DROP FUNCTION ${signature}`);
      await createBoxFunctions(runner, FUNCTIONS);
    });
  }

  /** Boxes that are already sealed also get classes, because their ballots are available. */
  private async divideSealed(runner: QueryRunner): Promise<void> {
    // Forced policies also apply to the owner, who would find no rows unless a superuser.
    for (const table of COUNTED) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query('DELETE FROM depouillement');
    await runner.query(
      countInto(`EXISTS (
        SELECT FROM campagne c WHERE c.tenant_id = b.tenant_id AND c.id_unique = b.campagne_id AND c.urne_scellee)`),
    );
    for (const table of COUNTED) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      for (const { signature } of FUNCTIONS) await runner.query(`DROP FUNCTION ${signature}`);
    });
    // Results that are not stored are counted again from the ballots.
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
    for (const statement of secureTenantTable('resultat', [BALLOT_BOX_ROLE])) await runner.query(statement);
    await runner.query(`REVOKE UPDATE, DELETE ON resultat FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(`GRANT SELECT ON resultat TO ${APP_ROLE}`);
    await asBallotBox(runner, () => createBoxFunctions(runner, replaced()));
    await runner.query(`REVOKE MAINTAIN ON ${REWRITTEN.join(', ')} FROM ${APP_ROLE}`);
    await runner.query('ALTER TABLE depouillement DROP COLUMN classe');
    await runner.query(
      'ALTER TABLE campagne DROP COLUMN urne_anomalies, DROP COLUMN urne_constat, DROP COLUMN urne_constat_date',
    );
  }
}

/**
 * Divides ballots `b` that meet a condition into classes of one weight each. In a class of several weights, the weight
 * of an option less its votes would reveal some of them. A cell is all ballots of one union, employer and weight. With
 * a threshold of k, a cell of at least k ballots is a class. Smaller cells of one union with at least k ballots
 * together are a class. All other cells of a weight are its rest, which joins the smallest class of the weight if it is
 * below k. A weight with fewer than k ballots joins the smallest other class, because the total already shows its
 * ballots. With a threshold of 1 each union and employer is a class.
 */
const classesOf = (condition: string): string => `
  cell AS (
    SELECT b.tenant_id, b.campagne_id, b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur,
      b.poids, CASE WHEN c.seuil_anonymat > 1 THEN b.poids END AS weight, c.seuil_anonymat AS k, count(*) AS n
    FROM bulletin b JOIN campagne c ON c.tenant_id = b.tenant_id AND c.id_unique = b.campagne_id
    WHERE ${condition} GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), kind AS (
    SELECT cell.*, CASE WHEN n >= k THEN 0
      WHEN sum(n) FILTER (WHERE n < k) OVER (PARTITION BY tenant_id, campagne_id, weight, syndicat) >= k THEN 1 ELSE 2 END AS kind
    FROM cell
  ), numbered AS (
    SELECT kind.*, dense_rank() OVER (PARTITION BY tenant_id, campagne_id ORDER BY kind, weight,
      CASE WHEN kind < 2 THEN syndicat END, CASE WHEN kind = 0 THEN employeur END) AS number
    FROM kind
  ), sized AS (
    SELECT numbered.*, sum(n) OVER (PARTITION BY tenant_id, campagne_id, number) AS size FROM numbered
  ), of_weight AS (
    SELECT sized.*, CASE WHEN size < k
      THEN first_value(number) OVER (PARTITION BY tenant_id, campagne_id, weight ORDER BY size < k, size, number) ELSE number END AS joined
    FROM sized
  ), weighed AS (
    SELECT of_weight.*, sum(n) OVER (PARTITION BY tenant_id, campagne_id, joined) AS total FROM of_weight
  ), classed AS (
    SELECT tenant_id, campagne_id, syndicat, employeur, poids, CASE WHEN total < k
      THEN first_value(joined) OVER (PARTITION BY tenant_id, campagne_id ORDER BY total < k, total, joined) ELSE joined END AS classe
    FROM weighed
  )`;

/** Ballots `b` that meet a condition by union, employer, weight and answer; of rankings, the first choice. */
const firstChoicesOf = (condition: string): string => `
  SELECT g.tenant_id, g.campagne_id, g.syndicat, g.employeur, g.poids, q.place AS question,
    CASE WHEN q.est_preferentiel THEN split_part(u.answer, ',', 1) ELSE u.answer END AS reponse, g.ballots
  FROM (
    SELECT b.tenant_id, b.campagne_id, b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur, b.poids,
      b.reponses, count(*) AS ballots
    FROM bulletin b WHERE ${condition} GROUP BY 1, 2, 3, 4, 5, 6
  ) g
    CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
    JOIN urne_question q ON q.tenant_id = g.tenant_id AND q.campagne_id = g.campagne_id AND q.place = u.place - 1`;

/**
 * The key of a cell, including nulls, as one value. With separate conditions PostgreSQL joins on tenant and campaign
 * and compares each class with each answer.
 */
const CELL = (row: string): string =>
  `jsonb_build_array(${row}.tenant_id, ${row}.campagne_id, ${row}.syndicat, ${row}.employeur, ${row}.poids)`;

/** Stores the count of ballots `b` that meet a condition, by union, employer, class and answer. */
const countInto = (condition: string): string => `
  WITH ${classesOf(condition)}
  INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, classe, question, reponse,
    bulletins, poids)
  SELECT f.tenant_id, f.campagne_id, f.syndicat, f.employeur, c.classe, f.question, f.reponse, sum(f.ballots),
    sum(f.ballots * f.poids)
  FROM (${firstChoicesOf(condition)}) f
    JOIN classed c ON ${CELL('c')} = ${CELL('f')}
  GROUP BY 1, 2, 3, 4, 5, 6, 7`;

const OWN = (row: string): string => `${row}.tenant_id = ${BOX_TENANT} AND ${row}.campagne_id = $1`;

const CAMPAGNE = `c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1`;

/** Whether a row belongs to the requested union and employer. A null requests all. */
const MEETS = (row: string): string =>
  `(($2 IS NULL OR ${row}.syndicat_id_externe = $2) AND ($3 IS NULL OR ${row}.employeur_identifiant_externe = $3))`;

const IS_CLOSED = `EXISTS (SELECT FROM campagne c WHERE ${CAMPAGNE} AND ${BOX_CLOSED})`;

const IS_SEALED = `(SELECT c.urne_scellee FROM campagne c WHERE ${CAMPAGNE})`;

const count = (table: string, condition = 'true'): string =>
  `(SELECT count(*) FROM ${table} t WHERE ${OWN('t')} AND ${condition})`;

const weights = (table: string, condition = 'true'): string =>
  `SELECT t.poids, count(*) FROM ${table} t WHERE ${OWN('t')} AND ${condition} GROUP BY 1`;

/** Anomalies that prevent a sealing, by their published names. */
const ANOMALIES: Readonly<Record<string, string>> = {
  // As many ballots as voters who have voted, and as many receipts.
  bulletins: `${count('bulletin')} <> ${count('votant', 't.a_vote')}`,
  recus: `${count('bulletin')} <> ${count('recu')}`,
  // The weights of the ballots are those of the voters who have voted.
  poids: `EXISTS (${weights('bulletin')} EXCEPT ${weights('votant', 't.a_vote')})`,
  droits: `EXISTS (SELECT FROM votant t WHERE ${OWN('t')} AND t.a_vote AND NOT t.a_droit_de_vote)`,
  reponses: `EXISTS (SELECT FROM bulletin b WHERE ${OWN('b')} AND cardinality(b.reponses) <> ${count('urne_question')})
    OR EXISTS (
      SELECT FROM (
        SELECT DISTINCT u.place - 1 AS question, u.answer
        FROM bulletin b CROSS JOIN LATERAL unnest(b.reponses) WITH ORDINALITY u (answer, place) WHERE ${OWN('b')}
      ) a LEFT JOIN urne_question q ON ${OWN('q')} AND q.place = a.question
      WHERE (${Publication1764000021000.isAnswer('a.answer')}) IS NOT TRUE)`,
};

/** Rewrites roll, ballots and receipts in random order, without random(), because any session may set its seed. */
const REWRITE = `
  WITH taken AS (DELETE FROM bulletin b WHERE ${OWN('b')} RETURNING b.*)
  INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
  SELECT t.tenant_id, t.campagne_id, t.syndicat_id_externe, t.employeur_identifiant_externe, t.poids, t.reponses
  FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (DELETE FROM recu r WHERE ${OWN('r')} RETURNING r.*)
  INSERT INTO recu SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (DELETE FROM votant v WHERE ${OWN('v')} RETURNING v.*)
  INSERT INTO votant SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
      inscrits, avec_droit, ayant_vote)
    SELECT v.tenant_id, v.campagne_id, v.syndicat_id_externe, v.employeur_identifiant_externe,
      count(*), count(*) FILTER (WHERE v.a_droit_de_vote), count(*) FILTER (WHERE v.a_vote)
    FROM votant v WHERE ${OWN('v')} GROUP BY 1, 2, 3, 4;`;

const UNLESS_OPEN_OR_SEALED = `IF NOT ${IS_CLOSED} OR ${IS_SEALED} THEN RAISE EXCEPTION 'The box is not closed, or sealed already.'; END IF;`;

/**
 * Names in a statement are those of columns. Each statement is planned for its values, because filters may be absent.
 */
const FILTERED = 'LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan';

const FUNCTIONS: readonly BoxFunction[] = [
  {
    // Returns the anomalies of a closed box, and none for an open one.
    signature: 'urne_controler(uuid)',
    shape: '(campagne uuid) RETURNS text[]',
    manner: 'LANGUAGE plpgsql STABLE',
    body: `BEGIN
        IF NOT ${IS_CLOSED} THEN RETURN NULL; END IF;
        RETURN array_remove(ARRAY[${Object.entries(ANOMALIES)
          .map(([name, found]) => `CASE WHEN ${found} THEN '${name}' END`)
          .join(', ')}]::text[], NULL);
      END`,
  },
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
    // Whether the result of a union and employer is published: for a sealed box if it consists of whole classes; before
    // the sealing only if the campaign has no threshold.
    signature: 'urne_divulgue(uuid, text, text)',
    shape: '(campagne uuid, syndicat text, employeur text) RETURNS boolean',
    manner: FILTERED,
    body: `DECLARE
        k integer; sealed boolean;
      BEGIN
        SELECT c.seuil_anonymat, c.urne_scellee INTO k, sealed FROM campagne c WHERE ${CAMPAGNE} AND ${BOX_CLOSED};
        IF k = 1 OR NOT coalesce(sealed, false) THEN RETURN k = 1; END IF;
        RETURN NOT EXISTS (
          SELECT FROM depouillement d WHERE ${OWN('d')} AND d.question = 0
          GROUP BY d.classe HAVING bool_or(${MEETS('d')} IS TRUE) AND NOT bool_and(${MEETS('d')} IS TRUE));
      END`,
  },
  {
    // The same as urne_compter by union and employer, with the first choices of rankings, if it is published.
    signature: 'urne_compter_par(uuid, text, text)',
    shape: `(campagne uuid, syndicat text, employeur text)
      RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric)`,
    manner: FILTERED,
    body: `#variable_conflict use_column
      BEGIN
        IF urne_divulgue($1, $2, $3) IS NOT TRUE THEN RETURN; END IF;
        IF ${IS_SEALED} THEN
          RETURN QUERY SELECT d.question, d.reponse, sum(d.bulletins)::bigint, sum(d.poids)
            FROM depouillement d WHERE ${OWN('d')} AND ${MEETS('d')} GROUP BY 1, 2;
        ELSE
          RETURN QUERY SELECT f.question, f.reponse, sum(f.ballots)::bigint, sum(f.ballots * f.poids)
            FROM (${firstChoicesOf(`${OWN('b')} AND ${MEETS('b')}`)}) f GROUP BY 1, 2;
        END IF;
      END`,
  },
  {
    // Counts a closed box by union and employer, and rewrites roll, ballots and receipts in random order. A box with
    // anomalies is not changed, and its anomalies are returned.
    signature: 'urne_sceller(uuid)',
    shape: '(campagne uuid) RETURNS text[]',
    // For a box without statistics PostgreSQL expects one row: it would compare each class with each answer.
    manner: 'LANGUAGE plpgsql SET enable_nestloop = off',
    body: `DECLARE
        found text[];
      BEGIN
        ${UNLESS_OPEN_OR_SEALED}
        found := urne_controler($1);
        IF found <> '{}' THEN
          UPDATE campagne c SET urne_anomalies = found WHERE ${CAMPAGNE};
          RETURN found;
        END IF;
        ${countInto(OWN('b'))};
        ${REWRITE}
        UPDATE campagne c SET urne_anomalies = NULL, urne_scellee = true WHERE ${CAMPAGNE};
        RETURN found;
      END`,
  },
  {
    // Seals a box with anomalies permanently, without a result. Returns whether it did.
    signature: 'urne_constater(uuid, text)',
    shape: '(campagne uuid, raison text) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `DECLARE
        found text[];
      BEGIN
        ${UNLESS_OPEN_OR_SEALED}
        found := urne_controler($1);
        IF found = '{}' THEN RETURN false; END IF;
        ${REWRITE}
        UPDATE campagne c SET urne_anomalies = found, urne_scellee = true, urne_constat = $2, urne_constat_date = clock_timestamp()
        WHERE ${CAMPAGNE};
        RETURN true;
      END`,
  },
];
