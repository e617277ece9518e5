import { EMPLOYES } from '#membership/relations';
import { VOTANTS } from '#voting/relations';

/**
 * What a message can be addressed to without quoting. Whatever else a record calls an address is none here: of `"a b"@c`,
 * or of a list in one field, nobody knows which servers read it alike.
 */
const ADDRESSABLE = '^[^[:space:][:cntrl:]<>()\\[\\],;:\\\\"@]+@[^[:space:][:cntrl:]<>()\\[\\],;:\\\\"@]+$';

/** The address that can be written to in an expression, or null. */
export function addressableIn(expression: string): string {
  return `CASE WHEN ${expression} ~ '${ADDRESSABLE}' THEN ${expression} END`;
}

/** Normalises an address. Local parts that differ in case only are the same address in practice. */
export function comparableOf(expression: string): string {
  return `normalize(casefold(normalize(${expression}) COLLATE pg_unicode_fast))`;
}

/**
 * The present address of a recipient: a voter's own, else that of the tied employee. Null where there is none, or the
 * person is gone. `$1` is the tenant.
 *
 * @param row alias of `courriel_destinataire`
 */
export function presentAddress(row: string): string {
  return `(SELECT ${addressableIn('a.courriel')} FROM (
    SELECT e.courriel FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_unique = ${row}.employe_id
    UNION ALL
    SELECT coalesce(v.courriel, e.courriel) FROM ${VOTANTS} v
      LEFT JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = v.employe_id_externe
    WHERE v.tenant_id = $1 AND v.campagne_id = ${row}.campagne_id AND v.id_unique = ${row}.votant_id
  ) a)`;
}
