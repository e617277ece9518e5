import { REGLAGES } from '#clients/relations';

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
 * which something did not agree (docs/adr/0026).
 */
export const RESULTATS_VISIBLES = `(urne_anomalies IS NULL AND (${hasEnded()} OR ${hasOpened()} AND coalesce(
  (SELECT resultats_vote_actif_visibles FROM ${REGLAGES} r WHERE tenant_id = $1), false)))`;

/**
 * Weights that single voters of a campaign out: fewer than `k` voters with the right to vote hold them. The campaign is `$2`.
 */
export const poidsIdentifiants = (k: string): string => `
  SELECT v.poids FROM votant v WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND v.a_droit_de_vote
  GROUP BY v.poids HAVING count(*) < ${k}`;

/** Whether a row of `campagne` named `c` is active. */
export const ACTIVE = `${etatOf('c')} IN ('Planifie', 'VoteOuvert')`;
