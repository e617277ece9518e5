import { hasEnded, hasNotEnded, TODAY } from './days.sql';
import { DATED, type NotedTable, type Reference } from './noted-tables';

/** Columns of images, in their order: the record, and its image as JSON. */
export const IMAGE_COLUMNS =
  'n integer, entite text, id_externe text COLLATE "C", parent text COLLATE "C", image jsonb';

/**
 * SELECT of the written records as images: `avant` has the values that changed, or all of a record that is gone; `de` and `a` are digests
 * of the content before and after, null where there is no record. The content is without keys, so a person can get another identifier.
 */
export function imagesOf(tables: readonly NotedTable[]): string {
  const contents = tables.map(
    ({ entite, apart }) =>
      `SELECT entite, id_externe, parent, avant - ${apart} AS avant, apres - ${apart} AS apres FROM effets_nets WHERE entite = '${entite}'`,
  );
  return `SELECT row_number() OVER (), entite, id_externe, parent, jsonb_build_object('de', md5(avant::text), 'a', md5(apres::text), 'avant',
      CASE WHEN apres IS NULL THEN avant
        ELSE (SELECT jsonb_object_agg(k, v) FROM jsonb_each(avant) c (k, v) WHERE v IS DISTINCT FROM apres->k) END)
    FROM (${contents.join(' UNION ALL ')}) c WHERE avant IS DISTINCT FROM apres`;
}

/** SQL of the digest of a row's content. */
const contentOf = ({ apart }: NotedTable): string => `md5((to_jsonb(t) - ${apart})::text)`;

/** SQL condition: the row `t` is the record of the image `i`. */
function isRecord({ key, parent }: NotedTable): string {
  return `t.tenant_id = $1 AND t.${key} = i.id_externe${parent ? ` AND t.${parent} = i.parent` : ''}`;
}

const ofTable = ({ entite }: NotedTable): string => `i.entite = '${entite}'`;

/** SQL condition: all that the row `r` refers to exists. */
function refersToStored({ refersTo }: NotedTable): string {
  const each = refersTo.map(({ table, pairs }) => {
    const isNull = pairs.map(([from]) => `r.${from} IS NULL`).join(' OR ');
    const found = pairs.map(([from, to]) => `x.${to} = r.${from}`).join(' AND ');
    return `(${isNull} OR EXISTS (SELECT FROM ${table} x WHERE x.tenant_id = $1 AND ${found}))`;
  });
  return each.join(' AND ') || 'true';
}

/** SQL condition: a row of these tables refers to the row `t`. */
const isNamedBy = (references: readonly Reference[]): string =>
  references
    .map(({ table, pairs }) => {
      const named = pairs.map(([from, to]) => `x.${from} = t.${to}`).join(' AND ');
      return `EXISTS (SELECT FROM ${table} x WHERE x.tenant_id = $1 AND ${named})`;
    })
    .join(' OR ') || 'false';

/** SQL condition: putting back would end a membership, or end it earlier, though a record such as a card proves it. */
const wouldEndProven = ({ columns, linkedBy }: NotedTable): string =>
  columns.includes('date_fin')
    ? `(coalesce(r.date_fin, 'infinity') < coalesce(t.date_fin, 'infinity') AND (${isNamedBy(linkedBy)}))`
    : 'false';

/** Kinds that are no records of their own but values of those that have them, and the field that they are. */
const VALUES: Readonly<Record<string, readonly [entite: string, champ: string]>> = {
  Valeur: ['Employe', 'ValeursChampUtilisateur.'],
  Lien: ['Syndicat', 'Employeurs.'],
};

/** SQL of what names a record on the wire: its kind, its identifier, its employee if it is nested, and the field of a value. */
function named({ entite, parent }: NotedTable, row: string): string {
  const value = VALUES[entite];
  if (value)
    return `'${value[0]}' AS entite, ${row}.parent AS record, NULL AS employe, '${value[1]}' || ${row}.id_externe AS champ`;
  return `'${entite}' AS entite, ${row}.id_externe AS record, ${parent ? `${row}.parent` : 'NULL'} AS employe, NULL AS champ`;
}

/** Columns of the temporary table of restored records. */
export const RESTORED_COLUMNS =
  'entite text, record text COLLATE "C", employe text COLLATE "C", champ text, nature text, vides integer';

/** SQL of a statement that writes rows, notes their records, and dates those that have them. @param written returns `id_externe`, `parent`, `nature` and `vides` */
function noted(table: NotedTable, tables: readonly NotedTable[], written: string): string {
  const having = table.refersTo.find(({ pairs }) => pairs.some(([from]) => from === table.parent));
  const parent = tables.find(({ name, isDated }) => isDated && name === having?.table);
  const dated = `, dated AS (UPDATE ${parent?.name} SET ${DATED} = clock_timestamp()
    WHERE tenant_id = $1 AND ${parent?.key} IN (SELECT parent FROM written))`;
  return `WITH written AS (${written})${parent ? dated : ''}
    INSERT INTO restaures SELECT ${named(table, 'w')}, ${VALUES[table.entite] ? 'NULL' : 'nature'}, vides FROM written w`;
}

const keysOf = ({ key, parent }: NotedTable): string =>
  `t.${key} AS id_externe, ${parent ? `t.${parent}` : 'NULL::text'} AS parent`;

/** Locks the stored records of the images and those that have them, in the order of their keys. */
export function lock(table: NotedTable, tables: readonly NotedTable[]): string {
  const children = tables.filter(({ parent, refersTo }) =>
    refersTo.some((one) => one.table === table.name && one.pairs.some(([from]) => from === parent)),
  );
  const records = [`SELECT id_externe FROM images i WHERE ${ofTable(table)}`];
  for (const child of children) records.push(`SELECT parent FROM images i WHERE ${ofTable(child)}`);
  return `SELECT FROM ${table.name} t WHERE t.tenant_id = $1 AND t.${table.key} IN (${records.join(' UNION ')})
    ORDER BY t.${table.key} FOR UPDATE`;
}

/** Inserts the records that the sync has removed, if nobody has made them since. */
export function insertRemoved(table: NotedTable, tables: readonly NotedTable[]): string {
  const { name, key, parent, columns } = table;
  const keys = `'tenant_id', $1::uuid, '${key}', i.id_externe${parent ? `, '${parent}', i.parent` : ''}`;
  const all = ['tenant_id', key, ...(parent ? [parent] : []), ...columns];
  return noted(
    table,
    tables,
    `INSERT INTO ${name} AS t (${all.join(', ')})
     SELECT ${all.map((column) => `r.${column}`).join(', ')}
     FROM images i CROSS JOIN LATERAL jsonb_populate_record(NULL::${name}, (i.image->'avant') || jsonb_build_object(${keys})) r
     WHERE ${ofTable(table)} AND i.image->>'a' IS NULL AND ${refersToStored(table)}
     ORDER BY i.n ON CONFLICT DO NOTHING
     RETURNING ${keysOf(table)}, 'Cree' AS nature, 0 AS vides`,
  );
}

/** Puts back the values that the sync has changed, where the record is as the sync has left it; nothing if it has keys only. */
export function putBack(table: NotedTable, tables: readonly NotedTable[]): string | undefined {
  const columns = table.columns.filter((column) => column !== 'id_unique' && column !== 'date_creation');
  if (columns.length === 0) return undefined;
  const ends = columns.includes('date_fin')
    ? `CASE WHEN ${hasEnded(TODAY, 'new.')} AND ${hasNotEnded(TODAY, 'old.')} THEN 'Termine' END`
    : 'NULL';
  const cleared = columns
    .filter((column) => column !== 'date_fin')
    .map((column) => `(old.${column} IS NOT NULL AND new.${column} IS NULL)::int`);
  const before = `jsonb_populate_record(t, i.image->'avant') r`;
  return noted(
    table,
    tables,
    `UPDATE ${table.name} t SET (${columns.join(', ')}) = (SELECT ${columns.map((column) => `r.${column}`).join(', ')} FROM ${before})
       ${table.isDated ? `, ${DATED} = clock_timestamp()` : ''}
     FROM images i
     WHERE ${ofTable(table)} AND ${isRecord(table)} AND i.image->>'de' IS NOT NULL AND ${contentOf(table)} = i.image->>'a'
       AND EXISTS (SELECT FROM ${before} WHERE ${refersToStored(table)} AND NOT ${wouldEndProven(table)})
     RETURNING ${keysOf(table)}, ${ends} AS nature, ${cleared.join(' + ')} AS vides`,
  );
}

/** Removes the records that the sync has made, where they are as it has left them and nothing holds them. */
export function removeMade(table: NotedTable, tables: readonly NotedTable[]): string {
  return noted(
    table,
    tables,
    `DELETE FROM ${table.name} t USING images i
     WHERE ${ofTable(table)} AND ${isRecord(table)} AND i.image->>'de' IS NULL AND ${contentOf(table)} = i.image->>'a'
       AND NOT (${isNamedBy([...table.referredBy, ...table.linkedBy])})
     RETURNING ${keysOf(table)}, 'Supprime' AS nature, ${table.entite === 'Valeur' ? 1 : 0} AS vides`,
  );
}

/** SELECT of the records that are not as before the sync, with the reason. */
export function conflictsOf(tables: readonly NotedTable[]): string {
  const each = tables.map(
    (table) => `
    SELECT i.n, ${named(table, 'i')}, CASE
      WHEN est = i.image->>'a' THEN CASE WHEN i.image->>'de' IS NULL OR ${isNamedBy(table.linkedBy)} THEN 'Retenu' ELSE 'ReferenceAbsente' END
      WHEN est IS NOT NULL THEN 'Modifie' WHEN i.image->>'a' IS NULL THEN 'ReferenceAbsente' ELSE 'Supprime' END AS raison
    FROM images i LEFT JOIN ${table.name} t ON ${isRecord(table)}
    CROSS JOIN LATERAL (SELECT CASE WHEN t.tenant_id IS NOT NULL THEN ${contentOf(table)} END AS est) c
    WHERE ${ofTable(table)} AND est IS DISTINCT FROM i.image->>'de'`,
  );
  return each.join(' UNION ALL ');
}
