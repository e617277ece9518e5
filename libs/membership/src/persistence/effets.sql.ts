import { wireTimestamp } from '#platform/database/json-items';
import { hasEnded, hasNotEnded, TODAY } from './days.sql';
import { EMPLOI_V1 } from './emploi.sql';
import { EMPLOIS, EMPLOYES_V2, MEMBERSHIPS } from './employes-v2.stages';
import { EMPLOYES_V1, EMPLOYEURS_V1 } from './master-data.bulk';
import { EMPLOYEURS_V2 } from './syndicats.bulk';

/** Columns of the changes, in their order: the record, what happens to it, and its fields as JSON. */
export const CHANGEMENT_COLUMNS =
  'n integer, entite text, id_externe text COLLATE "C", id_externe_employe text COLLATE "C", nature text, champs json';

/** The temporary table of the employees of the changes, for statements of other contexts: column `id_externe`. */
export const CHANGED_EMPLOYES = 'pg_temp.effets_employes';

/** Columns that a change does not show: no client writes them, or they are the identifiers that it names already. */
const HIDDEN = `'{id_unique,date_creation,derniere_maj,a_emplois,id_externe,id_externe_employe,identifiant_externe,syndicat_id_externe}'::text[]`;

/** The employer that V1 writes with its employee. V2 shows it as an employment. */
export const EMPLOYEUR = 'identifiant_externe_employeur';

/** SELECTs of the staged records of a sync that belong to an employer, by their tables: kind, identifier, and employee if any. */
export const STAGES: Readonly<Record<string, string>> = {
  [EMPLOYES_V1.stage.name]: `SELECT 'Employe', s.id_externe, NULL, NULL FROM ${EMPLOYES_V1.stage.name} s`,
  [EMPLOYES_V2.name]: `SELECT 'Employe', s.id_externe, NULL, NULL FROM ${EMPLOYES_V2.name} s`,
  [EMPLOYEURS_V1.stage.name]:
    `SELECT 'Employeur', s.id_externe, NULL, s.id_externe FROM ${EMPLOYEURS_V1.stage.name} s`,
  [EMPLOYEURS_V2.name]: `SELECT 'Employeur', s.id_externe, NULL, s.id_externe FROM ${EMPLOYEURS_V2.name} s`,
  [EMPLOIS.name]: `SELECT 'Emploi', s.identifiant_externe, s.id_externe_employe, s.${EMPLOYEUR} FROM ${EMPLOIS.name} s WHERE s.accepte`,
  [MEMBERSHIPS.name]: `SELECT 'Adhesion', s.syndicat_id_externe, s.id_externe_employe, NULL FROM ${MEMBERSHIPS.name} s`,
};

/** SQL: a member of a JSON row as the wire has it. */
const wireValue = (row: string): string => `CASE WHEN k LIKE 'date%' AND ${row}->>k IS NOT NULL
  THEN to_jsonb(${wireTimestamp(`(${row}->>k)::timestamptz`)}) ELSE ${row}->k END`;

/** SQL: the value of a custom field in a JSON row as the wire has it. */
const customValue = (row: string): string => `CASE
  WHEN ${row}->>'valeur_date' IS NOT NULL THEN to_jsonb(${wireTimestamp(`(${row}->>'valeur_date')::timestamptz`)})
  ELSE coalesce(nullif(${row}->'valeur_texte', 'null'), nullif(${row}->'valeur_booleen', 'null'), ${row}->'id_externe_choix') END`;

/** SELECT of the noted rows. To V2 the employer of V1 is an employment that the sync may take over unchanged. */
const LIGNES = {
  V1: 'SELECT entite, id_externe, parent, avant, apres FROM effets_nets',
  V2: `SELECT entite, id_externe, parent, CASE entite WHEN 'Employe' THEN avant - '${EMPLOYEUR}' ELSE avant END AS avant,
      CASE entite WHEN 'Employe' THEN apres - '${EMPLOYEUR}' ELSE apres END AS apres
    FROM effets_nets WHERE entite <> 'Emploi' OR id_externe <> '${EMPLOI_V1}'
    UNION ALL
    SELECT 'Emploi', '${EMPLOI_V1}', employe, (array_agg(avant) FILTER (WHERE avant IS NOT NULL))[1],
      (array_agg(apres) FILTER (WHERE apres IS NOT NULL))[1]
    FROM (
      SELECT parent AS employe, avant, apres FROM effets_nets WHERE entite = 'Emploi' AND id_externe = '${EMPLOI_V1}'
      UNION ALL
      SELECT id_externe, jsonb_build_object('${EMPLOYEUR}', avant->'${EMPLOYEUR}'), NULL FROM effets_nets
      WHERE entite = 'Employe' AND avant->>'${EMPLOYEUR}' IS NOT NULL AND apres->>'${EMPLOYEUR}' IS NULL
    ) v GROUP BY employe`,
} as const;

/**
 * SELECT of the changed records with their fields as JSON text. Custom values and links are fields of their records. An employee has
 * also changed without a field when V2 takes over its employments.
 */
export const changedRecords = (version: keyof typeof LIGNES): string => `
  SELECT entite, id_externe, id_externe_employe, coalesce(max(nature), 'Modifie') AS nature,
    coalesce(string_agg(champs, ',' ORDER BY champs), '') AS champs, max(employeur) AS employeur, sum(vides)::int AS vides
  FROM (
    SELECT CASE entite WHEN 'Valeur' THEN 'Employe' WHEN 'Lien' THEN 'Syndicat' ELSE entite END AS entite,
      CASE WHEN entite IN ('Valeur', 'Lien') THEN parent ELSE id_externe END AS id_externe,
      CASE WHEN entite IN ('Emploi', 'Adhesion') THEN parent END AS id_externe_employe,
      CASE WHEN entite IN ('Valeur', 'Lien') THEN NULL WHEN avant IS NULL THEN 'Cree' WHEN apres IS NULL THEN 'Supprime'
        WHEN ${hasNotEnded(TODAY, 'ancien.')} AND ${hasEnded(TODAY, 'nouveau.')} THEN 'Termine' ELSE 'Modifie' END AS nature,
      CASE entite WHEN 'Emploi' THEN coalesce(apres, avant)->>'${EMPLOYEUR}' WHEN 'Employeur' THEN id_externe END AS employeur,
      champs, vides,
      entite = 'Employe' AND (l.avant - 'derniere_maj') IS DISTINCT FROM (l.apres - 'derniere_maj') AS est_change
    FROM (${LIGNES[version]}) l
    CROSS JOIN LATERAL (SELECT (avant->>'date_fin')::timestamptz AS date_fin) ancien
    CROSS JOIN LATERAL (SELECT (apres->>'date_fin')::timestamptz AS date_fin) nouveau
    CROSS JOIN LATERAL (
      SELECT string_agg('{"champ":' || to_json(champ) || ',"avant":' || coalesce(f.avant, 'null') || ',"apres":'
          || coalesce(f.apres, 'null') || '}', ',' ORDER BY champ) AS champs,
        count(*) FILTER (WHERE champ <> 'DateFin' AND coalesce(f.avant, 'null') <> 'null' AND coalesce(f.apres, 'null') = 'null') AS vides
      FROM (
        SELECT 'ValeursChampUtilisateur.' || id_externe AS champ, ${customValue('l.avant')} AS avant, ${customValue('l.apres')} AS apres
        WHERE entite = 'Valeur'
        UNION ALL SELECT 'Employeurs', CASE WHEN l.avant IS NOT NULL THEN to_jsonb(id_externe) END,
          CASE WHEN l.apres IS NOT NULL THEN to_jsonb(id_externe) END
        WHERE entite = 'Lien'
        UNION ALL SELECT replace(initcap(replace(k, '_', ' ')), ' ', ''), ${wireValue('l.avant')}, ${wireValue('l.apres')}
        FROM jsonb_object_keys(coalesce(l.apres, l.avant)) k
        WHERE entite NOT IN ('Valeur', 'Lien') AND k <> ALL (${HIDDEN}) AND l.avant->>k IS DISTINCT FROM l.apres->>k
      ) f
    ) c
  ) r GROUP BY entite, id_externe, id_externe_employe
  HAVING coalesce(max(nature), 'Modifie') <> 'Modifie' OR string_agg(champs, ',') IS NOT NULL OR bool_or(est_change)`;
