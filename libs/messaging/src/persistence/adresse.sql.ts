import { REGLAGES } from '#clients/relations';
import { EMPLOYES } from '#membership/relations';
import { VOTANTS } from '#voting/relations';

/**
 * Addresses that need no quotes. All other texts count as no address, because mail servers read `"a b"@c` or a list in one
 * field differently.
 */
const ADDRESSABLE = '^[^[:space:][:cntrl:]<>()\\[\\],;:\\\\"@]+@[^[:space:][:cntrl:]<>()\\[\\],;:\\\\"@]+$';

/** SQL for the address in an expression; null if it is not usable. */
export function addressableIn(expression: string): string {
  return `CASE WHEN ${expression} ~ '${ADDRESSABLE}' THEN ${expression} END`;
}

/** SQL for the address without regard to the case of ASCII letters: local parts that differ in it are the same in practice. */
export function comparableOf(expression: string): string {
  return `lower(normalize(${expression}) COLLATE "C")`;
}

/**
 * SQL for whether the data space may send to a usable address now: outside production, only if the client's
 * `courrielsEssai` has the address or its domain, or it is that of the technical contact. False if the settings or the environment are
 * unknown. `$1` is the tenant.
 *
 * Processes of release 0.2.0 write entries as the administrator sent them.
 *
 * @param forms SQL of an array, the address's `comparableForms`
 */
export function permitted(forms: string): string {
  return `EXISTS (SELECT FROM ${REGLAGES} r WHERE r.tenant_id = $1 AND (r.environnement = 'production' OR r.contact_technique = ANY (${forms}) OR EXISTS (
    SELECT FROM unnest(r.courriels_essai) essai WHERE lower(essai COLLATE "C") = ANY (${forms}))))`;
}

/**
 * SQL for the address of a voter: that of the employee, whose copy on the roll may be old; the voter's own if the voter is no
 * employee.
 *
 * @param employe alias of the employee, null if there is none
 */
export function voterAddress(votant: string, employe: string): string {
  return addressableIn(
    `CASE WHEN ${employe}.id_externe IS NULL THEN ${votant}.courriel ELSE ${employe}.courriel END`,
  );
}

/**
 * SQL for the present address of a recipient. Null if there is none, or the person was deleted. `$1` is the tenant.
 *
 * @param row alias of `courriel_destinataire`
 */
export function presentAddress(row: string): string {
  return `(SELECT a.adresse FROM (
    SELECT ${addressableIn('e.courriel')} AS adresse FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_unique = ${row}.employe_id
    UNION ALL
    SELECT ${voterAddress('v', 'e')} FROM ${VOTANTS} v
      LEFT JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = v.employe_id_externe
    WHERE v.tenant_id = $1 AND v.campagne_id = ${row}.campagne_id AND v.id_unique = ${row}.votant_id
    UNION ALL
    SELECT ${addressableIn('r.contact_technique')} FROM ${REGLAGES} r WHERE r.tenant_id = $1 AND ${row}.est_contact
  ) a)`;
}
