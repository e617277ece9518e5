import { EMPLOYEE_PROPERTIES } from './employees';

/** SQL of the floors: without row-level security and checks, and the fastest plain statement known for each work. */

/** `noMembre` → `no_membre`. */
const columnOf = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const COLUMNS = EMPLOYEE_PROPERTIES.map(columnOf);
const WIRE = [
  ...EMPLOYEE_PROPERTIES.map((property) => `${columnOf(property)} AS "${property}"`),
  // The measured employees have no values of custom fields, so the floor returns a constant.
  `'[]'::json AS "valeursChampUtilisateur"`,
  'id_unique AS "idUnique"',
];
const TIMES = [
  ['derniere_maj', 'derniereMAJ'],
  ['date_creation', 'dateCreation'],
];
// On connections whose time zone is UTC.
const timeAsText = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const AS_OBJECTS = [...WIRE, ...TIMES.map(([column, name]) => `${column} AS "${name}"`)].join(', ');
const AS_TEXT = [...WIRE, ...TIMES.map(([column, name]) => `${timeAsText(column!)} AS "${name}"`)].join(', ');

const LIST = `FROM employe WHERE tenant_id = $1 ORDER BY date_creation, id_unique LIMIT $2`;
const CARD = [
  `${timeAsText('date_signature')} AS "dateSignature"`,
  'id_unique AS "idUniqueAdhesion"',
  'transaction_id AS "transactionId"',
  'a_signature_manuscrite AS "aSignatureManuscripte"',
  'syndicat_id_externe AS "syndicatIdExterne"',
  '(SELECT nom FROM syndicat s WHERE s.tenant_id = $1 AND s.id_externe = syndicat_id_externe) AS "syndicatNom"',
  'id_externe_employe AS "employeIdExterne"',
  'employe_id_unique AS "employeIdUnique"',
  'prenom AS "employePrenom"',
  'nom AS "employeNom"',
  'courriel',
  'telephone_principal AS "telephonePrincipal"',
  'adresse1',
  'ville',
  'province',
  'code_postal AS "codePostal"',
  'valeurs_champ AS "valeursChampUtilisateur"',
].join(', ');
const VOTER = [
  'id_unique AS "VotantId"',
  'identifiant AS "Identifiant"',
  'prenom AS "Prenom"',
  'nom AS "Nom"',
  'courriel AS "Courriel"',
  'employe_id_externe AS "EmployeIdExterne"',
  'syndicat_id_externe AS "SyndicatIdExterne"',
  'employeur_identifiant_externe AS "EmployeurIdentifiantExterne"',
  'a_droit_de_vote AS "ADroitDeVote"',
  'a_vote AS "AVote"',
  'poids AS "Poids"',
  // Nothing was sent to these voters.
  'NULL AS "EtatCourriel", NULL AS "StatutCourriel", NULL AS "RaisonCourriel"',
].join(', ');
const ONE = `FROM employe WHERE tenant_id = $1 AND id_externe = $2`;

export const SQL = {
  listAsObjects: `SELECT ${AS_OBJECTS} ${LIST}`,
  listAsText: `SELECT '[' || string_agg(row_to_json(i)::text, ',') || ']' AS list FROM (SELECT ${AS_TEXT} ${LIST}) i`,
  cardsAsText: `SELECT '[' || string_agg(row_to_json(i)::text, ',') || ']' AS list FROM (
    SELECT ${CARD} FROM adhesion WHERE tenant_id = $1 AND syndicat_id_externe = $2 AND NOT avec_paiement
    ORDER BY date_signature DESC, id_unique DESC LIMIT $3
  ) i`,
  votersAsText: `SELECT '[' || string_agg(row_to_json(i)::text, ',') || ']' AS list FROM (
    SELECT ${VOTER} FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND syndicat_id_externe = $3
    ORDER BY date_creation, id_unique LIMIT $4
  ) i`,
  /** Like an electoral list in which each employee has one active membership and one active employment. */
  enrol: `
    INSERT INTO floor_votant (tenant_id, campagne_id, prenom, nom, courriel, employe_id_externe, syndicat_id_externe,
      employeur_identifiant_externe, a_droit_de_vote, poids)
    SELECT $1, $2, e.prenom, e.nom, e.courriel, e.id_externe, a.syndicat_id_externe, m.identifiant_externe_employeur, true, 1
    FROM membership a
    JOIN employe e ON e.tenant_id = $1 AND e.id_externe = a.id_externe_employe
    JOIN emploi m ON m.tenant_id = $1 AND m.id_externe_employe = e.id_externe
    WHERE a.tenant_id = $1 AND a.syndicat_id_externe = $3
    ON CONFLICT DO NOTHING`,
  createRoll: `
    CREATE TABLE floor_votant (LIKE votant INCLUDING ALL,
      FOREIGN KEY (tenant_id, campagne_id) REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE,
      FOREIGN KEY (tenant_id, employe_id_externe) REFERENCES employe (tenant_id, id_externe))`,
  /** The two statements of a vote. */
  noteVote: `UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $3 AND NOT a_vote
    RETURNING syndicat_id_externe, employeur_identifiant_externe, poids`,
  castBallot: `INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  /** Counts equal ballots, of one union if `$3` is set. */
  tally: `SELECT place, answer, count(*)::int AS ballots, sum(poids)::text AS weight
    FROM bulletin, unnest(reponses) WITH ORDINALITY a (answer, place)
    WHERE tenant_id = $1 AND campagne_id = $2 AND ($3::text IS NULL OR syndicat_id_externe = $3) GROUP BY 1, 2`,
  /** Counts the voters of a campaign, and those who have voted. */
  turnout: `SELECT count(*)::int AS voters, count(*) FILTER (WHERE a_vote)::int AS voted FROM votant
    WHERE tenant_id = $1 AND campagne_id = $2 AND ($3::text IS NULL OR syndicat_id_externe = $3)`,
  oneAsObject: `SELECT ${AS_OBJECTS} ${ONE}`,

  /** The raw body as `$1`, the tenant as `$2`. */
  upsertJson: upsertInto(
    'floor_employe',
    `jsonb_to_recordset($1::jsonb -> 'employes') AS s(${EMPLOYEE_PROPERTIES.map((property) => `"${property}" text`).join(', ')})`,
    EMPLOYEE_PROPERTIES.map((property) => `"${property}"`),
    '$2',
  ),

  createStage: `CREATE TEMPORARY TABLE floor_stage (${COLUMNS.map((column) => `${column} text`).join(', ')}) ON COMMIT DROP`,
  copyStage: `COPY floor_stage (${COLUMNS.join(', ')}) FROM STDIN`,
  upsertStage: upsertInto('floor_employe', 'floor_stage', COLUMNS, '$1'),

  /** The product's table with its indexes, checks and foreign key, without row-level security. */
  createTable: `
    CREATE TABLE floor_employe (LIKE employe INCLUDING ALL,
      FOREIGN KEY (tenant_id, identifiant_externe_employeur) REFERENCES employeur (tenant_id, id_externe))`,
};

function upsertInto(table: string, source: string, values: readonly string[], tenant: string): string {
  const written = COLUMNS.filter((column) => column !== 'id_externe');
  const list = (prefix: string): string => written.map((column) => `${prefix}.${column}`).join(', ');
  return `
    INSERT INTO ${table} AS t (tenant_id, ${COLUMNS.join(', ')})
    SELECT ${tenant}::uuid, ${values.join(', ')} FROM ${source}
    ON CONFLICT (tenant_id, id_externe) DO UPDATE SET
      ${written.map((column) => `${column} = excluded.${column}`).join(', ')}, derniere_maj = now()
    WHERE (${list('t')}) IS DISTINCT FROM (${list('excluded')})`;
}
