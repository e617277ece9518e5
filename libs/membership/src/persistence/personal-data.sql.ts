import { StageTable } from '#platform/bulk/stage';

/** Rows of one table that are about a person. The SQL names properties of `Person` as parameters: `:idExterne`. */
export interface PersonalRows {
  /** Name of the table in the export. */
  readonly section: string;
  readonly table: string;
  /** SQL condition on the table's columns. */
  readonly where: string;
  /**
   * SQL of the time of a row that only names the person by `:idExterne` (`:idUrl`), which another person may have had at another time.
   * The statement runs for each `Tenure`.
   */
  readonly named?: string;
  /** SQL of columns that the export shows in another form. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Columns that repeat others, which the export leaves out. */
  readonly repeated?: readonly string[];
  /** Columns that order the rows in the export. No two rows of a person have the same values; `OLDEST_FIRST` if absent. */
  readonly order?: readonly string[];
  /** The audit trail has entries about the rows, beside those about the ids of `Person`. */
  readonly audited?: true;
  /** An erasure deletes the rows, lets the database delete them with their parent, changes columns, or keeps the rows. */
  readonly erased:
    'removed' | { readonly with: string } | { readonly set: string } | { readonly kept: string };
}

/**
 * Statements by which a column follows the pairs of `RENOMMAGES`, or why it keeps the former identifier. `before` clears the
 * way in unique keys; `check` is the foreign key that is checked afterwards. `joined` makes one row of those that two
 * employees have in common, before one gets the identifier of the other (`Fusion`), or says what does; unique keys need it.
 */
export type Renaming =
  | {
      readonly before?: string;
      readonly set: string;
      readonly check?: string;
      readonly joined?: string | { readonly by: string };
    }
  | { readonly kept: string };

/** Two employees who become one. Its properties are parameters of `joined` and `mergedIds`. */
export interface Fusion {
  readonly tenantId: string;
  /** External identifiers. */
  readonly conserve: string;
  readonly absorbe: string;
  /** The service's ids. */
  readonly conserveId: string;
  readonly absorbeId: string;
  /** Whose custom value goes where both have one: an external identifier. */
  readonly sansValeur: string;
}

/**
 * The pairs of a renaming, a temporary table: `n`, `ancien`, `nouveau`, and `passage`, by which a key goes whose new identifier
 * another employee of the pairs has; `depuis` is that or `ancien`.
 */
export const RENOMMAGES_TABLE = new StageTable('stage_renommage', {
  n: 'integer',
  ancien: 'identifier',
  nouveau: 'identifier',
  passage: 'identifier',
  depuis: 'identifier',
});
export const RENOMMAGES = RENOMMAGES_TABLE.name;

/** A foreign key to the employee that may repeat. */
export function renamedReference(table: string, column: string): Record<string, Renaming> {
  return {
    [`${table}.${column}`]: { set: renamed(table, column, 'ancien'), check: `${table}_employe_fkey` },
  };
}

/** A foreign key to the employee that is part of a unique key. */
export function renamedKey(
  table: string,
  column: string,
  joined: string | { readonly by: string },
): Record<string, Renaming> {
  return {
    [`${table}.${column}`]: { ...steps(table, column), check: `${table}_employe_fkey`, joined },
  };
}

/** The two steps of a unique column: PostgreSQL compares it with rows that are not renamed yet. */
function steps(table: string, column: string, more = ''): { before: string; set: string } {
  return {
    before: `UPDATE ${table} t SET ${column} = r.passage FROM ${RENOMMAGES} r
      WHERE t.tenant_id = :tenantId AND t.${column} = r.ancien AND r.passage IS NOT NULL`,
    set: renamed(table, column, 'depuis', more),
  };
}

/** SQL that gives a column the new identifiers. @param from column of the pairs that the column has now */
export function renamed(table: string, column: string, from: 'ancien' | 'depuis', more = ''): string {
  return `UPDATE ${table} t SET ${column} = r.nouveau${more} FROM ${RENOMMAGES} r
    WHERE t.tenant_id = :tenantId AND t.${column} = r.${from}`;
}

/** SQL that gives a column with the service's id of an employee that of the other one. @param more SQL of further assignments */
export function mergedId(table: string, column: string, ...more: string[]): string {
  return `UPDATE ${table} SET ${[`${column} = :conserveId`, ...more].join(', ')} WHERE tenant_id = :tenantId AND ${column} = :absorbeId`;
}

/** The identifier itself. */
export const EMPLOYE_KEY = 'employe.id_externe';

/** When an employee had an identifier: from `depuis`, before `jusqua`. Rows that only name an identifier are those of who had it then. */
export interface Tenure {
  readonly idExterne: string;
  readonly depuis: string;
  readonly jusqua: string;
}

/** Identifiers of a person. */
export interface Person {
  readonly tenantId: string;
  /** The external identifier, for rows that name it; null if these may be about another employee, who has it now. */
  readonly idExterne: string | null;
  /** `idExterne` as a path contains it. */
  readonly idUrl: string | null;
  /** The external identifier, for rows that reference the employee; null if the partner has deleted the employee. */
  readonly employe: string | null;
  /** The service's ids of the employee: the present one, and those before deletions. */
  readonly employes: readonly string[];
  /** All identifiers that the employee had, and when. */
  readonly tenures: readonly Tenure[];
  /** External identifiers that the employee had before, and that no other employee has now. */
  readonly anciensIdentifiants: readonly string[];
  /** The service's ids of notes about the employee before deletions. */
  readonly anciens: readonly string[];
  /** The service's ids of rows that are the person, by the names in `PersonalData.ids`. */
  readonly found: Readonly<Record<string, readonly string[]>>;
  /** `employes` and all ids of `found`. */
  readonly ids: readonly string[];
}

/** The personal data of one context. Every context exports its own, because only it knows its tables. */
export interface PersonalData {
  /** The tables with personal data, in the order of their erasure. */
  readonly rows: readonly PersonalRows[];
  /** SQL that selects `IDENTITY` of rows that refer to the employee. */
  readonly identities?: readonly string[];
  /**
   * Statements that select the ids of rows that are the person, by the name of their parameter, with the clause that
   * locks them. They may read the relation `identities (nom, prenom, courriel)`: the identities of all contexts. In them
   * and in `identities`, the parameter has the ids that were noted when the employee was deleted.
   */
  readonly ids?: Readonly<Record<string, (lock: string) => string>>;
  /** Statements that an erasure runs first. */
  readonly beforeErasure?: readonly string[];
  /** What a new external identifier of an employee does with each column that has the identifier, by `table.column`. */
  readonly identifiers?: Readonly<Record<string, Renaming>>;
  /** Statements by which columns with the service's id of an employee follow a `Fusion`, by `table.column`. */
  readonly mergedIds?: Readonly<Record<string, string>>;
  /** The other tables of the context, and why they say nothing about a person. */
  readonly notPersonal: Readonly<Record<string, string>>;
}

export const OLDEST_FIRST = ['date_creation', 'id_unique'];

/** Placeholder for an erased name. */
export const ERASED_NAME = '(effacé)';

/** Columns that match a person without an identifier, ignoring case. */
const NAMES = 'lower(nom), lower(prenom)';
export const IDENTITY = `${NAMES}, lower(courriel)`;

/** SQL conditions: the row has the names, or the names and the address, of the person. */
export const HAS_NAMES = `(${NAMES}) IN (SELECT nom, prenom FROM identities)`;
export const IS_IDENTITY = `(${IDENTITY}) IN (SELECT nom, prenom, courriel FROM identities)`;

const OF_EMPLOYE = 'id_externe_employe = :employe';
const WITH_EMPLOYE = { with: 'employe' };

const HISTORY = 'a feed shows what happened; an erasure finds the rows by the former identifiers';

export const MEMBERSHIP_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'valeursChampUtilisateur',
      table: 'valeur_champ_employe',
      where: OF_EMPLOYE,
      order: ['nom_champ'],
      erased: WITH_EMPLOYE,
    },
    {
      section: 'emplois',
      table: 'emploi',
      where: OF_EMPLOYE,
      order: [...OLDEST_FIRST, 'identifiant_externe'],
      erased: WITH_EMPLOYE,
    },
    {
      section: 'appartenances',
      table: 'membership',
      where: OF_EMPLOYE,
      order: ['date_creation', 'syndicat_id_externe'],
      erased: WITH_EMPLOYE,
    },
    {
      section: 'employe',
      table: 'employe',
      where: 'id_externe = :employe',
      repeated: ['json_identite', 'json_coordonnees', 'json_lecture'],
      erased: 'removed',
    },
    {
      section: 'anciensIdentifiants',
      table: 'ancien_identifiant',
      where: 'employe_id = ANY (:employes::uuid[])',
      erased: 'removed',
    },
    // After the employee, whose deletion writes changes, too. The CASE is that of the index.
    {
      section: 'changements',
      table: 'changement',
      where: `CASE WHEN id_externe_employe IS NULL THEN id_externe ELSE id_externe_employe END = :idExterne
        AND (entite = 'Employe' OR id_externe_employe IS NOT NULL)`,
      named: 'uuid_extract_timestamp(id_unique)',
      order: ['id_unique', 'lot'],
      erased: 'removed',
    },
  ],
  identifiers: {
    [EMPLOYE_KEY]: {
      ...steps('employe', 'id_externe', ', derniere_maj = clock_timestamp()'),
      joined: { by: 'FusionRepository' },
    },
    ...renamedKey('emploi', 'id_externe_employe', { by: 'FusionRepository refuses them' }),
    ...renamedKey(
      'membership',
      'id_externe_employe',
      `WITH gone AS (
         DELETE FROM membership a USING membership c
         WHERE a.tenant_id = :tenantId AND a.id_externe_employe = :absorbe
           AND c.tenant_id = a.tenant_id AND c.id_externe_employe = :conserve AND c.syndicat_id_externe = a.syndicat_id_externe
         RETURNING a.*
       )
       UPDATE membership c SET date_adhesion = least(c.date_adhesion, gone.date_adhesion),
         date_fin = CASE WHEN num_nulls(c.date_fin, gone.date_fin) = 0 THEN greatest(c.date_fin, gone.date_fin) END
       FROM gone WHERE c.tenant_id = :tenantId AND c.id_externe_employe = :conserve
         AND c.syndicat_id_externe = gone.syndicat_id_externe`,
    ),
    ...renamedKey(
      'valeur_champ_employe',
      'id_externe_employe',
      `DELETE FROM valeur_champ_employe v USING valeur_champ_employe o
       WHERE v.tenant_id = :tenantId AND v.id_externe_employe = :sansValeur AND o.tenant_id = v.tenant_id
         AND o.id_externe_employe IN (:conserve, :absorbe) AND o.id_externe_employe <> v.id_externe_employe
         AND o.nom_champ = v.nom_champ`,
    ),
    'ancien_identifiant.id_externe': { kept: 'the identifiers of before' },
    'changement.id_externe': { kept: HISTORY },
    'changement.id_externe_employe': { kept: HISTORY },
    'changement.ancien_id_externe': { kept: HISTORY },
  },
  mergedIds: {
    'ancien_identifiant.employe_id': mergedId(
      'ancien_identifiant',
      'employe_id',
      'absorbe_id = coalesce(absorbe_id, :absorbeId)',
    ),
  },
  identities: [`SELECT ${IDENTITY} FROM employe WHERE tenant_id = :tenantId AND id_externe = :employe`],
  notPersonal: {
    changement_lot: 'times and positions of transactions',
    champ_utilisateur: 'definitions of fields',
    choix_champ: 'choices of fields',
    employeur: 'organisations',
    etat_listes: 'names of transactions',
    numero_membre: 'a counter',
    syndicat: 'organisations',
    syndicat_employeur: 'organisations',
  },
};
