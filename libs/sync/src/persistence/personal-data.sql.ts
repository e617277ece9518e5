import { ERASED_NAME, type PersonalData } from '#membership/relations';

/** The errors about employees in the result of a task. They contain identifiers as sent; the sync trimmed them. */
const ERREURS = `jsonb_array_elements(CASE jsonb_typeof(resultat::jsonb#>'{Employes,Erreurs}')
  WHEN 'array' THEN resultat::jsonb#>'{Employes,Erreurs}' ELSE '[]' END) e`;
const IS_PERSON = `btrim(e->>'IdUnique', E' \\t\\r\\n') = :idExterne::text`;

export const SYNC_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'taches',
      table: 'tache',
      where: `EXISTS (SELECT FROM ${ERREURS} WHERE ${IS_PERSON})`,
      shown: { resultat: 'NULL', corps: 'NULL' },
      erased: {
        set: `resultat = jsonb_set(resultat::jsonb, '{Employes,Erreurs}', (SELECT jsonb_agg(
          CASE WHEN ${IS_PERSON} THEN jsonb_set(e, '{IdUnique}', '"${ERASED_NAME}"') ELSE e END) FROM ${ERREURS}))::json`,
      },
    },
  ],
  notPersonal: {},
};
