import { REGLAGES } from '#clients/relations';
import { MOST_SUMS, MOST_WEIGHT } from '../domain/campagne.transitions';

/** The time of computed states: later than all earlier writes of the transaction. A sub-select runs once for all rows. */
export const NOW = '(SELECT tenant_clock(statement_timestamp()))';

/** SQL: the state of a row of `campagne` (campagne_etat.sql); in the domain it is `Campagne.etat`. */
const etatOf = (row: string): string =>
  `campagne_etat(${['publiee', 'archivee', 'urne_close', 'ouverture_du_vote_utc', 'fermeture_du_vote_utc']
    .map((column) => `${row}.${column}`)
    .join(', ')}, ${NOW})`;

export const ETAT = etatOf('campagne');

/** SQL condition: the vote of a row of `campagne` has opened, archived or not; in the domain it is `Campagne.hasOpened`. */
export const hasOpened = (at = NOW): string => `(publiee AND ouverture_du_vote_utc <= ${at})`;

/** SQL condition: the vote of a row of `campagne` has ended, archived or not; in the domain it is `Campagne.hasEnded`. */
export const hasEnded = (at = NOW): string => `(publiee AND fermeture_du_vote_utc <= ${at})`;

/** SQL: a text without its case, as the column `titre_compare` has titles. */
export const folded = (text: string): string =>
  `normalize(casefold(normalize(${text}) COLLATE pg_unicode_fast))`;

/**
 * Whether results of a row of `campagne` can be seen (docs/contract.md, "Statistics"); never those of a ballot box in
 * which something did not agree (docs/adr/0026), nor those of an encrypted vote before its guardians have decrypted the sums.
 */
export const RESULTATS_VISIBLES = `(urne_anomalies IS NULL AND (NOT chiffree OR dechiffree) AND (${hasEnded()} OR ${hasOpened()} AND coalesce(
  (SELECT resultats_vote_actif_visibles FROM ${REGLAGES} r WHERE tenant_id = $1), false)))`;

/**
 * Weights that single voters of a campaign out: fewer than `k` voters with the right to vote hold them. The campaign is `$2`.
 */
export const poidsIdentifiants = (k: string): string => `
  SELECT v.poids FROM votant v WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND v.a_droit_de_vote
  GROUP BY v.poids HAVING count(*) < ${k}`;

/**
 * What of an encrypted vote could be too large to be decrypted; null otherwise. A class has at least as many ballots as the
 * threshold, and at most one belongs to each union, employer and weight.
 *
 * @param k SQL of the threshold
 */
export const excesChiffrement = (k: string): string => `
  SELECT CASE WHEN r.poids > ${MOST_WEIGHT} THEN 'poids'
    WHEN 2 * o.places * least(r.cellules, r.votants / ${k}) > ${MOST_SUMS} THEN 'sommes' END
  FROM (
    SELECT sum(v.poids) AS poids, count(*) AS votants,
      count(DISTINCT jsonb_build_array(v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids)) AS cellules
    FROM votant v WHERE v.tenant_id = $1 AND v.campagne_id = $2
  ) r CROSS JOIN (
    SELECT count(DISTINCT q.id_unique) + count(o.id_unique) AS places
    FROM question q LEFT JOIN option o ON o.tenant_id = q.tenant_id AND o.question_id = q.id_unique
    WHERE q.tenant_id = $1 AND q.campagne_id = $2
  ) o
  WHERE EXISTS (SELECT FROM chiffrement h WHERE h.tenant_id = $1 AND h.campagne_id = $2)`;

/** Whether a row of `campagne` named `c` is active. */
export const ACTIVE = `${etatOf('c')} IN ('Planifie', 'VoteOuvert')`;
