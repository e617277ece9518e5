import { Injectable } from '@nestjs/common';
import { ADMINISTRATION, PURGE_BATCH, Transactions } from '#shared/database/transactions';
import type { Cible } from '../domain/courriel.types';
import { addressableIn, comparableOf } from './adresse.sql';

/** Recipients that one statement of the purge removes with their letters, about. */
const PURGED_RECIPIENTS = 100_000;

/** A letter as it is written. */
export interface NewCourriel {
  readonly id?: string | undefined;
  readonly sujet: string;
  readonly corpsHtml: string;
  readonly cible: Cible | null;
}

/** Makes letters with all their recipients, by a fixed number of statements, and removes them. */
@Injectable()
export class CourrielRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Places of the identifiers in a list, from 0, that no employee has. */
  async unknownEmployes(tenantId: string, idExternes: readonly string[]): Promise<number[]> {
    const { rows } = await this.transactions.client().query<{ place: number }>(
      `SELECT s.n::int - 1 AS place FROM unnest($2::text[]) WITH ORDINALITY AS s (id, n)
       WHERE NOT EXISTS (SELECT FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = s.id) ORDER BY s.n`,
      [tenantId, idExternes],
    );
    return rows.map(({ place }) => place);
  }

  /** Adds a letter without recipients, in the ambient transaction. @returns its id */
  async insert(tenantId: string, { id, sujet, corpsHtml, cible }: NewCourriel): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO courriel (tenant_id, id_unique, sujet, corps_html, cible, nombre_destinataires)
       VALUES ($1, coalesce($2, uuidv7()), $3, $4, $5, 0) RETURNING id_unique AS id`,
      [tenantId, id, sujet, corpsHtml, cible],
    );
    return rows[0]!.id;
  }

  /** Makes recipients of employees, in the order in which they are named, each once. @returns how many */
  async addEmployes(tenantId: string, courrielId: string, idExternes: readonly string[]): Promise<number> {
    const { rowCount } = await this.transactions.client().query(
      `WITH asked AS (
         SELECT s.id, min(s.n) AS n FROM unnest($3::text[]) WITH ORDINALITY AS s (id, n) GROUP BY s.id
       ), persons AS (
         SELECT e.id_unique AS employe_id, NULL::uuid AS campagne_id, NULL::uuid AS votant_id, asked.n AS place,
           ${addressableIn('e.courriel')} AS adresse
         FROM asked JOIN employe e ON e.tenant_id = $1 AND e.id_externe = asked.id
       ) ${RECIPIENTS}`,
      [tenantId, courrielId, idExternes],
    );
    return this.note(tenantId, courrielId, rowCount!);
  }

  /**
   * Makes recipients of voters. In the order of their identifiers: that in which their rows lie tells who voted after
   * whom. Reads the roll without waiting for anybody and without a trace in it.
   *
   * @returns how many
   */
  async addVotants(tenantId: string, courrielId: string, campagneId: string, cible: Cible): Promise<number> {
    const client = this.transactions.client();
    // Hundreds of thousands of voters are sorted and joined in memory.
    await client.query(`SET LOCAL work_mem = '64MB'`);
    const { rowCount } = await client.query(
      `WITH persons AS (
         SELECT NULL::uuid AS employe_id, v.campagne_id, v.id_unique AS votant_id,
           row_number() OVER (ORDER BY v.id_unique) AS place,
           ${addressableIn('coalesce(v.courriel, e.courriel)')} AS adresse
         FROM votant v LEFT JOIN employe e ON e.tenant_id = $1 AND e.id_externe = v.employe_id_externe
         WHERE v.tenant_id = $1 AND v.campagne_id = $3 AND ($4 = 'tous' OR (v.a_droit_de_vote AND NOT v.a_vote))
       ) ${RECIPIENTS}`,
      [tenantId, courrielId, campagneId, cible],
    );
    await client.query('RESET work_mem');
    return this.note(tenantId, courrielId, rowCount!);
  }

  private async note(tenantId: string, courrielId: string, count: number): Promise<number> {
    await this.transactions
      .client()
      .query('UPDATE courriel SET nombre_destinataires = $3 WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        courrielId,
        count,
      ]);
    return count;
  }

  /** Removes letters of 30 days ago with their recipients, of all tenants, a batch at most. @returns how many letters */
  async purgeExpired(): Promise<number> {
    const rows = await this.transactions.query<{ count: number }>(ADMINISTRATION, {
      name: 'courriel_purge',
      text: `WITH removed AS (
               DELETE FROM courriel WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (
                   SELECT tenant_id, id_unique, nombre_destinataires,
                     sum(nombre_destinataires) OVER (ORDER BY date_creation, id_unique) AS total
                   FROM (
                     SELECT tenant_id, id_unique, nombre_destinataires, date_creation FROM courriel
                     WHERE date_creation < now() - interval '30 days' ORDER BY date_creation, id_unique LIMIT $1
                   ) oldest
                 ) counted WHERE total - nombre_destinataires < $2
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [PURGE_BATCH, PURGED_RECIPIENTS],
    });
    return rows[0]?.count ?? 0;
  }
}

/** Of persons (in a WITH query) with the same address the first is written to. */
const RECIPIENTS = `
  INSERT INTO courriel_destinataire (tenant_id, courriel_id, ordre, employe_id, campagne_id, votant_id, etat, echeance)
  SELECT $1, $2, place, employe_id, campagne_id, votant_id, etat, CASE WHEN etat = 'EnAttente' THEN now() END
  FROM (
    SELECT persons.*, CASE
      WHEN adresse IS NULL THEN 'SansAdresse'
      WHEN row_number() OVER (PARTITION BY ${comparableOf('adresse')} ORDER BY place) > 1 THEN 'Doublon'
      ELSE 'EnAttente' END AS etat
    FROM persons
  ) r ORDER BY place`;
