import { Injectable } from '@nestjs/common';
import {
  activeOn,
  dayOf,
  EMPLOIS,
  EMPLOYES,
  EMPLOYEURS,
  MEMBERSHIPS,
  SYNDICATS,
  TODAY,
} from '#membership/relations';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { keepStatistics } from '#platform/bulk/staged-merge';
import { type FetchPage, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { linesOf, TouchedIds } from '#platform/database/touched-ids';
import { Transactions } from '#platform/database/transactions';
import type { ListeElectoraleRecord } from '../domain/liste-electorale.fields';
import { VOTERS_AT_ONCE } from './votants.bulk';

/** Result of adding the employees that the criteria find. */
export interface Enrolled {
  readonly ajoutes: TouchedIds;
  readonly present: number;
  /** The day for which they were looked at. */
  readonly actifsLe: Date;
}

/** Each list of criteria with the relation that its identifiers are of. */
const NAMED = {
  SyndicatsIdExternes: SYNDICATS,
  EmployeursIdentifiantsExternes: EMPLOYEURS,
  EmployesIdExternes: EMPLOYES,
} as const;

type Criterion = keyof typeof NAMED;

/** Employees without employment records count as active. */
const ACTIVE_OR_UNKNOWN = `AND (a.syndicat_id_externe IS NOT NULL OR m.identifiant_externe_employeur IS NOT NULL
  OR k.id_externe_employe IS NULL)`;

/** Electoral lists: voters made of employees by criteria, and what was made. */
@Injectable()
export class ListeElectoraleRepository {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'liste_electorale',
      table: 'liste_electorale',
      key: 'id_unique',
      columns: {
        Id: 'id_unique',
        SyndicatsIdExternes: 'syndicats',
        EmployeursIdentifiantsExternes: 'employeurs',
        EmployesIdExternes: 'employes',
        ActifsLe: wireTimestamp('actifs_le'),
        Poids: 'poids',
        NombreVotants: 'nombre_ajoutes + nombre_deja_presents',
        NombreAjoutes: 'nombre_ajoutes',
        NombreDejaPresents: 'nombre_deja_presents',
        DateCreationUtc: wireTimestamp('date_creation'),
      },
    });
  }

  list(tenantId: string, campagneId: string): FetchPage {
    return this.items.pages(tenantId, [{ sql: 'campagne_id = ?', value: campagneId }]);
  }

  /** Returns the identifiers that name nothing, each by its criterion and its index in the criterion's list. */
  async unknownNames(
    tenantId: string,
    criteria: ListeElectoraleRecord,
  ): Promise<{ criterion: Criterion; index: number }[]> {
    const unknown: { criterion: Criterion; index: number }[] = [];
    for (const criterion of Object.keys(NAMED) as Criterion[]) {
      const ids = criteria[criterion] ?? [];
      if (ids.length === 0) continue;
      const { rows } = await this.transactions.client().query<{ n: number }>(
        `SELECT s.n::int AS n FROM unnest($2::text[]) WITH ORDINALITY AS s (id, n)
         WHERE NOT EXISTS (SELECT FROM ${NAMED[criterion]} k WHERE k.tenant_id = $1 AND k.id_externe = s.id) ORDER BY s.n`,
        [tenantId, ids],
      );
      unknown.push(...rows.map(({ n }) => ({ criterion, index: n - 1 })));
    }
    return unknown;
  }

  /**
   * Makes voters of the employees that meet all criteria; those that are voters already stay as they are. One statement
   * finds them all, one for each 100,000 writes them. In the ambient transaction, which holds the roll.
   */
  async enrol(tenantId: string, campagneId: string, criteria: ListeElectoraleRecord): Promise<Enrolled> {
    const client = this.transactions.client();
    const today = `SELECT coalesce(${dayOf('$1::timestamptz')}, ${TODAY})`;
    const actifsLe = await this.transactions.value<Date>(today, [criteria.ActifsLe]);
    const matched = await this.match(tenantId, criteria, actifsLe);
    await client.query(FRESH_PLANS);
    await keepStatistics(client, 'votant', `'Infinity'::float4`);
    const ajoutes = new TouchedIds();
    for (let from = 0; from < matched; from += VOTERS_AT_ONCE) {
      const { rows } = await client.query<{ count: number; ids: string | null }>(
        `WITH added AS (
         INSERT INTO votant (tenant_id, campagne_id, prenom, nom, courriel, employe_id_externe, syndicat_id_externe,
           employeur_identifiant_externe, a_droit_de_vote, poids)
         SELECT $1, $2, prenom, nom, courriel, id_externe, syndicat_id_externe, identifiant_externe_employeur, true,
           trim_scale($3::numeric)
         FROM matched WHERE n > $4 AND n <= $5 ORDER BY n
         ON CONFLICT (tenant_id, employe_id_externe, campagne_id) WHERE employe_id_externe IS NOT NULL DO NOTHING
           RETURNING id_unique
         ) SELECT count(*)::int AS count, ${linesOf('id_unique')} AS ids FROM added`,
        [tenantId, campagneId, criteria.Poids ?? '1', from, from + VOTERS_AT_ONCE],
      );
      ajoutes.add(rows[0]!.count, rows[0]!.ids);
    }
    await client.query('DROP TABLE matched');
    return { ajoutes, present: matched - ajoutes.count, actifsLe };
  }

  /** Writes the employees that meet all criteria into the table `matched`, numbered from 1. @returns their number */
  private async match(tenantId: string, criteria: ListeElectoraleRecord, actifsLe: Date): Promise<number> {
    const client = this.transactions.client();
    await client.query(
      `CREATE TEMPORARY TABLE matched (n integer, id_externe text, prenom text, nom text, courriel text,
         syndicat_id_externe text, identifiant_externe_employeur text) ON COMMIT DROP`,
    );
    // Without statistics of the tenant, PostgreSQL expects one row of each table: it would read all members for each
    // employee.
    await client.query('SET LOCAL enable_nestloop = off');
    // Hundreds of thousands of members are sorted and joined in memory.
    await client.query(`SET LOCAL work_mem = '64MB'`);
    const named = criteria.SyndicatsIdExternes != null || criteria.EmployeursIdentifiantsExternes != null;
    const { rowCount } = await client.query(this.matching(named), [
      tenantId,
      actifsLe,
      criteria.SyndicatsIdExternes,
      criteria.EmployeursIdentifiantsExternes,
      criteria.EmployesIdExternes,
    ]);
    await client.query('RESET enable_nestloop');
    await client.query('RESET work_mem');
    return rowCount!;
  }

  /** Notes what was made. @returns its id and date */
  async insert(
    tenantId: string,
    campagneId: string,
    criteria: ListeElectoraleRecord,
    { ajoutes, present, actifsLe }: Enrolled,
  ): Promise<{ id: string; dateCreation: Date }> {
    const { rows } = await this.transactions.client().query<{ id: string; dateCreation: Date }>(
      `INSERT INTO liste_electorale (tenant_id, campagne_id, syndicats, employeurs, employes, actifs_le, poids,
         nombre_ajoutes, nombre_deja_presents)
       VALUES ($1, $2, $3, $4, $5, $6, trim_scale($7::numeric), $8, $9)
       RETURNING id_unique AS id, date_creation AS "dateCreation"`,
      [
        tenantId,
        campagneId,
        criteria.SyndicatsIdExternes,
        criteria.EmployeursIdentifiantsExternes,
        criteria.EmployesIdExternes,
        actifsLe,
        criteria.Poids ?? '1',
        ajoutes.count,
        present,
      ],
    );
    return rows[0]!;
  }

  /** @param named whether a union or an employer is named: then only members and employed persons match */
  private matching(named: boolean): string {
    const day = '$2::timestamptz';
    const since = dayOf('a.date_adhesion');
    return `
      WITH emplois AS (
        SELECT * FROM ${EMPLOIS} m WHERE m.tenant_id = $1
      ), employed AS (
        -- Of several employers, the one that V1 would show.
        SELECT DISTINCT ON (m.id_externe_employe) m.id_externe_employe, m.identifiant_externe_employeur
        FROM emplois m
        WHERE ($4::text[] IS NULL OR m.identifiant_externe_employeur = ANY ($4))
          AND ${activeOn(day, 'm.')}
        ORDER BY m.id_externe_employe, m.identifiant_externe = 'V1' DESC, m.date_debut DESC NULLS LAST,
          m.date_creation DESC, m.id_unique DESC
      ), members AS (
        -- Of several unions, the one of the oldest membership.
        SELECT DISTINCT ON (a.id_externe_employe) a.id_externe_employe, a.syndicat_id_externe
        FROM ${MEMBERSHIPS} a
        WHERE a.tenant_id = $1 AND ($3::text[] IS NULL OR a.syndicat_id_externe = ANY ($3))
          AND ${activeOn(day, 'a.', 'date_adhesion')}
        ORDER BY a.id_externe_employe, ${since}, a.date_adhesion, a.syndicat_id_externe
      )
      INSERT INTO matched
      SELECT row_number() OVER (ORDER BY e.id_externe), e.id_externe, e.prenom, e.nom, e.courriel,
        a.syndicat_id_externe, m.identifiant_externe_employeur
      FROM ${EMPLOYES} e
      LEFT JOIN members a ON a.id_externe_employe = e.id_externe
      LEFT JOIN employed m ON m.id_externe_employe = e.id_externe
      ${named ? '' : 'LEFT JOIN (SELECT DISTINCT id_externe_employe FROM emplois) k ON k.id_externe_employe = e.id_externe'}
      WHERE e.tenant_id = $1
        AND ($3::text[] IS NULL OR a.syndicat_id_externe IS NOT NULL)
        AND ($4::text[] IS NULL OR m.identifiant_externe_employeur IS NOT NULL)
        AND ($5::text[] IS NULL OR e.id_externe = ANY ($5))
        ${named ? '' : ACTIVE_OR_UNKNOWN}`;
  }
}
