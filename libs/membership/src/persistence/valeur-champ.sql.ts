import { jsonList, jsonObject, wireTimestamp } from '#platform/database/json-items';

/**
 * SQL: whether a table of employees has rows of the tenant, computed once a statement. Without rows, the columns made of
 * the table cost nothing. The ORDER BY makes PostgreSQL use the index in a generic plan too. Such a plan expects rows and
 * would otherwise search the rows of all other tenants for the first one.
 */
export function hasRows(table: string): string {
  return `(SELECT true FROM ${table} WHERE tenant_id = $1 ORDER BY id_externe_employe LIMIT 1)`;
}

function listOf(item: string, joined = ''): string {
  const values = jsonList(
    item,
    `FROM valeur_champ_employe v ${joined}
     WHERE v.tenant_id = $1 AND v.id_externe_employe = employe.id_externe ORDER BY v.nom_champ`,
  );
  return `CASE WHEN ${hasRows('valeur_champ_employe')} THEN ${values}::text ELSE '[]' END`;
}

const DATE = wireTimestamp('v.valeur_date');

/** The values of the row of `employe` as JSON text in V1's flat shape: the choice column holds the label. */
export const VALEURS_V1 = listOf(
  jsonObject({
    nom: 'v.nom_champ',
    valeurTexte: 'v.valeur_texte',
    valeurDate: DATE,
    valeurBooleen: 'v.valeur_booleen',
    valeurChoix: 'c.libelle',
  }),
  `LEFT JOIN choix_champ c
     ON c.tenant_id = v.tenant_id AND c.nom_champ = v.nom_champ AND c.id_externe = v.id_externe_choix`,
);

const typed = (column: Readonly<Record<string, string>>): string =>
  jsonObject({ type: 'v.type', nom: 'v.nom_champ', ...column });

/** The values of the row of `employe` as JSON text in V2's polymorphic shape: a choice is its external identifier. */
export const VALEURS_V2 = listOf(
  `CASE v.type
     WHEN 'texte' THEN ${typed({ valeur: 'v.valeur_texte' })}
     WHEN 'date' THEN ${typed({ valeur: DATE })}
     WHEN 'booleen' THEN ${typed({ valeur: 'v.valeur_booleen' })}
     ELSE ${typed({ idExterneChoix: 'v.id_externe_choix' })}
   END`,
);
