import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { type ColumnValue, Presence, type StagedProperties } from '#platform/bulk/presence';
import { Stage, type StagedRow } from '#platform/bulk/stage';
import { type MergeCounts, mergeStaged } from '#platform/bulk/staged-merge';
import { Transactions } from '#platform/database/transactions';
import { capitalized, namesOf, snakeCase } from '#platform/input/field';
import { PERSONNE_FIELDS } from '../domain/employe.fields';
import { MOST_NESTED_BYTES } from '../domain/employe-v2.fields';
import { dayOf, hasEnded, hasNotEnded, TODAY } from './days.sql';
import { EMPLOI_V1 } from './emploi.sql';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { DROP_ORPHANS, REFUSE_LARGE } from './nested-size.sql';
import { notOurs } from './own-rows.sql';

/** The stages of employees and of their nested records. */
export interface EmployeV2Stages {
  readonly employes: Stage;
  readonly proprietes: StagedProperties;
  readonly emplois: Stage;
  readonly memberships: Stage;
  readonly valeurs: Stage;
  /** Gives `present` of employments and memberships. */
  readonly dates: Presence;
}

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

/** The properties of an employee that V2 writes. */
const PRESENCE = new Presence(namesOf(capitalized(PERSONNE_FIELDS)));

/**
 * Sets the time of change of employees whose nested rows were written, because clients list changed employees. Rows that
 * this transaction has written have this time already.
 */
const TOUCH = `touched AS (
  UPDATE employe SET derniere_maj = clock_timestamp()
  WHERE tenant_id = $1 AND id_externe IN (SELECT id_externe_employe FROM merged) AND ${notOurs('stage_employe_v2')}
  RETURNING 1
)`;

/** The dates of a nested record: an absent one can keep what is stored. */
const DATES = new Presence(['DateDebut', 'DateAdhesion', 'DateFin']);

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
const refuseEmplois = (condition: string): string => `UPDATE stage_emploi s SET accepte = false
  WHERE s.accepte AND ${condition}
  RETURNING n AS index, identifiant_externe AS "idExterne", id_externe_employe AS employe, identifiant_externe_employeur AS reference`;
const refuseMemberships = (condition: string): string => `DELETE FROM stage_membership s WHERE ${condition}
  RETURNING n AS index, syndicat_id_externe AS "idExterne", id_externe_employe AS employe, syndicat_id_externe AS reference`;

const WITHOUT_EMPLOYEUR = refuseEmplois(`NOT EXISTS (
  SELECT FROM employeur e WHERE e.tenant_id = $1 AND e.id_externe = s.identifiant_externe_employeur
)`);
const WITHOUT_SYNDICAT = refuseMemberships(`NOT EXISTS (
  SELECT FROM syndicat u WHERE u.tenant_id = $1 AND u.id_externe = s.syndicat_id_externe
)`);
const NO_EMPLOI = refuseEmplois(
  `s.n IN (${impossible('stage_emploi', 'emploi', 'identifiant_externe', 'DateDebut')})`,
);
const NO_MEMBERSHIP = refuseMemberships(
  `s.n IN (${impossible('stage_membership', 'membership', 'syndicat_id_externe', 'DateAdhesion')})`,
);

/** SQL: the update of a row has ended it. */
const ENDED = `${hasNotEnded(TODAY, 'old.')} AND ${hasEnded(TODAY, 'new.')}`;

/** Columns that take the values of the stage's columns of the same names. */
const same = (...columns: string[]): Record<string, ColumnValue> =>
  Object.fromEntries(columns.map((column) => [column, { update: `s.${column}`, insert: `s.${column}` }]));

/** Writes the employees of a V2 sync with their employments, memberships and custom values, in the ambient transaction. */
@Injectable()
export class EmployesV2Bulk {
  constructor(private readonly transactions: Transactions) {}

  stages(): EmployeV2Stages {
    return {
      employes: new Stage('stage_employe_v2', {
        n: 'integer',
        id_externe: 'identifier',
        // Whether employments were sent. If so, V2 owns the employee's employments from now on.
        a_emplois: 'boolean',
        // Whether each of them has a readable identifier. If so, stored employments that were not sent end.
        emplois_complets: 'boolean',
        ...PRESENCE.columns,
      }),
      proprietes: PRESENCE.request(),
      dates: DATES,
      emplois: new Stage('stage_emploi', {
        n: 'integer',
        id_externe_employe: 'identifier',
        identifiant_externe: 'identifier',
        identifiant_externe_employeur: 'identifier',
        matricule: 'identifier',
        date_debut: 'timestamptz',
        date_fin: 'timestamptz',
        present: 'integer',
        // A rejected employment does not end the stored employment of its identifier.
        accepte: 'boolean',
      }),
      memberships: new Stage('stage_membership', {
        n: 'integer',
        id_externe_employe: 'identifier',
        syndicat_id_externe: 'identifier',
        date_adhesion: 'timestamptz',
        date_fin: 'timestamptz',
        present: 'integer',
      }),
      valeurs: new Stage('stage_valeur', {
        id_externe_employe: 'identifier',
        nom_champ: 'identifier',
        removed: 'boolean',
        type: 'text',
        valeur_texte: 'text',
        valeur_date: 'timestamptz',
        valeur_booleen: 'boolean',
        id_externe_choix: 'identifier',
      }),
    };
  }

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
    const nested = [stages.emplois, stages.memberships, stages.valeurs];
    for (const stage of nested) await stage.load(client);
    const tooLarge = nested.some(({ count }) => count > 0) ? await this.refuseLarge(client, tenantId) : [];
    const dropped = tooLarge.length > 0 ? await this.dropOrphans(client) : { emplois: 0, memberships: 0 };
    await this.holdEmployeurs(client, tenantId);
    const withoutEmployeur = await this.refuse(client, tenantId, WITHOUT_EMPLOYEUR, most);
    const withoutSyndicat = await this.refuse(client, tenantId, WITHOUT_SYNDICAT, most);
    const impossible = {
      emplois: await this.refuse(client, tenantId, NO_EMPLOI, most),
      memberships: await this.refuse(client, tenantId, NO_MEMBERSHIP, most),
    };
    await client.query(FRESH_PLANS);
    const employes = await this.mergeEmployes(client, tenantId, stages.proprietes);
    // Directly after their employees: the employees touched by them are then those that have not changed otherwise.
    const valeurs = await this.mergeValeurs(client, tenantId);
    await client.query(FRESH_PLANS);
    const emplois = await this.mergeEmplois(client, tenantId);
    await this.holdNewMembers(client, tenantId);
    const memberships = await this.mergeMemberships(client, tenantId);
    const omitted = keepOmitted ? 0 : await this.endOmittedEmplois(client, tenantId);
    const changed = employes.changed + valeurs.touched;
    const cleared = employes.cleared + valeurs.cleared;
    return {
      employes: { ...employes, changed, cleared },
      emplois,
      memberships,
      omitted,
      withoutEmployeur,
      withoutSyndicat,
      impossible,
      tooLarge,
      dropped,
    };
  }

  private async refuseLarge(client: PoolClient, tenantId: string): Promise<TooLarge[]> {
    return (await client.query<TooLarge>(REFUSE_LARGE, [tenantId, MOST_NESTED_BYTES])).rows;
  }

  private async dropOrphans(client: PoolClient): Promise<EmployesV2Written['dropped']> {
    return (await client.query<EmployesV2Written['dropped']>(DROP_ORPHANS)).rows[0]!;
  }

  /** Locks employers before employees, as the deletion of an employer does, because they could otherwise deadlock. */
  private async holdEmployeurs(client: PoolClient, tenantId: string): Promise<void> {
    await client.query(
      `WITH locked AS (
         SELECT FROM employeur r WHERE r.tenant_id = $1 AND r.id_externe IN (
           SELECT identifiant_externe_employeur FROM stage_emploi
           UNION SELECT e.identifiant_externe_employeur FROM stage_employe_v2 s
           JOIN employe e ON e.tenant_id = $1 AND e.id_externe = s.id_externe WHERE s.a_emplois AND NOT e.a_emplois
         ) ORDER BY r.id_externe FOR KEY SHARE
       ) SELECT count(*) FROM locked`,
      [tenantId],
    );
  }

  /** Refuses staged nested records and returns them. @param statement SQL that refuses them, with its RETURNING */
  private async refuse(
    client: PoolClient,
    tenantId: string,
    statement: string,
    most: number,
  ): Promise<RefusedNested[]> {
    const { rows } = await client.query<RefusedNested>(
      `WITH refused AS (${statement}) SELECT * FROM refused LIMIT $2`,
      [tenantId, most],
    );
    return rows;
  }

  private mergeEmployes(
    client: PoolClient,
    tenantId: string,
    proprietes: StagedProperties,
  ): Promise<MergeCounts> {
    return mergeStaged(client, tenantId, {
      table: 'employe',
      stage: 'stage_employe_v2',
      key: { id_externe: 'id_externe' },
      values: {
        ...proprietes.values(),
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

  private mergeEmplois(client: PoolClient, tenantId: string): Promise<MergeCounts> {
    return mergeStaged(client, tenantId, {
      table: 'emploi',
      stage: 'stage_emploi',
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

  /**
   * Locks employees before their memberships, as signings do, because they could otherwise deadlock. Employees that this
   * sync has written are locked already.
   */
  private async holdNewMembers(client: PoolClient, tenantId: string): Promise<void> {
    await client.query(
      `WITH locked AS (
         SELECT FROM employe e WHERE e.tenant_id = $1 AND e.${notOurs('stage_membership')} AND e.id_externe IN (
           SELECT s.id_externe_employe FROM stage_membership s WHERE NOT EXISTS (
             SELECT FROM membership m WHERE m.tenant_id = $1 AND m.id_externe_employe = s.id_externe_employe
               AND m.syndicat_id_externe = s.syndicat_id_externe
           )
         ) ORDER BY e.id_externe FOR NO KEY UPDATE
       ) SELECT count(*) FROM locked`,
      [tenantId],
    );
  }

  private mergeMemberships(client: PoolClient, tenantId: string): Promise<MergeCounts> {
    return mergeStaged(client, tenantId, {
      table: 'membership',
      stage: 'stage_membership',
      key: { id_externe_employe: 'id_externe_employe', syndicat_id_externe: 'syndicat_id_externe' },
      values: { ...same('date_adhesion'), date_fin: KEPT_FIN },
      meaningfulNulls: ['date_fin'],
      ended: ENDED,
      returning: 's.id_externe_employe',
      then: TOUCH,
    });
  }

  /**
   * Deactivates stored employments that are missing in the request (docs/contract.md, "V2 sync", rule 3).
   *
   * @returns their number
   */
  private async endOmittedEmplois(client: PoolClient, tenantId: string): Promise<number> {
    const { rows } = await client.query<{ count: number }>(
      `WITH merged AS (
         UPDATE emploi m SET date_fin = ${TODAY} FROM stage_employe_v2 s
         WHERE s.emplois_complets AND m.tenant_id = $1 AND m.id_externe_employe = s.id_externe
           AND ${hasNotEnded(TODAY, 'm.')}
           AND NOT EXISTS (
             SELECT FROM stage_emploi k
             WHERE k.id_externe_employe = m.id_externe_employe AND k.identifiant_externe = m.identifiant_externe
           )
         RETURNING m.id_externe_employe
       ), ${TOUCH} SELECT count(*)::int AS count FROM merged`,
      [tenantId],
    );
    return rows[0]!.count;
  }

  /** @returns the employees that it has touched, and the values that it has removed */
  private async mergeValeurs(
    client: PoolClient,
    tenantId: string,
  ): Promise<Pick<MergeCounts, 'touched' | 'cleared'>> {
    const { rows } = await client.query<{ touched: number; cleared: number }>(
      `WITH merged AS (
         DELETE FROM valeur_champ_employe v USING stage_valeur s
         WHERE s.removed AND v.tenant_id = $1 AND v.id_externe_employe = s.id_externe_employe AND v.nom_champ = s.nom_champ
         RETURNING v.id_externe_employe
       ), ${TOUCH}
       SELECT (SELECT count(*)::int FROM touched) AS touched, (SELECT count(*)::int FROM merged) AS cleared`,
      [tenantId],
    );
    const removed = rows[0]!;
    const merged = await mergeStaged(client, tenantId, {
      table: 'valeur_champ_employe',
      stage: 'stage_valeur',
      where: 'NOT s.removed',
      key: { id_externe_employe: 'id_externe_employe', nom_champ: 'nom_champ' },
      values: same('type', 'valeur_texte', 'valeur_date', 'valeur_booleen', 'id_externe_choix'),
      returning: 's.id_externe_employe',
      then: TOUCH,
      touched: 'touched',
    });
    return { touched: removed.touched + merged.touched, cleared: removed.cleared };
  }
}
