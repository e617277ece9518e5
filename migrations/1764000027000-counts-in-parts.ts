import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  asBallotBox,
  BOX_CLOSED,
  BOX_TENANT,
  type BoxFunction,
  createBoxFunctions,
} from '../libs/voting/src/sql/ballot-box';

/**
 * The box is counted question by question, and the answers are returned as lines of text (docs/adr/0027). A box of any
 * size is read in parts of bounded size. `urne_compter` and `urne_compter_par` stay for processes of the previous
 * release.
 */
export class CountsInParts1764000027000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, () => createBoxFunctions(runner, FUNCTIONS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      for (const { signature } of FUNCTIONS) await runner.query(`DROP FUNCTION ${signature}`);
    });
  }
}

const OWN = (row: string): string => `${row}.tenant_id = ${BOX_TENANT} AND ${row}.campagne_id = $1`;

const CAMPAGNE = `c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1`;

/** Whether a row belongs to the requested union and employer. A null requests all. */
const MEETS = (row: string): string =>
  `(($2 IS NULL OR ${row}.syndicat_id_externe = $2) AND ($3 IS NULL OR ${row}.employeur_identifiant_externe = $3))`;

/** Whether an answer belongs to the requested part. */
const IN_PART = (answer: string): string =>
  `($7 = 1 OR mod(hashtextextended(${answer}, 0) & 9223372036854775807, $7::bigint) = $6)`;

/** The answers of ballots `b` to the requested questions. Those of equal ballots are returned once. */
const answersOf = (condition: string): string => `
  SELECT u.place::integer - 1 + $4 AS question, u.answer, g.ballots, g.ballots * g.poids AS weight, scale(trim_scale(g.poids)) AS decimals
  FROM (
    SELECT b.reponses[$4 + 1 : $5 + 1] AS reponses, b.poids, count(*) AS ballots FROM bulletin b
    WHERE ${OWN('b')} AND ${condition} AND ${IN_PART('b.reponses[$4 + 1]')} GROUP BY 1, 2
  ) g CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)`;

/** The same by first choices of rankings. */
const firstChoicesOf = (condition: string): string => `
  SELECT a.question, CASE WHEN q.est_preferentiel THEN split_part(a.answer, ',', 1) ELSE a.answer END AS answer, a.ballots, a.weight,
    a.decimals
  FROM (${answersOf(condition)}) a JOIN urne_question q ON ${OWN('q')} AND q.place = a.question`;

/** Lines of text, a thousand in each row: ballots, their weight, the decimals of the finest weight, and the answer. */
const linesOf = (answers: string): string => `
  SELECT l.question, string_agg(concat_ws(' ', l.ballots, l.weight, l.decimals, l.answer), E'\\n')
  FROM (
    SELECT a.question, a.answer, sum(a.ballots) AS ballots, sum(a.weight) AS weight, max(a.decimals) AS decimals,
      (row_number() OVER (PARTITION BY a.question) - 1) / 1000 AS row
    FROM (${answers}) a GROUP BY a.question, a.answer
  ) l GROUP BY l.question, l.row`;

const FUNCTIONS: readonly BoxFunction[] = [
  {
    // The answers of a closed box to the questions from one place to another: all of them, or those of a union and
    // employer, with the first choices of rankings, if these are published. For several parts only one question is
    // requested.
    signature: 'urne_depouiller(uuid, text, text, integer, integer, integer, integer)',
    shape: `(campagne uuid, syndicat text, employeur text, premiere integer, derniere integer, part integer, parts integer)
      RETURNS TABLE (question integer, lignes text)`,
    manner: 'LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan',
    body: `#variable_conflict use_column
      BEGIN
        IF NOT EXISTS (SELECT FROM campagne c WHERE ${CAMPAGNE} AND ${BOX_CLOSED}) THEN RETURN; END IF;
        IF $2 IS NULL AND $3 IS NULL THEN
          RETURN QUERY ${linesOf(answersOf('true'))};
        ELSIF urne_divulgue($1, $2, $3) IS NOT TRUE THEN
          RETURN;
        ELSIF (SELECT c.urne_scellee FROM campagne c WHERE ${CAMPAGNE}) THEN
          RETURN QUERY ${linesOf(`
            SELECT d.question, d.reponse AS answer, d.bulletins AS ballots, d.poids AS weight, 0 AS decimals FROM depouillement d
            WHERE ${OWN('d')} AND ${MEETS('d')} AND d.question BETWEEN $4 AND $5 AND ${IN_PART('d.reponse')}`)};
        ELSE
          RETURN QUERY ${linesOf(firstChoicesOf(MEETS('b')))};
        END IF;
      END`,
  },
];
