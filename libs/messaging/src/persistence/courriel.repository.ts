import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import { EMPLOYES } from '#membership/relations';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { VOTANTS } from '#voting/relations';
import type { Cible } from '../domain/courriel.types';
import type { Quota } from '../domain/quota';
import { addressableIn, comparableOf, voterAddress } from './adresse.sql';

/** Approximate number of recipients that one statement of the purge removes with their emails. */
const PURGED_RECIPIENTS = 100_000;

/** An email to store. */
export interface NewCourriel {
  readonly id?: string | undefined;
  readonly sujet: string;
  readonly corpsHtml: string;
  readonly cible: Cible | null | undefined;
}

/** An email with recipients that were ended. */
export interface EndedCourriel {
  readonly courriel: string;
  readonly destinataires: number;
}

/** Stores emails with all their recipients, in a fixed number of statements, and removes them. */
@Injectable()
export class CourrielRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Returns the indexes, from 0, of identifiers that no employee has. */
  async unknownEmployes(tenantId: string, idExternes: readonly string[]): Promise<number[]> {
    const { rows } = await this.transactions.client().query<{ place: number }>(
      `SELECT s.n::int - 1 AS place FROM unnest($2::text[]) WITH ORDINALITY AS s (id, n)
       WHERE NOT EXISTS (SELECT FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_externe = s.id) ORDER BY s.n`,
      [tenantId, idExternes],
    );
    return rows.map(({ place }) => place);
  }

  /** Adds an email without recipients in the ambient transaction. @returns its id */
  async insert(tenantId: string, { id, sujet, corpsHtml, cible }: NewCourriel): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO courriel (tenant_id, id_unique, sujet, corps_html, cible, nombre_destinataires)
       VALUES ($1, coalesce($2, uuidv7()), $3, $4, $5, 0) RETURNING id_unique AS id`,
      [tenantId, id, sujet, corpsHtml, cible],
    );
    return rows[0]!.id;
  }

  /**
   * Locks and returns today's quota until the transaction ends, because two emails of the tenant must not use the same
   * remainder. Counts the recipients of stored emails: one that is rolled back uses nothing.
   */
  async holdQuota(tenantId: string): Promise<Quota> {
    await this.transactions.lockByName(`courriels ${tenantId}`);
    // Compares the dates of days, and times to the millisecond, as they are stored.
    const { rows } = await this.transactions.client().query<Quota>(
      `SELECT limite, greatest(0, limite - pris)::int AS reste, renouveau, fuseau AS "fuseauHoraire",
         ceil(extract(epoch FROM renouveau - clock_timestamp()))::int AS secondes
       FROM (
         SELECT r.quota_courriels_par_jour AS limite, fuseau, (today + 1)::timestamp AT TIME ZONE fuseau AS renouveau,
           (SELECT coalesce(sum(c.nombre_destinataires), 0) FROM courriel c
            WHERE c.tenant_id = $1 AND c.date_creation > now() - interval '2 days'
              AND (c.date_creation AT TIME ZONE fuseau)::date = today) AS pris
         FROM ${REGLAGES} r, tenant_time_zone() fuseau, LATERAL (SELECT (now()::timestamptz(3) AT TIME ZONE fuseau)::date AS today)
         WHERE r.tenant_id = $1
       ) q`,
      [tenantId],
    );
    const quota = rows[0]!;
    // The day may have ended while this transaction waited for the lock.
    return { ...quota, secondes: Math.max(1, quota.secondes) };
  }

  /**
   * Adds employees as recipients, in the order of the identifiers, each once.
   *
   * @returns their number; if it exceeds `most`, none is written
   */
  async addEmployes(
    tenantId: string,
    courrielId: string,
    most: number,
    idExternes: readonly string[],
  ): Promise<number> {
    return this.add(
      `asked AS (
         SELECT s.id, min(s.n) AS n FROM unnest($4::text[]) WITH ORDINALITY AS s (id, n) GROUP BY s.id
       ), persons AS (
         SELECT e.id_unique AS employe_id, NULL::uuid AS campagne_id, NULL::uuid AS votant_id, asked.n AS place,
           ${addressableIn('e.courriel')} AS adresse
         FROM asked JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = asked.id
       )`,
      [tenantId, courrielId, most, idExternes],
    );
  }

  /**
   * Adds voters as recipients, in the order of their identifiers, because the order of their rows would reveal the order of
   * voting. Reads the roll without locks.
   *
   * @returns their number; if it exceeds `most`, none is written
   */
  async addVotants(
    tenantId: string,
    courrielId: string,
    most: number,
    campagneId: string,
    cible: Cible,
  ): Promise<number> {
    const client = this.transactions.client();
    // To sort and join hundreds of thousands of voters in memory.
    await client.query(`SET LOCAL work_mem = '64MB'`);
    const count = await this.add(
      `${cible === 'nonJoints' ? NOT_REACHED : VOTERS}, persons AS (
         SELECT NULL::uuid AS employe_id, campagne_id, votant_id, row_number() OVER (ORDER BY votant_id) AS place, adresse
         FROM voters WHERE $5 = 'tous' OR (a_droit_de_vote AND NOT a_vote)
       )`,
      [tenantId, courrielId, most, campagneId, cible],
    );
    await client.query('RESET work_mem');
    return count;
  }

  /** Whether the client of the data space has a technical contact with an address. */
  async hasContact(tenantId: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query(
        `SELECT FROM ${REGLAGES} r WHERE r.tenant_id = $1 AND ${addressableIn('r.contact_technique')} IS NOT NULL`,
        [tenantId],
      );
    return rowCount === 1;
  }

  /** Adds the technical contact of the client as the only recipient. */
  async addContact(tenantId: string, courrielId: string): Promise<void> {
    await this.transactions.client().query(
      `WITH email AS (UPDATE courriel SET nombre_destinataires = 1 WHERE tenant_id = $1 AND id_unique = $2)
       INSERT INTO courriel_destinataire (tenant_id, courriel_id, ordre, est_contact, etat, echeance)
       VALUES ($1, $2, 1, true, 'EnAttente', now())`,
      [tenantId, courrielId],
    );
  }

  /** @param persons definition of the query of that name, and of the queries that it uses */
  private async add(persons: string, values: readonly unknown[]): Promise<number> {
    const [tenantId, courrielId] = values;
    const client = this.transactions.client();
    const { rows } = await client.query<{ count: number }>(
      `WITH ${persons}, written AS (${RECIPIENTS}) SELECT count(*)::int AS count FROM persons`,
      [...values],
    );
    const { count } = rows[0]!;
    await client.query(
      'UPDATE courriel SET nombre_destinataires = $3 WHERE tenant_id = $1 AND id_unique = $2',
      [tenantId, courrielId, count],
    );
    return count;
  }

  /** Ends waiting recipients of a data space as `Incertain`. @returns their number by email */
  endWaiting(tenantId: string): Promise<EndedCourriel[]> {
    return this.transactions.execute<EndedCourriel>(
      { tenantId },
      {
        text: `WITH ended AS (
                 UPDATE courriel_destinataire SET etat = 'Incertain', echeance = NULL, date = clock_timestamp()
                 WHERE tenant_id = $1 AND etat IN ('EnAttente', 'EnCours') RETURNING courriel_id
               ) SELECT courriel_id AS courriel, count(*)::int AS destinataires FROM ended GROUP BY 1 ORDER BY 1`,
        values: [tenantId],
      },
    );
  }

  /** Removes a batch of emails of data spaces older than 30 days with their recipients. @returns the number of emails */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'courriel_purge',
      text: `WITH removed AS (
               DELETE FROM courriel WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (
                   SELECT tenant_id, id_unique, nombre_destinataires,
                     sum(nombre_destinataires) OVER (ORDER BY place, id_unique) AS total
                   FROM (${oldestRows('courriel', 'id_unique, nombre_destinataires', 'date_creation', '30 days')}) o
                 ) counted WHERE total - nombre_destinataires < $3
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH, PURGED_RECIPIENTS],
    });
    return rows[0]?.count ?? 0;
  }
}

/** The voters of a campaign (a WITH query). */
const VOTERS = `
  voters AS (
    SELECT v.campagne_id, v.id_unique AS votant_id, v.a_droit_de_vote, v.a_vote, ${voterAddress('v', 'e')} AS adresse
    FROM ${VOTANTS} v LEFT JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = v.employe_id_externe
    WHERE v.tenant_id = $1 AND v.campagne_id = $4
  )`;

/**
 * Those whom no email of the campaign has reached, or may still reach. A voter whose email went to another recipient with the
 * same address counts as reached if that one was.
 */
const NOT_REACHED = `
  mailed AS MATERIALIZED (
    SELECT votant_id, bool_or(etat IN ('EnAttente', 'EnCours', 'Envoye', 'Incertain')) AS reached, bool_or(etat = 'Doublon') AS shares
    FROM courriel_destinataire WHERE tenant_id = $1 AND campagne_id = $4 GROUP BY votant_id
  ), ${VOTERS.replace('voters AS', 'every_voter AS')}, voters AS (
    SELECT * FROM (
      SELECT every_voter.*, m.reached, m.shares AND bool_or(m.reached) OVER (PARTITION BY ${comparableOf('adresse')}) AS shared
      FROM every_voter LEFT JOIN mailed m USING (votant_id)
    ) v WHERE reached IS NOT TRUE AND shared IS NOT TRUE
  )`;

/** Inserts persons (a WITH query) as recipients: the first of each address gets the email. Inserts none if more than $3. */
const RECIPIENTS = `
  INSERT INTO courriel_destinataire (tenant_id, courriel_id, ordre, employe_id, campagne_id, votant_id, etat, echeance)
  SELECT $1, $2, place, employe_id, campagne_id, votant_id, etat, CASE WHEN etat = 'EnAttente' THEN now() END
  FROM (
    SELECT persons.*, CASE
      WHEN adresse IS NULL THEN 'SansAdresse'
      WHEN row_number() OVER (PARTITION BY ${comparableOf('adresse')} ORDER BY place) > 1 THEN 'Doublon'
      ELSE 'EnAttente' END AS etat
    FROM persons
  ) r WHERE (SELECT count(*) FROM persons) <= $3 ORDER BY place`;
