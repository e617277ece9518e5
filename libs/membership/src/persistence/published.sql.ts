/**
 * Tables of this context that statements of other contexts may join, with the columns that they may name. PostgreSQL
 * plans such a subquery in FROM as it plans the table itself.
 */
export const EMPLOYES =
  '(SELECT tenant_id, id_externe, id_unique, no_membre, prenom, nom, courriel FROM employe)';
export const EMPLOYEURS = '(SELECT tenant_id, id_externe FROM employeur)';
export const SYNDICATS = '(SELECT tenant_id, id_externe FROM syndicat)';
export const MEMBERSHIPS =
  '(SELECT tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion, date_fin FROM membership)';
export const CHAMPS_OBLIGATOIRES = '(SELECT tenant_id, nom FROM champ_utilisateur WHERE obligatoire)';

const EMPLOI = `tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, date_debut, date_fin,
  date_creation, id_unique`;

/** The employments that V2 wrote, and the only employment of employees that V1 alone has written. */
export const EMPLOIS = `(SELECT ${EMPLOI} FROM emploi UNION ALL SELECT ${EMPLOI} FROM emploi_v1)`;

/**
 * A statement that keeps employees from being deleted and renamed until the transaction ends. It locks them in the order in which
 * deletions lock them, because two transactions would otherwise wait for each other.
 *
 * It returns the identifiers that they have now. Employees that get one of `ids` while it waits are not among them: compare.
 *
 * @param ids SQL that selects external identifiers of employees of the tenant `$1`
 */
export function lockEmployes(ids: string): string {
  return `SELECT e.id_externe, e.id_unique FROM employe e WHERE e.tenant_id = $1 AND e.id_externe IN (${ids}) ORDER BY e.id_externe FOR KEY SHARE`;
}

/**
 * SQL of the current name of a union of the tenant `$1`.
 *
 * @param id SQL of its external identifier
 */
export function syndicatNom(id: string): string {
  return `(SELECT y.nom FROM syndicat y WHERE y.tenant_id = $1 AND y.id_externe = ${id})`;
}
