import { EMPLOIS, EMPLOYES_V2, MEMBERSHIPS, VALEURS } from './employes-v2.stages';

/** A table of records nested in employees, and the stage with those that a sync sends. */
interface NestedTable {
  readonly table: string;
  readonly stage: string;
  readonly key: string;
  readonly texts: readonly string[];
  /** SQL: the staged row `s` is written. */
  readonly isWritten: string;
  /** SQL: the staged row `s` replaces or removes the stored row of its key. */
  readonly replaces: string;
}

const NESTED: readonly NestedTable[] = [
  {
    table: 'emploi',
    stage: EMPLOIS.name,
    key: 'identifiant_externe',
    texts: ['identifiant_externe', 'identifiant_externe_employeur', 'matricule'],
    isWritten: 's.accepte',
    replaces: 's.accepte',
  },
  {
    table: 'membership',
    stage: MEMBERSHIPS.name,
    key: 'syndicat_id_externe',
    texts: ['syndicat_id_externe'],
    isWritten: 'true',
    replaces: 'true',
  },
  {
    table: 'valeur_champ_employe',
    stage: VALEURS.name,
    key: 'nom_champ',
    texts: ['nom_champ', 'valeur_texte', 'id_externe_choix'],
    isWritten: 'NOT s.removed',
    replaces: 'true',
  },
];

/** Bytes of a nested record in a response beside its texts: names of properties and dates. */
const FRAME = 200;

/** JSON makes at most this many bytes of a byte. */
const ESCAPED = 6;

const sizeOf = (row: string, { texts }: NestedTable, size: (column: string) => string): string =>
  [FRAME, ...texts.map((column) => `coalesce(${size(`${row}.${column}`)}, 0)`)].join(' + ');
const bytes = (row: string, kind: NestedTable): string =>
  sizeOf(row, kind, (column) => `octet_length(to_json(${column})::text)`);
const mostBytes = (row: string, kind: NestedTable): string =>
  sizeOf(row, kind, (column) => `${ESCAPED} * octet_length(${column})`);
const union = (select: (kind: NestedTable) => string): string => NESTED.map(select).join(' UNION ALL ');

/**
 * A statement that removes from `EMPLOYES_V2` the employees whose nested records would grow beyond `$2` bytes, and
 * returns them. Employees that are larger already may stay so. Sizes in JSON are computed where they may matter only.
 */
export const REFUSE_LARGE = `
  WITH heavy AS MATERIALIZED (
    SELECT employe FROM (
      ${union((kind) => `SELECT s.id_externe_employe AS employe, ${mostBytes('s', kind)} AS octets FROM ${kind.stage} s WHERE ${kind.isWritten}`)}
      UNION ALL
      SELECT e.id_externe, n.octets FROM ${EMPLOYES_V2.name} e JOIN (
        ${union((kind) => `SELECT t.tenant_id, t.id_externe_employe, ${mostBytes('t', kind)} AS octets FROM ${kind.table} t`)}
      ) n ON n.tenant_id = $1 AND n.id_externe_employe = e.id_externe
    ) r GROUP BY employe HAVING sum(octets) > $2
  ), sizes AS (
    SELECT employe, sum(after) AS octets FROM (
      ${union(
        (kind) => `SELECT h.employe, 0 AS before, ${bytes('s', kind)} AS after
          FROM heavy h JOIN ${kind.stage} s ON s.id_externe_employe = h.employe AND ${kind.isWritten}
        UNION ALL SELECT h.employe, ${bytes('t', kind)}, CASE WHEN s.${kind.key} IS NULL THEN ${bytes('t', kind)} ELSE 0 END
          FROM heavy h JOIN ${kind.table} t ON t.tenant_id = $1 AND t.id_externe_employe = h.employe
          LEFT JOIN ${kind.stage} s
            ON s.id_externe_employe = t.id_externe_employe AND s.${kind.key} = t.${kind.key} AND ${kind.replaces}`,
      )}
    ) r GROUP BY employe HAVING sum(after) > greatest($2, sum(before))
  )
  DELETE FROM ${EMPLOYES_V2.name} e USING sizes WHERE e.id_externe = sizes.employe
  RETURNING e.n AS index, e.id_externe AS "idExterne", sizes.octets::int`;

/** SELECT of an employee among `employes` whose nested records are larger than `$2` bytes. @param employes has `id_externe` */
export const tooLarge = (employes: string): string => `
  SELECT n.id_externe_employe AS "idExterne" FROM ${employes} e JOIN (
    ${union((kind) => `SELECT t.tenant_id, t.id_externe_employe, ${bytes('t', kind)} AS octets FROM ${kind.table} t`)}
  ) n ON n.tenant_id = $1 AND n.id_externe_employe = e.id_externe GROUP BY 1 HAVING sum(n.octets) > $2 LIMIT 1`;

/** A statement that removes the nested records of employees that are no longer staged, and counts those that were accepted. */
export const DROP_ORPHANS = `
  WITH emplois AS (
    DELETE FROM ${EMPLOIS.name} s WHERE NOT EXISTS (SELECT FROM ${EMPLOYES_V2.name} e WHERE e.id_externe = s.id_externe_employe)
    RETURNING s.accepte
  ), memberships AS (
    DELETE FROM ${MEMBERSHIPS.name} s WHERE NOT EXISTS (SELECT FROM ${EMPLOYES_V2.name} e WHERE e.id_externe = s.id_externe_employe)
    RETURNING true
  ), valeurs AS (
    DELETE FROM ${VALEURS.name} s WHERE NOT EXISTS (SELECT FROM ${EMPLOYES_V2.name} e WHERE e.id_externe = s.id_externe_employe)
  )
  SELECT (SELECT count(*)::int FROM emplois WHERE accepte) AS emplois,
    (SELECT count(*)::int FROM memberships) AS memberships`;
