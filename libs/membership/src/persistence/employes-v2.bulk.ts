import { Injectable } from '@nestjs/common';
import type { ColumnValue } from '#platform/bulk/presence';
import { Stage, type StagedRow } from '#platform/bulk/stage';
import { type MergeCounts, mergeOf, NO_ROWS } from '#platform/bulk/staged-merge';
import { type StagedStatement, StagedStatements } from '#platform/bulk/staged-statements';
import { Transactions } from '#platform/database/transactions';
import { snakeCase } from '#platform/input/field';
import { MOST_NESTED_BYTES } from '../domain/employe-v2.fields';
import { dayOf, hasEnded, hasNotEnded, TODAY } from './days.sql';
import { EMPLOI_V1 } from './emploi.sql';
import {
  DATES,
  EMPLOIS,
  EMPLOYES_V2,
  type EmployeV2Stages,
  MEMBERSHIPS,
  VALEURS,
} from './employes-v2.stages';
import { DROP_ORPHANS, REFUSE_LARGE } from './nested-size.sql';
import { notOurs } from './own-rows.sql';

/** A nested record that was not written, because it names an unknown employer or union, or ends before it begins. */
export interface RefusedNested {
  readonly index: number;
  readonly idExterne: string;
  readonly employe: string;
  /** The identifier of its employer or union. */
  readonly reference: string;
}

/** An employee whose nested records would be too large together. */
export interface TooLarge {
  readonly index: number;
  readonly idExterne: string;
  readonly octets: number;
}

export interface EmployesV2Written {
  /** An employee whose custom values have changed has changed. */
  readonly employes: MergeCounts;
  readonly emplois: MergeCounts;
  readonly memberships: MergeCounts;
  /** Employments that ended because they were left out. */
  readonly omitted: number;
  /** Employments whose employer, and memberships whose union does not exist; they were not written. */
  readonly withoutEmployeur: readonly RefusedNested[];
  readonly withoutSyndicat: readonly RefusedNested[];
  /** Employments and memberships that would end before they begin; they were not written. */
  readonly impossible: {
    readonly emplois: readonly RefusedNested[];
    readonly memberships: readonly RefusedNested[];
  };
  /** Employees that were not written, and the numbers of their nested records. */
  readonly tooLarge: readonly TooLarge[];
  readonly dropped: { readonly emplois: number; readonly memberships: number };
}

/**
 * Sets the time of change of employees whose nested rows were written, because clients list changed employees. Rows that
 * this transaction has written have this time already.
 */
const TOUCH = `touched AS (
  UPDATE employe SET derniere_maj = clock_timestamp()
  WHERE tenant_id = $1 AND id_externe IN (SELECT id_externe_employe FROM merged) AND ${notOurs(EMPLOYES_V2.name)}
  RETURNING 1
)`;

/** SQL of the columns of dates that a record leaves out: a beginning stays, and an end that lies ahead. */
const KEPT_DEBUT: ColumnValue = {
  update: `CASE WHEN ${DATES.has('DateDebut')} THEN s.date_debut ELSE t.date_debut END`,
  insert: 's.date_debut',
};
const KEPT_FIN: ColumnValue = {
  update: `CASE WHEN ${DATES.has('DateFin')} OR ${hasEnded(TODAY, 't.')} THEN s.date_fin ELSE t.date_fin END`,
  insert: 's.date_fin',
};

/** SQL: a period ends on a day before that of its beginning. Days are compared only where the moments are near. */
const endsBefore = (fin: string, debut: string): string =>
  `${fin} < ${debut} + interval '1 day' AND ${dayOf(fin)} < ${dayOf(debut)}`;

/**
 * SQL that selects the numbers of staged records whose period is impossible. A stored date counts where one is absent.
 *
 * @param debut property of the beginning
 */
function impossible(stage: string, table: string, key: string, debut: 'DateDebut' | 'DateAdhesion'): string {
  const column = snakeCase(debut);
  const stored = `${stage} s JOIN ${table} t
    ON t.tenant_id = $1 AND t.id_externe_employe = s.id_externe_employe AND t.${key} = s.${key}`;
  return `SELECT s.n FROM ${stage} s WHERE ${endsBefore('s.date_fin', `s.${column}`)}
    UNION ALL SELECT s.n FROM ${stored} WHERE NOT (${DATES.has(debut)}) AND ${endsBefore('s.date_fin', `t.${column}`)}
    UNION ALL SELECT s.n FROM ${stored} WHERE NOT (${DATES.has('DateFin')}) AND t.date_fin IS NOT NULL
      AND ${hasNotEnded(TODAY, 't.')} AND ${endsBefore('t.date_fin', `s.${column}`)}`;
}

/** SQL that refuses staged employments; a refused one stays in the stage, because the stored one must not end. */
const refuseEmplois = (condition: string): string => `UPDATE ${EMPLOIS.name} s SET accepte = false
  WHERE s.accepte AND ${condition}
  RETURNING n AS index, identifiant_externe AS "idExterne", id_externe_employe AS employe, identifiant_externe_employeur AS reference`;
const refuseMemberships = (condition: string): string => `DELETE FROM ${MEMBERSHIPS.name} s WHERE ${condition}
  RETURNING n AS index, syndicat_id_externe AS "idExterne", id_externe_employe AS employe, syndicat_id_externe AS reference`;

const WITHOUT_EMPLOYEUR = refuseEmplois(`NOT EXISTS (
  SELECT FROM employeur e WHERE e.tenant_id = $1 AND e.id_externe = s.identifiant_externe_employeur
)`);
const WITHOUT_SYNDICAT = refuseMemberships(`NOT EXISTS (
  SELECT FROM syndicat u WHERE u.tenant_id = $1 AND u.id_externe = s.syndicat_id_externe
)`);
const NO_EMPLOI = refuseEmplois(
  `s.n IN (${impossible(EMPLOIS.name, 'emploi', 'identifiant_externe', 'DateDebut')})`,
);
const NO_MEMBERSHIP = refuseMemberships(
  `s.n IN (${impossible(MEMBERSHIPS.name, 'membership', 'syndicat_id_externe', 'DateAdhesion')})`,
);

/** SQL: the update of a row has ended it. */
const ENDED = `${hasNotEnded(TODAY, 'old.')} AND ${hasEnded(TODAY, 'new.')}`;

/** Columns that take the values of the stage's columns of the same names. */
const same = (...columns: string[]): Record<string, ColumnValue> =>
  Object.fromEntries(columns.map((column) => [column, { update: `s.${column}`, insert: `s.${column}` }]));

/** Returns a statement that locks rows until the transaction ends. @param rows SQL that selects and locks them */
function locking(tenantId: string, over: Stage, rows: string): StagedStatement {
  return { text: `WITH locked AS (${rows}) SELECT count(*) FROM locked`, values: [tenantId], over };
}

/** Employers are locked before employees, as the deletion of an employer does, because they could otherwise deadlock. */
const EMPLOYEURS = `SELECT FROM employeur r WHERE r.tenant_id = $1 AND r.id_externe IN (
    SELECT identifiant_externe_employeur FROM ${EMPLOIS.name}
    UNION SELECT e.identifiant_externe_employeur FROM ${EMPLOYES_V2.name} s
    JOIN employe e ON e.tenant_id = $1 AND e.id_externe = s.id_externe WHERE s.a_emplois AND NOT e.a_emplois
  ) ORDER BY r.id_externe FOR KEY SHARE`;

/**
 * Employees are locked before their memberships, as signings do, because they could otherwise deadlock. Those that this
 * sync has written are locked already.
 */
const NEW_MEMBERS = `SELECT FROM employe e WHERE e.tenant_id = $1 AND e.${notOurs(MEMBERSHIPS.name)} AND e.id_externe IN (
    SELECT s.id_externe_employe FROM ${MEMBERSHIPS.name} s WHERE NOT EXISTS (
      SELECT FROM membership m WHERE m.tenant_id = $1 AND m.id_externe_employe = s.id_externe_employe
        AND m.syndicat_id_externe = s.syndicat_id_externe
    )
  ) ORDER BY e.id_externe FOR NO KEY UPDATE`;

/** Removes employees whose nested records would be too large. */
function refusingLarge(tenantId: string): StagedStatement<TooLarge> {
  return { text: REFUSE_LARGE, values: [tenantId, MOST_NESTED_BYTES] };
}

const NONE_DROPPED = { emplois: 0, memberships: 0 };
const DROPPING: StagedStatement<typeof NONE_DROPPED> = { text: DROP_ORPHANS, values: [] };

/** Refuses staged nested records and returns them. @param refuse SQL that refuses them, with its RETURNING */
function refusing(
  tenantId: string,
  over: Stage,
  refuse: string,
  most: number,
): StagedStatement<RefusedNested> {
  return {
    text: `WITH refused AS (${refuse}) SELECT * FROM refused LIMIT $2`,
    values: [tenantId, most],
    over,
  };
}

function mergeEmployes(
  tenantId: string,
  { employes, proprietes }: EmployeV2Stages,
  isLarge: boolean,
): StagedStatement<MergeCounts> {
  return mergeOf(tenantId, {
    table: 'employe',
    stage: employes,
    key: { id_externe: 'id_externe' },
    values: {
      ...proprietes.values(isLarge),
      a_emplois: { update: 't.a_emplois OR s.a_emplois', insert: 's.a_emplois' },
      identifiant_externe_employeur: {
        update: 'CASE WHEN NOT s.a_emplois THEN t.identifiant_externe_employeur END',
        insert: 'NULL',
      },
    },
    changedColumn: 'derniere_maj',
    // The employer of V1 becomes an employment.
    meaningfulNulls: ['identifiant_externe_employeur'],
    // Keeps the employer that V1 wrote as an employment, before V2 writes its own employments.
    returning: 's.id_externe, s.a_emplois, old.identifiant_externe_employeur AS ancien_employeur',
    then: `kept AS (
      INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur)
      SELECT $1, id_externe, '${EMPLOI_V1}', ancien_employeur FROM merged
      WHERE a_emplois AND ancien_employeur IS NOT NULL ORDER BY id_externe
    )`,
  });
}

function mergeEmplois(tenantId: string, { emplois }: EmployeV2Stages): StagedStatement<MergeCounts> {
  return mergeOf(tenantId, {
    table: 'emploi',
    stage: emplois,
    where: 's.accepte',
    key: { id_externe_employe: 'id_externe_employe', identifiant_externe: 'identifiant_externe' },
    values: {
      ...same('identifiant_externe_employeur', 'matricule'),
      date_debut: KEPT_DEBUT,
      date_fin: KEPT_FIN,
    },
    meaningfulNulls: ['date_fin'],
    ended: ENDED,
    returning: 's.id_externe_employe',
    then: TOUCH,
  });
}

function mergeMemberships(tenantId: string, { memberships }: EmployeV2Stages): StagedStatement<MergeCounts> {
  return mergeOf(tenantId, {
    table: 'membership',
    stage: memberships,
    key: { id_externe_employe: 'id_externe_employe', syndicat_id_externe: 'syndicat_id_externe' },
    values: { ...same('date_adhesion'), date_fin: KEPT_FIN },
    meaningfulNulls: ['date_fin'],
    ended: ENDED,
    returning: 's.id_externe_employe',
    then: TOUCH,
  });
}

/** Deactivates stored employments that are missing in the request (docs/contract.md, "V2 sync", rule 3), and counts them. */
function endingOmitted(tenantId: string, over: Stage): StagedStatement<{ count: number }> {
  const text = `WITH merged AS (
      UPDATE emploi m SET date_fin = ${TODAY} FROM ${EMPLOYES_V2.name} s
      WHERE s.emplois_complets AND m.tenant_id = $1 AND m.id_externe_employe = s.id_externe
        AND ${hasNotEnded(TODAY, 'm.')}
        AND NOT EXISTS (
          SELECT FROM ${EMPLOIS.name} k
          WHERE k.id_externe_employe = m.id_externe_employe AND k.identifiant_externe = m.identifiant_externe
        )
      RETURNING m.id_externe_employe
    ), ${TOUCH} SELECT count(*)::int AS count FROM merged`;
  return { text, values: [tenantId], over };
}

/** Removes custom values. Returns the numbers of employees that it has touched and of values that it has removed. */
function removingValeurs(
  tenantId: string,
  over: Stage,
): StagedStatement<Pick<MergeCounts, 'touched' | 'cleared'>> {
  const text = `WITH merged AS (
      DELETE FROM valeur_champ_employe v USING ${VALEURS.name} s
      WHERE s.removed AND v.tenant_id = $1 AND v.id_externe_employe = s.id_externe_employe AND v.nom_champ = s.nom_champ
      RETURNING v.id_externe_employe
    ), ${TOUCH}
    SELECT (SELECT count(*)::int FROM touched) AS touched, (SELECT count(*)::int FROM merged) AS cleared`;
  return { text, values: [tenantId], over };
}

function mergeValeurs(tenantId: string, { valeurs }: EmployeV2Stages): StagedStatement<MergeCounts> {
  return mergeOf(tenantId, {
    table: 'valeur_champ_employe',
    stage: valeurs,
    where: 'NOT s.removed',
    key: { id_externe_employe: 'id_externe_employe', nom_champ: 'nom_champ' },
    values: same('type', 'valeur_texte', 'valeur_date', 'valeur_booleen', 'id_externe_choix'),
    returning: 's.id_externe_employe',
    then: TOUCH,
    touched: 'touched',
  });
}

/** Writes the employees of a V2 sync with their employments, memberships and custom values, in the ambient transaction. */
@Injectable()
export class EmployesV2Bulk {
  constructor(private readonly transactions: Transactions) {}

  /** Streams employees into their stage. The iterator of the rows may add nested records to the other stages. */
  fill({ employes }: EmployeV2Stages, rows: Iterable<StagedRow | undefined>): Promise<void> {
    return employes.fill(this.transactions.client(), rows);
  }

  /**
   * @param most maximum number of nested records of each kind that are reported because they name something unknown
   * @param keepOmitted stored employments that an employee leaves out do not end
   */
  async write(
    tenantId: string,
    stages: EmployeV2Stages,
    most: number,
    keepOmitted: boolean,
  ): Promise<EmployesV2Written> {
    const client = this.transactions.client();
    // All three, because statements join them.
    const hasNested = stages.nested.some(({ count }) => count > 0);
    const staged = hasNested ? [stages.employes, ...stages.nested] : [stages.employes];
    await Stage.load(client, staged);
    const statements = new StagedStatements(client, staged);
    const tooLarge = hasNested ? (await statements.run({ refused: refusingLarge(tenantId) })).refused : [];
    const dropped =
      tooLarge.length > 0 ? (await statements.run({ dropped: DROPPING })).dropped[0]! : NONE_DROPPED;
    const { emplois, memberships, valeurs } = stages;
    const refused = await statements.run({
      employeurs: locking(tenantId, emplois, EMPLOYEURS),
      withoutEmployeur: refusing(tenantId, emplois, WITHOUT_EMPLOYEUR, most),
      withoutSyndicat: refusing(tenantId, memberships, WITHOUT_SYNDICAT, most),
      emplois: refusing(tenantId, emplois, NO_EMPLOI, most),
      memberships: refusing(tenantId, memberships, NO_MEMBERSHIP, most),
    });
    const written = await statements.run({
      plans: statements.freshPlans,
      employes: mergeEmployes(tenantId, stages, statements.isLarge),
      // Directly after their employees: the employees touched by them are then those that have not changed otherwise.
      removed: removingValeurs(tenantId, valeurs),
      valeurs: mergeValeurs(tenantId, stages),
      nestedPlans: statements.freshPlans,
      emplois: mergeEmplois(tenantId, stages),
      employesOfMemberships: locking(tenantId, memberships, NEW_MEMBERS),
      memberships: mergeMemberships(tenantId, stages),
      omitted: keepOmitted ? undefined : endingOmitted(tenantId, emplois),
    });
    const [employes = NO_ROWS] = written.employes;
    const [removed = NO_ROWS] = written.removed;
    const [added = NO_ROWS] = written.valeurs;
    return {
      employes: {
        ...employes,
        changed: employes.changed + removed.touched + added.touched,
        cleared: employes.cleared + removed.cleared,
      },
      emplois: written.emplois[0] ?? NO_ROWS,
      memberships: written.memberships[0] ?? NO_ROWS,
      omitted: written.omitted[0]?.count ?? 0,
      withoutEmployeur: refused.withoutEmployeur,
      withoutSyndicat: refused.withoutSyndicat,
      impossible: { emplois: refused.emplois, memberships: refused.memberships },
      tooLarge,
      dropped,
    };
  }
}
