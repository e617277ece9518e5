import { ERASED_NAME, type PersonalData } from '#membership/relations';

/** The errors about employees in the result of a task. They contain identifiers as sent; the sync trimmed them. */
const ERREURS = `jsonb_array_elements(CASE jsonb_typeof(resultat::jsonb#>'{Employes,Erreurs}')
  WHEN 'array' THEN resultat::jsonb#>'{Employes,Erreurs}' ELSE '[]' END) e`;
const IS_PERSON = `btrim(e->>'IdUnique', E' \\t\\r\\n') = :idExterne::text`;

/** Errors about the employee in a part of a long result. */
const ERREURS_MORCEAU = `json_array_elements(CASE liste WHEN 'Employes' THEN ('[' || convert_from(octets, 'UTF8') || ']')::json
  ELSE '[]' END) WITH ORDINALITY l (e, place_erreur)`;

/** SQL condition on `plan_changement`: the change is of an employee, or of a record that is nested in it. */
export const ofEmploye = (id: string): string =>
  `(entite = 'Employe' AND id_externe = ${id} OR id_externe_employe = ${id})`;

const STALE = 'a plan that touches an employee is stale once it is renamed; kept for 24 h';

export const SYNC_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'changementsDePlans',
      table: 'plan_changement',
      where: ofEmploye(':idExterne'),
      named:
        '(SELECT p.date_creation FROM plan p WHERE p.tenant_id = :tenantId AND p.id_unique = plan_changement.plan_id)',
      order: ['plan_id', 'n', 'id_unique'],
      erased: 'removed',
    },
    {
      section: 'taches',
      table: 'tache',
      where: `EXISTS (SELECT FROM ${ERREURS} WHERE ${IS_PERSON})`,
      named: 'date_creation',
      shown: { resultat: 'NULL', corps: 'NULL' },
      erased: {
        set: `resultat = jsonb_set(resultat::jsonb, '{Employes,Erreurs}', (SELECT jsonb_agg(
          CASE WHEN ${IS_PERSON} THEN jsonb_set(e, '{IdUnique}', '"${ERASED_NAME}"') ELSE e END) FROM ${ERREURS}))::json`,
      },
    },
    {
      section: 'resultatsTaches',
      table: 'tache_morceau',
      where: `EXISTS (SELECT FROM ${ERREURS_MORCEAU} WHERE ${IS_PERSON})`,
      named:
        '(SELECT t.date_creation FROM tache t WHERE t.tenant_id = :tenantId AND t.id_unique = tache_morceau.tache_id)',
      shown: { octets: 'NULL', empreinte: 'NULL' },
      order: ['tache_id', 'place'],
      erased: {
        set: `octets = convert_to((SELECT string_agg(CASE WHEN ${IS_PERSON}
            THEN (SELECT row_to_json(r)::text FROM (SELECT '${ERASED_NAME}' AS "IdUnique", e->'Message' AS "Message") r)
            ELSE e::text END, ',' ORDER BY place_erreur) FROM ${ERREURS_MORCEAU}), 'UTF8')`,
      },
    },
  ],
  identifiers: {
    'plan_changement.id_externe': { kept: STALE },
    'plan_changement.id_externe_employe': { kept: STALE },
  },
  notPersonal: {
    sync: 'counts, and the key of images',
    sync_image: 'encrypted rows as they were: an erasure removes those of the person',
    plan: 'bodies as sent, and counts: an erasure removes the plans whose body names the person',
  },
};
