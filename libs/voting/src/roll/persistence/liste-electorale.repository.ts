import { Injectable } from '@nestjs/common';
import { dayOf, EMPLOYES, EMPLOYEURS, lockEmployes, SYNDICATS, TODAY } from '#membership/relations';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { keepStatistics } from '#platform/bulk/keep-statistics';
import { type FetchPage, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { linesOf, TouchedIds } from '#platform/database/touched-ids';
import { Transactions } from '#platform/database/transactions';
import { Overtaken } from '#platform/errors/sql-errors';
import type { ListeElectoraleRecord } from '../domain/liste-electorale.fields';
import type { MotifName } from '../domain/motif.fields';
import { lockManyNamed } from './employe-locks';
import { MATCHING, MOTIFS } from './matching.sql';
import { VOTERS_AT_ONCE } from './votants.bulk';

/** Result of adding the employees that the criteria find. */
export interface Enrolled {
  /** Identifier of the list. */
  readonly id: string;
  readonly ajoutes: TouchedIds;
  readonly present: number;
  /** The day for which they were looked at. */
  readonly actifsLe: Date;
}

/** Result that a list would have. */
export interface Simulated {
  readonly matched: number;
  /** Number of them that are voters already. */
  readonly present: number;
  /** Employees by the code of a reason: of those that match all, of the others those that do not hold. */
  readonly motifs: Readonly<Partial<Record<MotifName, number>>>;
}

/** Each list of criteria with the relation that its identifiers are of. */
const NAMED = {
  SyndicatsIdExternes: SYNDICATS,
  EmployeursIdentifiantsExternes: EMPLOYEURS,
  EmployesIdExternes: EMPLOYES,
} as const;

type Criterion = keyof typeof NAMED;

/** SQL of the criteria of a request. */
const CRITERE =
  'SELECT 1 AS critere, $2::timestamptz AS jour, $3::text[] AS syndicats, $4::text[] AS employeurs, $5::text[] AS employes';

/** Columns of voters that come from the matched employees. */
const MATCHED = `prenom, nom, courriel, employe_id_externe, syndicat_id_externe, employeur_identifiant_externe, poids,
  liste_electorale_id, adhesion_debut, emploi_debut`;

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

  /** Returns the number of lists of a campaign. In the ambient transaction. */
  count(tenantId: string, campagneId: string): Promise<number> {
    return this.transactions.value(
      'SELECT count(*)::int FROM liste_electorale WHERE tenant_id = $1 AND campagne_id = $2',
      [tenantId, campagneId],
    );
  }

  /**
   * Returns the identifiers that name nothing, each by its criterion and its index in the criterion's list.
   *
   * @param hold whether the employees that are named keep their identifiers until the ambient transaction ends
   */
  async unknownNames(
    tenantId: string,
    criteria: ListeElectoraleRecord,
    hold: boolean,
  ): Promise<{ criterion: Criterion; index: number }[]> {
    const unknown: { criterion: Criterion; index: number }[] = [];
    for (const criterion of Object.keys(NAMED) as Criterion[]) {
      const ids = criteria[criterion] ?? [];
      if (ids.length === 0) continue;
      if (hold && criterion === 'EmployesIdExternes')
        await lockManyNamed(this.transactions, tenantId, 'SELECT unnest($2::text[])', [ids]);
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
    const { id, actifsLe } = await this.dayAndId(criteria);
    const matched = await this.match(tenantId, criteria, actifsLe, id);
    const ajoutes = new TouchedIds();
    await client.query(FRESH_PLANS);
    await keepStatistics(client, 'votant', Infinity);
    await this.addVoters(tenantId, campagneId, 'matched', matched, ajoutes);
    await client.query('DROP TABLE matched');
    return { id, ajoutes, present: matched - ajoutes.count, actifsLe };
  }

  /** Counts the employees that `enrol` would add, and the others by the criteria that do not hold. Writes nothing. */
  async simulate(tenantId: string, campagneId: string, criteria: ListeElectoraleRecord): Promise<Simulated> {
    const client = this.transactions.client();
    const { actifsLe } = await this.dayAndId(criteria);
    await client.query(`SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'`);
    const { rows } = await client.query<Simulated>(
      `WITH critere AS MATERIALIZED (${CRITERE}),
         candidat AS MATERIALIZED (SELECT 1 AS critere, id_externe FROM ${EMPLOYES} e WHERE tenant_id = $1), ${MOTIFS},
         trouve AS MATERIALIZED (SELECT DISTINCT id_externe FROM motif WHERE convient),
         nombre AS (SELECT code, count(DISTINCT id_externe)::int AS n FROM motif WHERE convient OR NOT tient GROUP BY code)
       SELECT (SELECT count(*)::int FROM trouve) AS matched,
         (SELECT count(*)::int FROM trouve t JOIN votant v ON v.tenant_id = $1 AND v.campagne_id = $6 AND v.employe_id_externe = t.id_externe) AS present,
         coalesce((SELECT json_object_agg(code, n ORDER BY code) FROM nombre), '{}') AS motifs`,
      [
        tenantId,
        actifsLe,
        criteria.SyndicatsIdExternes,
        criteria.EmployeursIdentifiantsExternes,
        criteria.EmployesIdExternes,
        campagneId,
      ],
    );
    return rows[0]!;
  }

  private async dayAndId({ ActifsLe }: ListeElectoraleRecord): Promise<{ id: string; actifsLe: Date }> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string; actifsLe: Date }>(
        `SELECT uuidv7() AS id, coalesce(${dayOf('$1::timestamptz')}, ${TODAY}) AS "actifsLe"`,
        [ActifsLe],
      );
    return rows[0]!;
  }

  /**
   * Keeps the employees of `source` from being deleted and renamed. Until then, another person may have got the identifier. Call it
   * without nested loops, because PostgreSQL expects few rows of either side.
   *
   * @param source a relation with `employe_id_externe` and `employe_id`, read by an earlier statement
   * @throws Overtaken if one of them has been deleted or renamed since
   */
  async hold(tenantId: string, source: string): Promise<void> {
    const changed = await this.transactions.value<boolean>(
      `WITH locked AS (${lockEmployes(`SELECT s.employe_id_externe FROM ${source} s`)})
       SELECT EXISTS (SELECT FROM ${source} s LEFT JOIN locked l ON l.id_externe = s.employe_id_externe AND l.id_unique = s.employe_id
         WHERE l.id_unique IS NULL)`,
      [tenantId],
    );
    if (changed) throw new Overtaken();
  }

  /**
   * Adds voters in the ambient transaction, which holds the roll and the employees. Employees who are voters already are left out.
   *
   * @param source a relation with `n` and columns of `votant`
   * @param last the highest `n`
   * @param ajoutes collects the voters that were added
   */
  async addVoters(
    tenantId: string,
    campagneId: string,
    source: string,
    last: number,
    ajoutes: TouchedIds,
  ): Promise<void> {
    for (let from = 0; from < last; from += VOTERS_AT_ONCE) {
      const { rows } = await this.transactions.client().query<{ count: number; ids: string | null }>(
        `WITH added AS (
         INSERT INTO votant (tenant_id, campagne_id, a_droit_de_vote, ${MATCHED})
         SELECT $1, $2, true, ${MATCHED} FROM ${source} s WHERE n > $3 AND n <= $4 ORDER BY n
         ON CONFLICT (tenant_id, employe_id_externe, campagne_id) WHERE employe_id_externe IS NOT NULL DO NOTHING
           RETURNING id_unique
         ) SELECT count(*)::int AS count, ${linesOf('id_unique')} AS ids FROM added`,
        [tenantId, campagneId, from, from + VOTERS_AT_ONCE],
      );
      ajoutes.add(rows[0]!.count, rows[0]!.ids);
    }
  }

  /** Locks the employees that meet all criteria, and writes them into the table `matched`, numbered from 1. @returns their number */
  private async match(
    tenantId: string,
    criteria: ListeElectoraleRecord,
    actifsLe: Date,
    id: string,
  ): Promise<number> {
    const client = this.transactions.client();
    await client.query(
      `CREATE TEMPORARY TABLE matched (n integer, employe_id_externe text, employe_id uuid, prenom text, nom text, courriel text,
         syndicat_id_externe text, employeur_identifiant_externe text, poids numeric, liste_electorale_id uuid,
         adhesion_debut timestamptz, emploi_debut timestamptz) ON COMMIT DROP`,
    );
    // Without statistics of the tenant, PostgreSQL expects one row of each table: it would read all members for each
    // employee.
    await client.query('SET LOCAL enable_nestloop = off');
    // Hundreds of thousands of members are sorted and joined in memory.
    await client.query(`SET LOCAL work_mem = '64MB'`);
    const { rowCount } = await client.query(
      `INSERT INTO matched WITH critere AS (${CRITERE})
       SELECT row_number() OVER (ORDER BY m.id_externe), m.id_externe, m.employe_id, m.prenom, m.nom, m.courriel,
         m.syndicat_id_externe, m.identifiant_externe_employeur, trim_scale($6::numeric), $7, m.adhesion_debut, m.emploi_debut
       FROM (${MATCHING}) m`,
      [
        tenantId,
        actifsLe,
        criteria.SyndicatsIdExternes,
        criteria.EmployeursIdentifiantsExternes,
        criteria.EmployesIdExternes,
        criteria.Poids ?? '1',
        id,
      ],
    );
    await this.hold(tenantId, 'matched');
    await client.query('RESET enable_nestloop');
    await client.query('RESET work_mem');
    return rowCount!;
  }

  /** Notes what was made. @returns its date */
  async insert(
    tenantId: string,
    campagneId: string,
    criteria: ListeElectoraleRecord,
    { id, ajoutes, present, actifsLe }: Enrolled,
  ): Promise<Date> {
    return this.transactions.value(
      `INSERT INTO liste_electorale (tenant_id, campagne_id, id_unique, syndicats, employeurs, employes, actifs_le,
         jour_donne, poids, nombre_ajoutes, nombre_deja_presents)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, trim_scale($9::numeric), $10, $11)
       RETURNING date_creation`,
      [
        tenantId,
        campagneId,
        id,
        criteria.SyndicatsIdExternes,
        criteria.EmployeursIdentifiantsExternes,
        criteria.EmployesIdExternes,
        actifsLe,
        criteria.ActifsLe != null,
        criteria.Poids ?? '1',
        ajoutes.count,
        present,
      ],
    );
  }
}
